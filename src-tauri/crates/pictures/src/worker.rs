//! The process that draws pictures: one line of JSON in, one line out, until its input ends. It keeps nothing between two
//! lines, so that it can be killed at any time.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::{NotScaled, PictureFile, PictureLimits, scale};

/// What the program is called with, behind its leading arguments, to do this work.
pub const ROLE: &str = "scale-pictures";

/// A picture and what it may become.
#[derive(Serialize, Deserialize)]
struct ScaleJob<'a> {
    #[serde(borrow)]
    base64: std::borrow::Cow<'a, str>,
    limits: PictureLimits,
}

/// A drawn picture on its way back, in base64.
#[derive(Serialize, Deserialize)]
struct DrawnPicture {
    is_png: bool,
    base64: String,
}

/// The line for a picture in base64.
#[must_use]
pub fn job_line(base64: &str, limits: PictureLimits) -> String {
    let job = ScaleJob {
        base64: base64.into(),
        limits,
    };
    let mut line = serde_json::to_string(&job).expect("a job is plain data");
    line.push('\n');
    line
}

/// The answer to a job: the type of the picture, and its file in base64.
///
/// # Errors
/// Why there is none; an answer that cannot be read counts as a damaged picture.
pub fn read_answer(line: &str) -> Result<(&'static str, String), NotScaled> {
    let answer: Result<DrawnPicture, NotScaled> =
        serde_json::from_str(line).map_err(|_| NotScaled::Damaged)?;
    let drawn = answer?;
    let mime = if drawn.is_png { "image/png" } else { "image/jpeg" };
    Ok((mime, drawn.base64))
}

/// Draws the pictures on standard input until it ends.
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
        serde_json::to_writer(&mut output, &job(&line?))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn job(line: &str) -> Result<DrawnPicture, NotScaled> {
    let job: ScaleJob<'_> = serde_json::from_str(line).map_err(|_| NotScaled::Damaged)?;
    let bytes = STANDARD
        .decode(job.base64.as_bytes())
        .map_err(|_| NotScaled::Damaged)?;
    let PictureFile { mime, bytes } = scale(&bytes, job.limits)?;
    Ok(DrawnPicture {
        is_png: mime == "image/png",
        base64: STANDARD.encode(bytes),
    })
}

/// Limits that the system enforces, whatever a picture makes of this process.
#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    /// The most address space, in bytes.
    const MEMORY: u64 = 1536 * 1024 * 1024;
    /// The most processor time of the process, in seconds.
    const SECONDS: u64 = 120;

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

    const LIMITS: PictureLimits = PictureLimits {
        edge: 10,
        bytes: 1000,
    };

    #[test]
    fn what_is_no_picture_is_answered_with_a_reason() {
        let answer = |line: &str| read_answer(&serde_json::to_string(&job(line)).unwrap());
        assert_eq!(answer(&job_line("AAAA", LIMITS)), Err(NotScaled::OtherFormat));
        assert_eq!(answer(&job_line("not base64!", LIMITS)), Err(NotScaled::Damaged));
        assert_eq!(answer("{}"), Err(NotScaled::Damaged));
        assert_eq!(read_answer("not JSON"), Err(NotScaled::Damaged));
    }
}
