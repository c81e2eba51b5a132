//! What a server offers: its tools with the definitions that were accepted, and its resources, templates and prompts.

pub(crate) mod definitions;
pub(crate) mod features;
mod pace;
pub(in crate::servers) mod refresh;
pub(in crate::servers) mod reviews;
pub(crate) mod schema_checks;
pub(crate) mod tools;
pub(in crate::servers) mod watches;
