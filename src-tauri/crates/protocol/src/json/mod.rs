//! JSON that is read in one pass and without a tree: a value is taken out as a slice of the text, or as what it should be.

mod escape;
mod raw;
mod scanner;

pub use raw::{RawJson, RawJsonBuf};
pub use scanner::{ScanError, Scanner};
