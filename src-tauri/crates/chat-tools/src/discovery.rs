//! Tools that a model finds by words. A chat with many tools offers `find_tools` in place of all definitions; what was
//! found is offered from then on, in the order in which it was found, so that the beginning of a request stays the same.
//! Tools that are held, denied or switched off are in no list here, so they are never found.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use vestibule_models::ToolSpec;
use vestibule_protocol::ServerId;
use vestibule_servers::OfferedTool;

use super::tool_names::ToolRef;
use super::tool_search::{ToolIndex, ToolText};
use vestibule_app_protocol::{BuiltInOutcome, BuiltInTool, EntryBody, EntryView, FoundTool, ToolDiscovery};

/// With more tools than this they are found, unless the user decides otherwise.
const MANY_TOOLS: usize = 40;
/// Definitions may fill this part of what the model reads: one in so many.
const SHARE: u32 = 10;
/// Definitions of so many tokens are always offered, because `find_tools` and its answers cost as much.
const LITTLE: u32 = 1_500;
/// What a model is taken to read where that is not known, in tokens.
const USUAL_CONTEXT: u32 = 128_000;
/// How many tools one search gives.
const MAX_FOUND: usize = 8;

/// Whether the model finds its tools. Where it did so earlier in the chat it goes on with that.
pub fn is_searched(
    wanted: ToolDiscovery,
    tools: &[OfferedTool],
    context: Option<u32>,
    earlier: &[Arc<EntryView>],
) -> bool {
    match wanted {
        ToolDiscovery::All => false,
        ToolDiscovery::Find => !tools.is_empty(),
        ToolDiscovery::Automatic => {
            let room = (context.unwrap_or(USUAL_CONTEXT) / SHARE).max(LITTLE);
            let tokens = || tools.iter().map(|tool| u64::from(tool.tool.tokens)).sum::<u64>();
            tools.len() > MANY_TOOLS || has_searched(earlier) || tokens() > u64::from(room)
        }
    }
}

fn has_searched(earlier: &[Arc<EntryView>]) -> bool {
    let found = |entry: &Arc<EntryView>| matches!(&entry.body, EntryBody::BuiltInCall(call) if call.tool == BuiltInTool::FindTools);
    earlier.iter().any(found)
}

/// The tools that were found or called in the chat, in that order.
pub fn found_tools(earlier: &[Arc<EntryView>]) -> Vec<ToolRef> {
    let mut found: Vec<ToolRef> = vec![];
    let mut known = HashSet::new();
    let mut add = |server: ServerId, tool: &str| {
        let target = ToolRef {
            server,
            tool: tool.to_owned(),
        };
        if known.insert(target.clone()) {
            found.push(target);
        }
    };
    for entry in earlier {
        match &entry.body {
            EntryBody::Call(call) => {
                if let Some(server) = call.server {
                    add(server, &call.tool);
                }
            }
            EntryBody::BuiltInCall(call) => {
                if let BuiltInOutcome::Found { tools } = &call.outcome {
                    tools.iter().for_each(|tool| add(tool.server, &tool.tool));
                }
            }
            _ => {}
        }
    }
    found
}

/// The definition of `find_tools`.
pub(crate) fn find_tools_spec() -> ToolSpec {
    ToolSpec {
        name: BuiltInTool::FindTools.name().to_owned(),
        description: "Finds tools of the connected servers by words. Say in a few words what is to be done, in English \
                      and in the user's language, and name the things and the action. The tools that fit are offered to \
                      you from the next step on, so call them then by their names. Only tools that were offered can be \
                      called. Search again with other words where none fits."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What is to be done, in a few words." },
                "server": { "type": "string", "description": "Only tools of the server with this name." },
            },
            "required": ["query"],
        }),
    }
}

/// The tools of a chat as they are found.
#[derive(Default)]
pub struct ToolDirectory {
    tools: Vec<DirectoryTool>,
    index: OnceLock<ToolIndex>,
}

/// A tool that can be found.
pub struct DirectoryTool {
    pub target: ToolRef,
    pub server_name: String,
    /// The name that a model calls it by.
    pub name: String,
    pub description: String,
    pub title: String,
    /// The names of its arguments.
    pub parameters: Vec<String>,
}

impl DirectoryTool {
    pub fn new(target: ToolRef, name: String, offered: &OfferedTool) -> Self {
        let face = offered.tool.face();
        let properties = offered.tool.tool.input_schema().get("properties");
        let names = properties.and_then(Value::as_object).into_iter().flatten();
        Self {
            target,
            name,
            server_name: offered.server.name(),
            title: face.title.unwrap_or_default(),
            description: face.description.unwrap_or_default(),
            parameters: names.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// As an entry of the chat names it.
    pub fn found(&self) -> FoundTool {
        FoundTool {
            server: self.target.server,
            server_name: self.server_name.clone(),
            tool: self.target.tool.clone(),
        }
    }

    fn text(&self) -> ToolText<'_> {
        ToolText {
            server: &self.server_name,
            name: &self.target.tool,
            title: &self.title,
            description: &self.description,
            parameters: self.parameters.iter().map(String::as_str).collect(),
        }
    }
}

impl ToolDirectory {
    pub fn add(&mut self, tool: DirectoryTool) {
        self.tools.push(tool);
    }

    /// The tools that fit, the best first; of one server where it is named. The first search builds the index.
    pub fn search(&self, query: &str, server: Option<&str>) -> Vec<&DirectoryTool> {
        let index = self
            .index
            .get_or_init(|| ToolIndex::build(self.tools.iter().map(DirectoryTool::text)));
        let is_wanted = |tool: usize| server.is_none_or(|name| self.tools[tool].server_name == name);
        let found = index.search(query, MAX_FOUND, is_wanted);
        found.into_iter().map(|tool| &self.tools[tool]).collect()
    }

    /// The names of the servers that are wanted.
    pub fn of_servers(&self, is_wanted: impl Fn(ServerId) -> bool) -> HashSet<&str> {
        let wanted = self.tools.iter().filter(|tool| is_wanted(tool.target.server));
        wanted.map(|tool| tool.server_name.as_str()).collect()
    }

    /// The servers with how many of their tools can be found, in the order of the tools.
    pub fn servers(&self) -> Vec<(&str, usize)> {
        let mut servers: Vec<(ServerId, &str, usize)> = vec![];
        for tool in &self.tools {
            match servers.last_mut().filter(|(id, _, _)| *id == tool.target.server) {
                Some((_, _, count)) => *count += 1,
                None => servers.push((tool.target.server, &tool.server_name, 1)),
            }
        }
        servers
            .into_iter()
            .map(|(_, name, count)| (name, count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;
    use vestibule_app_protocol::BuiltInCall;
    use vestibule_protocol::{ChatId, EntryId};

    fn search(server: ServerId, found: &[&str]) -> Arc<EntryView> {
        let tool = |name: &&str| FoundTool {
            server,
            server_name: "notes".into(),
            tool: (*name).to_owned(),
        };
        let body = EntryBody::BuiltInCall(BuiltInCall {
            call: "search".into(),
            tool: BuiltInTool::FindTools,
            arguments: Map::new(),
            outcome: BuiltInOutcome::Found {
                tools: found.iter().map(tool).collect(),
            },
            words: String::new(),
            imported: false,
        });
        Arc::new(EntryView {
            id: EntryId::new(),
            chat: ChatId::new(),
            position: 0,
            at_ms: 0,
            versions: None,
            body,
        })
    }

    /// What was found twice keeps its first place, so that the beginning of a request stays the same.
    #[test]
    fn what_is_found_later_is_appended() {
        let server = ServerId::new();
        let entries = [search(server, &["b", "a"]), search(server, &["c", "a", "d"])];
        let names = |entries: &[Arc<EntryView>]| -> Vec<String> {
            found_tools(entries).into_iter().map(|found| found.tool).collect()
        };
        assert_eq!(names(&entries[..1]), ["b", "a"]);
        assert_eq!(names(&entries), ["b", "a", "c", "d"]);
    }

    #[test]
    fn a_chat_that_searched_goes_on_searching_unless_the_user_wants_all() {
        let entries = [search(ServerId::new(), &["a"])];
        assert!(is_searched(ToolDiscovery::Automatic, &[], None, &entries));
        assert!(!is_searched(ToolDiscovery::Automatic, &[], None, &[]));
        assert!(!is_searched(ToolDiscovery::All, &[], None, &entries));
    }
}
