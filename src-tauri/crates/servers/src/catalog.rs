//! What a server offers: its tools and instructions with what was accepted of them, and its resources, templates and prompts.

pub(crate) mod definitions;
pub(crate) mod features;
pub(crate) mod instructions;
pub(crate) mod last_listed;
mod pace;
pub(crate) mod refresh;
pub(crate) mod reviews;
pub(crate) mod schema_checks;
pub(crate) mod tools;
pub(crate) mod watches;
