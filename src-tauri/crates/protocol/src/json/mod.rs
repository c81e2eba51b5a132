//! JSON read where it stands: a text is checked once, and a value of it is taken out as a piece of the text or as what it
//! should be. No tree is made.

mod escape;
mod raw;
mod scanner;

pub use raw::{RawJson, RawJsonBuf};
pub use scanner::{ScanError, Scanner};
