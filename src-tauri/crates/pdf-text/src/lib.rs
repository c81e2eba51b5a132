//! The text of a PDF, in the order in which the file draws it. Anyone can have written the file, so it is read in a process
//! of its own that the application can kill ([`serve`]). Pictures, forms that a viewer fills in and attached files are not
//! read, and no script of the file runs.

mod layout;
mod read;
mod worker;

pub use read::{NotRead, PdfText, text_of};
pub use worker::{ROLE, job_line, read_answer, serve};
