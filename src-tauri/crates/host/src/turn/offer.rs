//! What a model is offered in a round, and the sentences before the chat that say so. Nothing is sent or kept here, so that
//! the meter can count what a turn would send.

use std::sync::Arc;

use vestibule_chat_tools::{RoundTools, is_searched};
use vestibule_servers::Servers;

use super::system_prompt;
use crate::host::chat_servers::SwitchedOff;
use crate::view::{EntryView, ToolDiscovery};

/// What decides which tools a round has.
pub(crate) struct Offering<'a> {
    pub(crate) servers: &'a Servers,
    pub(crate) off: &'a SwitchedOff,
    pub(crate) discovery: ToolDiscovery,
    /// How many tokens the model reads, where that is known.
    pub(crate) context: Option<u32>,
    /// Whether the user says that the model uses no tools.
    pub(crate) refuses_tools: bool,
    /// Whether a script stands in for the model. It looks for its tools by name, so none are hidden from it.
    pub(crate) is_script: bool,
}

impl Offering<'_> {
    /// The tools of the next round of a chat with these entries.
    pub(crate) fn tools(&self, earlier: &[Arc<EntryView>]) -> RoundTools {
        if self.refuses_tools {
            return RoundTools::default();
        }
        let mut tools = self.servers.offered();
        tools.retain(|offered| self.off.is_on(offered.server.id(), &offered.tool.tool.name));
        let mut not_read = self.servers.tools_not_read();
        not_read.retain(|left_out| self.off.is_on(left_out.server, &left_out.tool));
        match is_searched(self.discovery, &tools, self.context, earlier) {
            true if !self.is_script => RoundTools::found(tools, not_read, earlier),
            _ => RoundTools::all(tools, not_read, earlier),
        }
    }

    /// The sentences before the chat. Where tools are found, what servers say comes with their first tool.
    pub(crate) fn system(&self, offer: &RoundTools) -> String {
        match &offer.directory {
            Some(directory) => system_prompt::with_search(&directory.servers()),
            None => system_prompt::with_instructions(
                &self.servers.instructions(|server| self.off.is_server_on(server)),
            ),
        }
    }
}
