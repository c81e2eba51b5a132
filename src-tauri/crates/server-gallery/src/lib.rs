//! Reads the list of a registry of MCP servers over the API of the official one (`GET /v0.1/servers`). A registry is
//! asked only when a page is wanted; nothing of the user is sent but the words that are searched for. What it answers is
//! written by others: it is bounded, left out where it is not in form, and turned into servers that can be added by
//! the reader of `server.json`. A bundle is downloaded when the user asks for it. Nothing is added or started here.

mod address;
mod client;
mod download;
mod entry;
mod package;
mod page;
mod publisher;
mod text;

pub use address::{checked, host};
pub use client::{Gallery, GalleryLimits, GalleryQuery};
pub use download::{BundleDownload, DownloadLimits};

#[cfg(test)]
mod tests;
