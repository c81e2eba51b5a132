//! A PDF as text: each page is interpreted without drawing it, and the characters of its glyphs are kept.

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use serde::{Deserialize, Serialize};

use crate::layout::PageText;

/// The most pages that are read.
const MAX_PAGES: usize = 5000;

/// The text of a whole PDF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfText {
    /// How many pages the file has.
    pub pages: u32,
    /// A file of several pages has a line with the number before each.
    pub text: String,
}

/// Why a PDF was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum NotRead {
    #[error("the PDF is encrypted with a password, or in an unknown way")]
    Encrypted,
    #[error("the PDF is damaged")]
    Damaged,
    /// Its pages are pictures, or its fonts do not say which characters their glyphs are.
    #[error("the PDF has no text that can be read")]
    NoText,
    #[error("the PDF has too much text or too many pages")]
    TooLong,
}

/// The text of a PDF, of at most `longest` bytes.
///
/// # Errors
/// When it cannot be read, has no text, or more than that.
pub fn text_of(bytes: Vec<u8>, longest: usize) -> Result<PdfText, NotRead> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::MissingIDEntry) | LoadPdfError::Invalid => NotRead::Damaged,
        LoadPdfError::Decryption(_) => NotRead::Encrypted,
    })?;
    let count = pdf.pages().len();
    if count == 0 {
        return Err(NotRead::Damaged);
    }
    if count > MAX_PAGES {
        return Err(NotRead::TooLong);
    }
    let text = text_of_pages(&pdf, longest)?;
    Ok(PdfText {
        pages: count as u32,
        text,
    })
}

fn text_of_pages(pdf: &Pdf, longest: usize) -> Result<String, NotRead> {
    let pages = pdf.pages();
    let cache = InterpreterCache::new();
    let (mut text, mut readable, mut unreadable) = (String::new(), 0, 0);
    for (index, page) in pages.iter().enumerate() {
        // Nothing is drawn, so the area does not matter.
        let area = Rect::new(0.0, 0.0, 1.0, 1.0);
        let settings = InterpreterSettings::default();
        let mut context = Context::new(Affine::IDENTITY, area, &cache, pdf.xref(), settings);
        let mut found = PageText::with_room(longest - text.len());
        interpret_page(page, &mut context, &mut found);
        readable += found.readable();
        unreadable += found.unreadable();
        add_page(&mut text, (index, pages.len()), found.text());
        if found.is_full() || text.len() > longest {
            return Err(NotRead::TooLong);
        }
    }
    // A file whose fonts do not name their characters has replacement characters in place of most of its text.
    if readable == 0 || unreadable > readable {
        return Err(NotRead::NoText);
    }
    Ok(text)
}

/// Adds a page: its 0-based index and the number of all pages, and its text.
fn add_page(text: &mut String, (index, count): (usize, usize), page: &str) {
    if count > 1 {
        let nothing = if page.is_empty() { ": no text" } else { "" };
        let gap = if index > 0 { "\n" } else { "" };
        text.push_str(&format!("{gap}[page {}{nothing}]\n", index + 1));
    }
    text.push_str(page);
    if !page.is_empty() {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
