//! The process that reads PDFs: one line of JSON in, one line out, until its input ends.

use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use vestibule_line_worker::ProcessLimits;

use crate::{NotRead, PdfText, text_of};

/// What the program is called with, behind its leading arguments, to do this work.
pub const ROLE: &str = "read-pdfs";
/// Bounds on what one file can take.
const LIMITS: ProcessLimits = ProcessLimits {
    memory: 768 * 1024 * 1024,
    seconds: 20,
};

/// A file and how much of its text is wanted.
#[derive(Serialize, Deserialize)]
struct ReadJob<'a> {
    #[serde(borrow)]
    base64: std::borrow::Cow<'a, str>,
    /// The most bytes of text.
    longest: usize,
}

/// The line for a file.
#[must_use]
pub fn job_line(file: &[u8], longest: usize) -> String {
    let job = ReadJob {
        base64: STANDARD.encode(file).into(),
        longest,
    };
    let mut line = serde_json::to_string(&job).expect("a job is plain data");
    line.push('\n');
    line
}

/// The answer to a job.
///
/// # Errors
/// Why there is no text; an answer that cannot be read counts as a damaged file.
pub fn read_answer(line: &str) -> Result<PdfText, NotRead> {
    let answer: Result<PdfText, NotRead> = serde_json::from_str(line).map_err(|_| NotRead::Damaged)?;
    answer
}

/// Reads the files on standard input until it ends.
#[must_use]
pub fn serve() -> ExitCode {
    vestibule_line_worker::serve(LIMITS, job)
}

fn job(line: String) -> Result<PdfText, NotRead> {
    let job: ReadJob<'_> = serde_json::from_str(&line).map_err(|_| NotRead::Damaged)?;
    let longest = job.longest;
    let decoded = STANDARD.decode(job.base64.as_bytes());
    // The line is as long as the file, and the file has its own limit of memory to be read in.
    drop(line);
    text_of(decoded.map_err(|_| NotRead::Damaged)?, longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_pdf_is_answered_with_a_reason() {
        let answer = |line: String| read_answer(&serde_json::to_string(&job(line)).unwrap());
        assert_eq!(answer(job_line(b"words", 100)), Err(NotRead::Damaged));
        assert_eq!(answer("{}".to_owned()), Err(NotRead::Damaged));
        assert_eq!(read_answer("not JSON"), Err(NotRead::Damaged));
    }
}
