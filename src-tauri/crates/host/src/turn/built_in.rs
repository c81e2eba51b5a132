//! Calls of Vestibule's own tools. Each is carried out when its turn comes in the model's order, and its entry is whole
//! from the start. Nothing is asked, because nothing runs and nothing leaves the application.

use std::sync::Arc;

use serde_json::{Map, Value};
use vestibule_models::CallArguments;
use vestibule_servers::Servers;
use vestibule_store::Store;

use super::{AskedCall, RoundTools};
use crate::host::chat_servers::SwitchedOff;
use crate::view::{BuiltInCall, BuiltInOutcome, BuiltInTool, EntryView};
use vestibule_chat_tools::{DirectoryTool, ToolDirectory, asked_result, found_tools, read_result};
use vestibule_servers::stored_parts::{self, StoredParts};

/// The most of one description that a search shows, in bytes; the definition has the whole.
const MAX_DESCRIPTION: usize = 240;
/// The most of servers' instructions that one search gives, in bytes.
const MAX_INSTRUCTIONS: usize = 8 * 1024;

/// What Vestibule's own tools need.
pub(super) struct BuiltInTools<'a> {
    pub(super) servers: &'a Servers,
    pub(super) store: &'a Store,
    /// What is not offered in this chat.
    pub(super) off: &'a SwitchedOff,
}

impl BuiltInTools<'_> {
    /// Carries out a call of one of Vestibule's own tools; `None` where it is of a server's tool.
    pub(super) async fn call(
        &self,
        asked: &AskedCall,
        offer: &RoundTools,
        earlier: &[Arc<EntryView>],
    ) -> Option<BuiltInCall> {
        let is_named = |tool: &BuiltInTool| tool.name() == asked.call.name && offer.is_offered(tool.name());
        let tool = [BuiltInTool::FindTools, BuiltInTool::ReadResult]
            .into_iter()
            .find(is_named)?;
        let arguments = match &asked.call.arguments {
            CallArguments::Parsed(arguments) => arguments.clone(),
            CallArguments::Invalid { .. } => Map::new(),
        };
        let (outcome, words) = match (tool, &offer.directory) {
            (BuiltInTool::FindTools, Some(directory)) => {
                self.find_tools(&arguments, directory, earlier).await
            }
            _ => self.read_result(&arguments, earlier).await,
        };
        Some(BuiltInCall {
            call: asked.call.id.clone(),
            tool,
            arguments,
            outcome,
            words,
            imported: false,
        })
    }

    /// Reads a part of a result, with the texts that are kept beside its entry.
    async fn read_result(
        &self,
        arguments: &Map<String, Value>,
        earlier: &[Arc<EntryView>],
    ) -> (BuiltInOutcome, String) {
        let asked = asked_result(arguments);
        let Some(entry) = earlier.iter().find(|entry| Some(entry.id) == asked) else {
            return read_result(arguments, earlier);
        };
        let unreadable = |error: String| {
            let words = format!("The result could not be read: {error}.");
            (BuiltInOutcome::Refused, words)
        };
        let mut entry = EntryView::clone(entry);
        if let Some(result) = stored_parts::result_of(&mut entry.body)
            && let Err(error) = stored_parts::put_back(self.store, entry.id, result, StoredParts::Texts).await
        {
            return unreadable(error.to_string());
        }
        let (arguments, one) = (arguments.clone(), [Arc::new(entry)]);
        // A search through many megabytes holds nothing else up.
        let read = tokio::task::spawn_blocking(move || read_result(&arguments, &one)).await;
        read.unwrap_or_else(|error| unreadable(error.to_string()))
    }

    async fn find_tools(
        &self,
        arguments: &Map<String, Value>,
        directory: &Arc<ToolDirectory>,
        earlier: &[Arc<EntryView>],
    ) -> (BuiltInOutcome, String) {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(query) = text("query").filter(|query| !query.trim().is_empty()) else {
            let words = "The search has no words. Say in `query` what is to be done.";
            return (BuiltInOutcome::Refused, words.to_owned());
        };
        let server = text("server").filter(|name| !name.is_empty());
        let known: Vec<&str> = directory.servers().into_iter().map(|(name, _)| name).collect();
        if let Some(server) = server.as_deref().filter(|name| !known.contains(name)) {
            let words = format!(
                "There is no server {server:?} with tools. Servers: {}.",
                quoted(&known)
            );
            return (BuiltInOutcome::Refused, words);
        }
        let instructions = self.new_instructions(directory, earlier);
        let directory = directory.clone();
        // Many tools take a while to index.
        let search = move || {
            let found = directory.search(&query, server.as_deref());
            let tools = found.iter().map(|tool| tool.found()).collect();
            (
                BuiltInOutcome::Found { tools },
                found_words(&found, &instructions),
            )
        };
        tokio::task::spawn_blocking(search).await.unwrap_or_else(|error| {
            tracing::error!(%error, "failed to search the tools");
            (
                BuiltInOutcome::Refused,
                "The search failed. Try other words.".into(),
            )
        })
    }

    /// What the servers say of themselves of which the chat found no tool yet, by name.
    fn new_instructions(
        &self,
        directory: &ToolDirectory,
        earlier: &[Arc<EntryView>],
    ) -> Vec<(String, String)> {
        let found = found_tools(earlier);
        let told = directory.of_servers(|server| found.iter().any(|tool| tool.server == server));
        let mut instructions = self.servers.instructions(|server| self.off.is_server_on(server));
        instructions.retain(|(server, _)| !told.contains(&server.as_str()));
        instructions
    }
}

/// What a model reads of a search. Names and descriptions of servers are JSON strings, so that none of them can end its
/// quotation.
fn found_words(found: &[&DirectoryTool], instructions: &[(String, String)]) -> String {
    if found.is_empty() {
        return "No tool fits these words. Try other words for the action and the things.".into();
    }
    let mut words = String::from("These tools are offered to you from the next step on:");
    for tool in found {
        let end = tool.description.floor_char_boundary(MAX_DESCRIPTION);
        let description = Value::from(&tool.description[..end]);
        words.push_str(&format!("\n- {}: {description}", tool.name));
    }
    let mut room = MAX_INSTRUCTIONS;
    for (server, text) in instructions {
        if !found.iter().any(|tool| tool.server_name == *server) {
            continue;
        }
        let text = &text[..text.floor_char_boundary(room)];
        room -= text.len();
        let (server, text) = (Value::from(server.as_str()), Value::from(text));
        words.push_str(&format!(
            "\nThe server {server} says about its tools, as a JSON string: {text}"
        ));
    }
    words
}

fn quoted(names: &[&str]) -> String {
    let names = names.iter().map(|name| Value::from(*name).to_string());
    names.collect::<Vec<_>>().join(", ")
}
