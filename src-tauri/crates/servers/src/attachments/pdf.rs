//! Reads the text of a PDF in a process of its own, which ends with the work or at a limit.

use std::time::Duration;

use vestibule_app_protocol::{AttachmentFrom, AttachmentView, ContentView, InputProblem};
use vestibule_pdf_text::{NotRead, PdfText, ROLE, job_line, read_answer};

use super::file::{PdfFile, of_file};
use super::file_kind::MAX_TEXT;
use crate::HelperProgram;

/// How long one file may take, in which a process is started.
const LONGEST: Duration = Duration::from_secs(30);
/// The longest answer of the process, in bytes. In JSON a character may need six times as many bytes.
const LONGEST_ANSWER: u64 = 8 * 1024 * 1024;

/// Reads the text of a PDF as something attached.
///
/// # Errors
/// Where its text cannot be read, it has none or too much, or reading takes too much time or memory.
pub async fn read_pdf(program: &HelperProgram, file: PdfFile) -> Result<AttachmentView, InputProblem> {
    let PdfFile { name, bytes } = file;
    let started = program.start_worker(ROLE);
    let worker = started.map_err(|error| InputProblem::FileUnreadable {
        file: name.clone(),
        detail: error.to_string(),
    })?;
    let worker = worker.with_longest(LONGEST_ANSWER);
    let size = bytes.len() as u64;
    let job = job_line(&bytes, MAX_TEXT);
    drop(bytes);
    let PdfText { pages, text } = match tokio::time::timeout(LONGEST, worker.ask(&job)).await {
        Ok(Ok((_, answer))) => read_answer(&answer).map_err(|reason| problem(&name, reason))?,
        // The process ended by its own limits or by a panic, or this one ends it.
        Ok(Err(_)) | Err(_) => return Err(InputProblem::PdfTooComplex { file: name }),
    };
    let from = AttachmentFrom::File {
        name,
        bytes: size,
        pages: Some(pages),
    };
    Ok(of_file(from, ContentView::Text { text }))
}

fn problem(name: &str, reason: NotRead) -> InputProblem {
    let file = name.to_owned();
    match reason {
        NotRead::Encrypted => InputProblem::PdfEncrypted { file },
        NotRead::Damaged => InputProblem::PdfDamaged { file },
        NotRead::NoText => InputProblem::PdfWithoutText { file },
        NotRead::TooLong => InputProblem::PdfTooLong {
            file,
            limit_kb: (MAX_TEXT / 1024) as u32,
        },
    }
}
