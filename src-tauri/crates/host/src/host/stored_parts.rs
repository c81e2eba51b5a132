//! Large parts of results as the main window reads them: a text or a sound in pieces of bounded size, a picture as its bytes,
//! which the shell hands to the page by a URI scheme.

use vestibule_pictures::SHOWN_KINDS;
use vestibule_protocol::EntryId;
use vestibule_store::BlobKind;

use super::Host;
use crate::view::{InputProblem, Problem};
use vestibule_servers::stored_parts::base64_of;

/// The most bytes of the pieces that one command reads.
const MOST: usize = 256 * 1024;

/// A picture for a page.
#[derive(Debug)]
pub struct StoredPicture {
    pub mime: &'static str,
    pub bytes: Vec<u8>,
}

impl Host {
    /// Pieces of a stored text from one on, or of a stored sound as Base64 each: as many as have 256 kB, and one at least.
    ///
    /// # Errors
    /// When the entry has no such text or sound, or it cannot be read.
    pub async fn stored_pieces(
        &self,
        entry: EntryId,
        number: u32,
        first: u32,
    ) -> Result<Vec<String>, Problem> {
        let store = &self.0.store;
        let gone = || Problem::Input(InputProblem::Gone);
        let facts = store.blob_facts(entry, number).await?.ok_or_else(gone)?;
        let text = |piece: Vec<u8>| match facts.kind {
            BlobKind::Text => String::from_utf8(piece).ok(),
            BlobKind::Audio => Some(base64_of(&piece)),
            BlobKind::Image => None,
        };
        let most = match facts.kind {
            BlobKind::Audio => MOST / 4 * 3,
            BlobKind::Text | BlobKind::Image => MOST,
        };
        let pieces = store.blob_pieces(entry, number, first, most).await?;
        let texts: Option<Vec<String>> = pieces.into_iter().map(text).collect();
        texts.filter(|texts| !texts.is_empty()).ok_or_else(gone)
    }

    /// A stored picture of a kind that pages show; `None` where the entry has none of this number.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn stored_picture(
        &self,
        entry: EntryId,
        number: u32,
    ) -> Result<Option<StoredPicture>, Problem> {
        let facts = self.0.store.blob_facts(entry, number).await?;
        let mime = facts
            .filter(|facts| facts.kind == BlobKind::Image)
            .and_then(|facts| facts.mime);
        let Some(mime) = SHOWN_KINDS
            .into_iter()
            .find(|known| mime.as_deref() == Some(*known))
        else {
            return Ok(None);
        };
        let blob = self.0.store.blob(entry, number).await?;
        Ok(blob.map(|blob| StoredPicture {
            mime,
            bytes: blob.content,
        }))
    }
}
