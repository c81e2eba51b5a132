//! The tools that a model is offered in one round. The definitions are the servers' own words, so their size is bounded,
//! singly and together, and each server gets its part of the room. A schema that providers refuse would make them refuse
//! the whole request, and with it the chat. Such tools are left out, and the chat names them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};
use vestibule_models::{ModelCall, ToolSpec};
use vestibule_protocol::{ServerId, json_length};
use vestibule_schema::Unchecked;

use super::discovery::{DirectoryTool, ToolDirectory, find_tools_spec, found_tools};
use super::read_result::{first_shortened, read_result_spec};
use super::tool_names::{ToolNames, ToolRef};
use vestibule_app_protocol::{EntryBody, EntryView, LeftOutReason, ToolLeftOut};
use vestibule_servers::OfferedTool;

/// The most bytes of all definitions of a request, about 64,000 tokens. One has at most 64 kB, where it is listed.
const MAX_DEFINITIONS: usize = 256 * 1024;
/// The most tools of servers in a request. OpenAI refuses more than 128 tools, and `read_result` is one of them.
const MAX_TOOLS: usize = 127;
/// The most tools that one entry of the chat names.
const MAX_NAMED: usize = 50;
/// Keywords that OpenAI and Anthropic refuse at the top level of a tool's schema.
const REFUSED_AT_TOP: [&str; 5] = ["allOf", "anyOf", "enum", "not", "oneOf"];

/// The tools of one round, and what their names stand for.
#[derive(Default)]
pub struct RoundTools {
    /// Also of tools that the model has to find first.
    pub names: ToolNames,
    tools: Vec<OfferedTool>,
    pub specs: Vec<ToolSpec>,
    left_out: Vec<ToolLeftOut>,
    /// Set where the model finds its tools.
    pub directory: Option<Arc<ToolDirectory>>,
}

impl RoundTools {
    /// All tools that servers offer, as far as there is room, and those that could not be read.
    pub fn all(offered: Vec<OfferedTool>, not_read: Vec<ToolLeftOut>, earlier: &[Arc<EntryView>]) -> Self {
        let candidates: Vec<OfferCandidate> = offered.iter().map(OfferCandidate::new).collect();
        let reasons = left_out(&candidates);
        let mut round = Self {
            left_out: not_read,
            ..Self::default()
        };
        for ((tool, candidate), reason) in offered.into_iter().zip(candidates).zip(reasons) {
            match reason {
                None => {
                    let name = round.names.add(&tool.server.name(), target_of(&tool));
                    round.add(name, tool, candidate);
                }
                Some(reason) => round.leave_out(tool, reason),
            }
        }
        if first_shortened(earlier).is_some() {
            round.specs.push(read_result_spec());
        }
        round
    }

    /// `find_tools`, and of the tools that servers offer those that were found; the last of these where there are more
    /// than one request takes.
    pub fn found(offered: Vec<OfferedTool>, not_read: Vec<ToolLeftOut>, earlier: &[Arc<EntryView>]) -> Self {
        let found = found_tools(earlier);
        let mut round = Self {
            left_out: not_read,
            specs: vec![find_tools_spec()],
            ..Self::default()
        };
        let wanted: HashSet<&ToolRef> = found.iter().collect();
        let mut directory = ToolDirectory::default();
        let mut usable = HashMap::new();
        for tool in offered {
            if let Some(reason) = refusal(&tool) {
                round.leave_out(tool, reason);
                continue;
            }
            let target = target_of(&tool);
            let name = round.names.add(&tool.server.name(), target.clone());
            directory.add(DirectoryTool::new(target.clone(), name.clone(), &tool));
            if wanted.contains(&target) {
                usable.insert(target, (name, tool));
            }
        }
        // `find_tools` takes a place as well.
        let mut room = (MAX_TOOLS - 1, MAX_DEFINITIONS);
        let mut last = vec![];
        for (name, tool) in found.iter().rev().filter_map(|target| usable.remove(target)) {
            let candidate = OfferCandidate::new(&tool);
            if room.0 == 0 || candidate.bytes > room.1 {
                break;
            }
            room = (room.0 - 1, room.1 - candidate.bytes);
            last.push((name, tool, candidate));
        }
        // Behind what was found before the first long result, so that what is in front of it stays.
        let mut before = first_shortened(earlier).map(|first| found_tools(&earlier[..=first]));
        for (name, tool, candidate) in last.into_iter().rev() {
            if before
                .as_ref()
                .is_some_and(|known| !known.contains(&target_of(&tool)))
            {
                round.specs.push(read_result_spec());
                before = None;
            }
            round.add(name, tool, candidate);
        }
        if before.is_some() {
            round.specs.push(read_result_spec());
        }
        round.directory = Some(Arc::new(directory));
        round
    }

    fn add(&mut self, name: String, offered: OfferedTool, candidate: OfferCandidate) {
        self.specs.push(ToolSpec {
            name,
            description: candidate.description,
            input_schema: candidate.schema,
        });
        self.tools.push(offered);
    }

    fn leave_out(&mut self, tool: OfferedTool, reason: LeftOutReason) {
        self.left_out.push(ToolLeftOut {
            server: tool.server.id(),
            server_name: tool.server.name(),
            tool: tool.tool.tool.name,
            reason,
        });
    }

    /// The tool of a server that a model means by a name, where it is on offer.
    pub fn find(&self, name: &str) -> Option<&OfferedTool> {
        let target = self.names.find(name)?;
        let is_it =
            |tool: &&OfferedTool| target.server == tool.server.id() && target.tool == tool.tool.tool.name;
        self.tools.iter().find(is_it)
    }

    /// Whether a model was offered a tool with this name, of a server or of Vestibule.
    pub fn is_offered(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// The span of one call; `server` stays empty where the model named no tool on offer.
    pub fn span(&self, call: &ModelCall) -> tracing::Span {
        let span = tracing::info_span!("call", server = tracing::field::Empty);
        if let Some(target) = self.names.find(&call.name) {
            span.record("server", tracing::field::display(target.server));
        }
        span
    }

    /// The entry that names the tools that are left out, where they are not those that the chat named last.
    pub fn new_left_out(&self, earlier: &[Arc<EntryView>]) -> Option<EntryBody> {
        let named = |entry: &&Arc<EntryView>| matches!(entry.body, EntryBody::ToolsLeftOut { .. });
        let last = earlier.iter().rev().find(named).map(|entry| &entry.body);
        let now = self.entry();
        let is_known = match last {
            Some(last) => *last == now,
            None => self.left_out.is_empty(),
        };
        (!is_known).then_some(now)
    }

    /// The entry that names the tools that are left out.
    fn entry(&self) -> EntryBody {
        let more = self.left_out.len().saturating_sub(MAX_NAMED);
        EntryBody::ToolsLeftOut {
            tools: self.left_out.iter().take(MAX_NAMED).cloned().collect(),
            more: u32::try_from(more).unwrap_or(u32::MAX),
        }
    }
}

/// A tool that may be offered.
struct OfferCandidate {
    server: ServerId,
    description: String,
    schema: Value,
    bytes: usize,
    refused: Option<LeftOutReason>,
}

impl OfferCandidate {
    fn new(offered: &OfferedTool) -> Self {
        let tool = &offered.tool.tool;
        let description = tool.description.clone().unwrap_or_default();
        let schema = schema_for_model(tool.input_schema());
        let bytes = tool.name.len() + description.len() + json_length(&schema);
        Self {
            server: offered.server.id(),
            description,
            schema,
            bytes,
            refused: refusal(offered),
        }
    }

    /// The part of the room that it takes, where a request has room for so many tools and so many bytes.
    fn cost(&self) -> usize {
        self.bytes + MAX_DEFINITIONS / MAX_TOOLS
    }
}

fn target_of(offered: &OfferedTool) -> ToolRef {
    ToolRef {
        server: offered.server.id(),
        tool: offered.tool.tool.name.clone(),
    }
}

/// Why providers would refuse a tool.
fn refusal(offered: &OfferedTool) -> Option<LeftOutReason> {
    match &offered.tool.schemas.input {
        Err(Unchecked::Invalid { detail }) => Some(LeftOutReason::InvalidSchema {
            detail: detail.clone(),
        }),
        _ => None,
    }
}

/// Why each tool is left out; `None` where it is offered. The server that has used the least of the room is next, so a
/// server with many or large definitions leaves out its own tools first.
fn left_out(candidates: &[OfferCandidate]) -> Vec<Option<LeftOutReason>> {
    let mut reasons: Vec<_> = candidates.iter().map(|tool| tool.refused.clone()).collect();
    let mut waiting: BTreeMap<ServerId, (usize, Vec<usize>)> = BTreeMap::new();
    for (index, tool) in candidates.iter().enumerate().rev() {
        if tool.refused.is_none() {
            waiting.entry(tool.server).or_default().1.push(index);
        }
    }
    let (mut bytes, mut tools) = (0, 0);
    loop {
        waiting.retain(|_, (_, indexes)| !indexes.is_empty());
        let next = waiting.values_mut().min_by_key(|(used, _)| *used);
        let Some((used, index)) = next.and_then(|(used, indexes)| Some((used, indexes.pop()?))) else {
            return reasons;
        };
        let tool = &candidates[index];
        *used += tool.cost();
        if tools < MAX_TOOLS && bytes + tool.bytes <= MAX_DEFINITIONS {
            tools += 1;
            bytes += tool.bytes;
        } else {
            reasons[index] = Some(LeftOutReason::NoRoom {
                most: u32::try_from(MAX_TOOLS).unwrap_or(u32::MAX),
                kilobytes: u32::try_from(MAX_DEFINITIONS / 1024).unwrap_or(u32::MAX),
            });
        }
    }
}

/// A schema as providers take it: of an object, with its properties, and without what they refuse at the top level. The
/// arguments are checked against the whole schema all the same.
fn schema_for_model(schema: &Value) -> Value {
    let mut members = schema.as_object().cloned().unwrap_or_default();
    members.retain(|name, _| !REFUSED_AT_TOP.contains(&name.as_str()));
    members.insert("type".into(), "object".into());
    members
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools(server: ServerId, count: usize, bytes: usize) -> Vec<OfferCandidate> {
        let tool = |_| OfferCandidate {
            server,
            description: String::new(),
            schema: Value::Null,
            bytes,
            refused: None,
        };
        (0..count).map(tool).collect()
    }

    fn offered(candidates: &[OfferCandidate], server: ServerId) -> usize {
        let reasons = left_out(candidates);
        let kept = candidates.iter().zip(&reasons);
        kept.filter(|(tool, reason)| tool.server == server && reason.is_none())
            .count()
    }

    /// M4: the other server keeps its tools, in either order of adding the two.
    #[test]
    fn a_server_with_many_definitions_leaves_out_its_own() {
        let (small, large, many) = (ServerId::new(), ServerId::new(), ServerId::new());
        let sets = [
            tools(large, 512, 64 * 1024),
            tools(many, 512, 100),
            tools(small, 20, 1000),
        ];
        let all: Vec<OfferCandidate> = sets.into_iter().flatten().collect();
        assert_eq!(offered(&all, small), 20);
        let (large, many) = (offered(&all, large), offered(&all, many));
        assert!((1..=3).contains(&large), "{large}");
        assert!((20..=106).contains(&many), "{many}");
    }

    #[test]
    fn what_fits_is_offered_whole() {
        let server = ServerId::new();
        assert_eq!(offered(&tools(server, 127, 2048), server), 127);
        assert_eq!(offered(&tools(server, 128, 10), server), 127);
        assert_eq!(offered(&[], server), 0);
    }

    #[test]
    fn a_schema_is_one_that_providers_take() {
        let properties = json!({ "a": { "anyOf": [{ "type": "string" }, { "type": "null" }] } });
        let schema = json!({ "properties": properties, "oneOf": [{ "required": ["a"] }], "$defs": {} });
        let expected = json!({ "type": "object", "properties": properties, "$defs": {} });
        assert_eq!(schema_for_model(&schema), expected);
        let empty = json!({ "type": "object", "properties": {} });
        assert_eq!(schema_for_model(&json!({})), empty);
    }
}
