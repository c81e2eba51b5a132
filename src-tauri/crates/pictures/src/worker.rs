//! The process that draws pictures: one line of JSON in, one line out, until its input ends.

use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use vestibule_line_worker::ProcessLimits;

use crate::{NotScaled, PictureFile, PictureLimits, scale};

/// What the program is called with, behind its leading arguments, to do this work.
pub const ROLE: &str = "scale-pictures";
/// Bounds on what the drawing of pictures can take.
const LIMITS: ProcessLimits = ProcessLimits {
    memory: 1536 * 1024 * 1024,
    seconds: 120,
};

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
    vestibule_line_worker::serve(LIMITS, |line| job(&line))
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

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: PictureLimits = PictureLimits {
        edge: 10,
        bytes: 1000,
    };

    #[test]
    fn what_is_no_picture_is_answered_with_a_reason() {
        let answer = |line: &str| read_answer(&serde_json::to_string(&job(line)).unwrap());
        assert_eq!(answer(&job_line("AAAA", PICTURE)), Err(NotScaled::OtherFormat));
        assert_eq!(answer(&job_line("not base64!", PICTURE)), Err(NotScaled::Damaged));
        assert_eq!(answer("{}"), Err(NotScaled::Damaged));
        assert_eq!(read_answer("not JSON"), Err(NotScaled::Damaged));
    }
}
