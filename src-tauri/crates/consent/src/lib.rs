//! Questions, answers and permits.
mod question;
pub use question::*;
