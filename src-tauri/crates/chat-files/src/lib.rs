//! Files of chats: written as Markdown and as JSON with all branches, and read from that JSON and from the
//! `conversations.json` of ChatGPT and Claude. Pure functions over text, without files, clock or database. docs/FORMATS.md
//! describes the format.

mod body;
mod chat;
mod chat_gpt;
mod claude;
mod foreign;
mod json;
mod left_out;
mod markdown;
mod open_block;
mod own;
mod read;
mod tree;

pub use chat::{FileChat, FileEntry};
pub use json::{CHATS_END, begin_chats, chat_json};
pub use left_out::LeftOut;
pub use markdown::{MarkdownWords, markdown_of};
pub use read::{CheckContent, ReadChats, Unreadable, read_chats};

/// The version of the JSON form that is written, and the newest that is read.
pub const VERSION: u32 = 1;
/// What the JSON form calls itself.
const FORMAT: &str = "vestibule-chats";

#[cfg(test)]
mod tests;
