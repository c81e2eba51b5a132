//! Reads the size that pictures claim, and makes them smaller before a model gets them. A server writes the bytes of a
//! picture, so they are decoded in a process of its own that the application can kill ([`serve`]), after that size was
//! checked.

mod scale;
mod size;
mod worker;

pub use scale::{NotScaled, PictureFile, PictureLimits, scale};
pub use size::{MAX_PIXELS, SHOWN_KINDS, can_be_shown, has_allowed_size, picture_size};
pub use worker::{ROLE, job_line, read_answer, serve};
