//! Checks values against JSON Schemas that a server wrote. Both the schema and the value are measured before any work
//! that they determine: size, references, patterns, and how many steps a check takes at most. Remote references are
//! never fetched. What cannot be checked is refused with a reason, so that "not checked" never looks like "fits".
//!
//! The limits bound the usual case. The certain bound is the process: [`serve`] runs builds and checks in a process of
//! its own that the application can kill, so that neither an endless check, memory, nor a panic reaches the application.
//!
//! A schema is read as 2020-12, or as draft 4, 6, 7 or 2019-09 where it names one of these.

mod effort;
mod graph;
mod patterns;
mod schema;
mod size;
mod unchecked;
mod worker;

#[cfg(test)]
mod tests;

pub use effort::STEPS;
pub use schema::{Checked, Schema};
pub use unchecked::Unchecked;
pub use worker::{Finished, ROLE, job_line, serve};
