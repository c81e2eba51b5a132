//! The process that reads PDFs: one line of JSON in, one line out, until its input ends. It keeps nothing between two
//! lines, so that it can be killed at any time.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::{NotRead, PdfText, text_of};

/// What the program is called with, behind its leading arguments, to do this work.
pub const ROLE: &str = "read-pdfs";

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
    limits::set();
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn work() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        serde_json::to_writer(&mut output, &job(line?))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn job(line: String) -> Result<PdfText, NotRead> {
    let job: ReadJob<'_> = serde_json::from_str(&line).map_err(|_| NotRead::Damaged)?;
    let longest = job.longest;
    let decoded = STANDARD.decode(job.base64.as_bytes());
    // The line is as long as the file, and the file has its own limit of memory to be read in.
    drop(line);
    text_of(decoded.map_err(|_| NotRead::Damaged)?, longest)
}

/// Limits that the system enforces, whatever a file makes of this process.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// The most address space, in bytes.
    const MEMORY: u64 = 768 * 1024 * 1024;
    /// The most processor time of the process, in seconds.
    const SECONDS: u64 = 20;

    pub(super) fn set() {
        // Where the system refuses a limit, the application still ends this process at the time limit.
        for (resource, most) in [
            (Resource::As, MEMORY),
            (Resource::Core, 0),
            (Resource::Cpu, SECONDS),
        ] {
            let maximum = getrlimit(resource).maximum;
            let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
            let _ = setrlimit(resource, Rlimit { current, maximum });
        }
    }
}

#[cfg(not(unix))]
mod limits {
    pub(super) fn set() {}
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
