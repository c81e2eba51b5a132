//! Makes pictures smaller before a model gets them. A server writes the bytes of a picture, so they are decoded in a
//! process of its own that the application can kill ([`serve`]), after the size that the picture claims was checked.

mod scale;
mod worker;

pub use scale::{NotScaled, PictureFile, PictureLimits, scale};
pub use worker::{ROLE, job_line, read_answer, serve};
