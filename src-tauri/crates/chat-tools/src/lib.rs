//! Tools and their results as the model of a chat sees them: the names of tools, which definitions a request has, the
//! search that finds the others, and results in parts. Nothing is called, asked or sent here.

mod discovery;
pub mod for_model;
mod offer;
mod read_result;
mod result_text;
pub mod text_call;
mod tool_names;
mod tool_search;

pub use discovery::{DirectoryTool, ToolDirectory, found_tools, is_searched};
pub use offer::RoundTools;
pub use read_result::{asked_result, read_result};
pub use tool_names::ToolRef;
pub use vestibule_app_protocol::estimate;
