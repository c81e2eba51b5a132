//! Listing a server's tools. A listing is read to its end, but it is the server that says where the end is;
//! therefore pages, tools and bytes are counted, a cursor that comes twice ends the listing, and what was
//! left out is said. A definition that is broken costs its own tool and not the others.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use vestibule_protocol::jsonrpc::INVALID_PARAMS;
use vestibule_protocol::mcp::Tool;

use crate::error::CallError;
use crate::handle::{Link, read};
use crate::options::Limits;

/// How much of a broken tool's name is repeated.
const MAX_NAME_CHARS: usize = 80;
/// How many broken tools are named.
const MAX_DROPPED: usize = 512;

/// What a server lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList {
    /// The usable tools, in the server's order, each name once.
    pub tools: Vec<Tool>,
    /// Those that can not be used.
    pub dropped: Vec<DroppedTool>,
    /// Why the list is not complete, if it is not.
    pub truncated: Option<String>,
}

/// A listed tool that can not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedTool {
    /// Its name as far as it could be read, made printable and cut; empty if it has none.
    pub name: String,
    /// Why, in our words.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    tools: Vec<Box<RawValue>>,
    /// An empty text is a cursor like any other.
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct PageParams<'a> {
    cursor: &'a str,
}

pub(crate) async fn list(link: &Link) -> Result<ToolList, CallError> {
    match read_pages(link).await {
        // A server that forgot its own cursor gets a second chance from the first page.
        Err((pages, CallError::Rpc(error))) if pages > 0 && error.code == INVALID_PARAMS => {
            read_pages(link).await.map_err(|(_, error)| error)
        }
        outcome => outcome.map_err(|(_, error)| error),
    }
}

/// The list, or the error with the number of pages read before it.
async fn read_pages(link: &Link) -> Result<ToolList, (usize, CallError)> {
    let mut listing = Listing::new(&link.options.limits);
    let mut cursor: Option<String> = None;
    let mut pages = 0;
    loop {
        let params = cursor.as_deref().map(|cursor| PageParams { cursor });
        let answer = link
            .ask("tools/list", params.as_ref())
            .await
            .map_err(|error| (pages, error))?;
        let page: Page = read(&answer).map_err(|error| (pages, error))?;
        pages += 1;
        listing.add(page.tools);
        match page.next_cursor {
            Some(next) if listing.wants_more(&next, pages) => cursor = Some(next),
            _ => return Ok(listing.list),
        }
    }
}

struct Listing<'a> {
    limits: &'a Limits,
    list: ToolList,
    names: HashSet<String>,
    cursors: HashSet<String>,
    bytes: usize,
    full: bool,
}

impl<'a> Listing<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            list: ToolList::default(),
            names: HashSet::new(),
            cursors: HashSet::new(),
            bytes: 0,
            full: false,
        }
    }

    fn add(&mut self, definitions: Vec<Box<RawValue>>) {
        let count = definitions.len();
        for (index, raw) in definitions.into_iter().enumerate() {
            self.bytes = self.bytes.saturating_add(raw.get().len());
            if self.list.tools.len() == self.limits.tools || self.bytes > self.limits.listing_bytes {
                self.full = true;
                let kept = self.list.tools.len();
                let left_out = count - index;
                self.truncate(format!(
                    "only the first {kept} tools were kept; at least {left_out} more were left out"
                ));
                return;
            }
            if let Err(dropped) = self.add_one(&raw)
                && self.list.dropped.len() < MAX_DROPPED
            {
                self.list.dropped.push(dropped);
            }
        }
    }

    fn add_one(&mut self, raw: &RawValue) -> Result<(), DroppedTool> {
        let limit = self.limits.tool_bytes;
        if raw.get().len() > limit {
            let reason = format!(
                "its definition has {} bytes, at most {limit} are read",
                raw.get().len()
            );
            return Err(dropped(&name_of(raw), reason));
        }
        let definition = serde_json::from_str(raw.get())
            .map_err(|error| dropped("", format!("its definition can not be read: {error}")))?;
        let tool = Tool::read(definition).map_err(|error| dropped(&name_of(raw), error.0))?;
        if !self.names.insert(tool.name.clone()) {
            return Err(dropped(&tool.name, "another tool has the same name".to_owned()));
        }
        self.list.tools.push(tool);
        Ok(())
    }

    fn wants_more(&mut self, cursor: &str, pages: usize) -> bool {
        if self.full {
            return false;
        }
        if !self.cursors.insert(cursor.to_owned()) {
            self.truncate("the server's pages go round in a circle; listing stopped".to_owned());
            return false;
        }
        if pages >= self.limits.pages {
            self.truncate(format!("the server has more than {pages} pages; listing stopped"));
            return false;
        }
        true
    }

    fn truncate(&mut self, why: String) {
        self.list.truncated = Some(why);
    }
}

fn dropped(name: &str, reason: String) -> DroppedTool {
    let name = name
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect();
    DroppedTool { name, reason }
}

fn name_of(raw: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        name: String,
    }
    serde_json::from_str::<Named>(raw.get())
        .map(|named| named.name)
        .unwrap_or_default()
}
