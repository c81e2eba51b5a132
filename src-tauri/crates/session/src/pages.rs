//! Listing what a server offers. A listing is read to its end, but it is the server that says where the end
//! is; therefore pages, entries and bytes are counted, a cursor that comes twice or is too long ends the listing, and
//! what was left out is said. An entry that is broken costs itself and not the others.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use vestibule_protocol::json::{RawJson, ScanError, Scanner};
use vestibule_protocol::jsonrpc::{INVALID_PARAMS, RpcResultBuf};
use vestibule_protocol::mcp::{CacheHint, Prompt, Resource, ResourceTemplate, Tool};
use vestibule_protocol::modern::BrokenResult;
use vestibule_protocol::task::Task;

use crate::ask::{CallAnswer, RequestSpec};
use crate::error::CallError;
use crate::link::Link;
use crate::options::SessionLimits;

/// How much of a broken entry's name is repeated.
const MAX_NAME_CHARS: usize = 80;
/// How many broken entries are named.
const MAX_DROPPED: usize = 512;
/// The longest cursor that is kept and sent back, in bytes.
const MAX_CURSOR_BYTES: usize = 64 * 1024;

/// What a server lists of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    /// The usable entries, in the server's order, each name or address once.
    pub items: Vec<T>,
    /// Those that cannot be used.
    pub dropped: Vec<Dropped>,
    /// Why the list is not complete, if it is not.
    pub truncated: Option<String>,
    /// How long all of it may be kept and for whom.
    pub cache: CacheHint,
}

impl<T> Listing<T> {
    /// A list without an entry, as of a server that has none.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            items: Vec::new(),
            dropped: Vec::new(),
            truncated: None,
            cache: CacheHint::default(),
        }
    }
}

/// A listed entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its name or address as far as it could be read, made printable and cut; empty if it has none.
    pub name: String,
    /// Why, in our words.
    pub reason: String,
}

/// An entry as it stands in its page, and as what it is, or why it cannot be used.
type ListedEntry<'a, T> = (RawJson<'a>, Result<T, String>);

/// Something a server lists.
pub(crate) trait Entry: Sized {
    /// The method that lists it.
    const METHOD: &'static str;
    /// The member of a page that holds it.
    const MEMBER: &'static str;
    /// The member of an entry that tells it from others.
    const KEY: &'static str;
    /// What several of it are called.
    const NOUN: &'static str;

    /// Reads the next entry of a page.
    fn read_next<'a>(scanner: &mut Scanner<'a>) -> Result<ListedEntry<'a, Self>, ScanError>;
    fn key(&self) -> &str;
    /// How many are kept, and how many bytes one may have.
    fn limits(limits: &SessionLimits) -> (usize, usize);
}

macro_rules! entry {
    ($kind:ty, $method:literal, $member:literal, $key:literal, $noun:literal, $count:ident, $bytes:ident,
     $key_of:expr, $read:expr) => {
        impl Entry for $kind {
            const METHOD: &'static str = $method;
            const MEMBER: &'static str = $member;
            const KEY: &'static str = $key;
            const NOUN: &'static str = $noun;

            fn read_next<'a>(scanner: &mut Scanner<'a>) -> Result<ListedEntry<'a, Self>, ScanError> {
                $read(scanner)
            }

            fn key(&self) -> &str {
                let key: fn(&Self) -> &str = $key_of;
                key(self)
            }

            fn limits(limits: &SessionLimits) -> (usize, usize) {
                (limits.$count, limits.$bytes)
            }
        }
    };
}

entry!(
    Tool,
    "tools/list",
    "tools",
    "name",
    "tools",
    tools,
    tool_bytes,
    |tool| &tool.name,
    |scanner| {
        let (raw, tool) = Tool::read_next(scanner)?;
        Ok((raw, tool.map_err(|error| error.0)))
    }
);
entry!(
    Prompt,
    "prompts/list",
    "prompts",
    "name",
    "prompts",
    entries,
    entry_bytes,
    |prompt| &prompt.name,
    |scanner| entry_of_tree(scanner, |tree| Prompt::read(&tree).map_err(|error| error.0))
);
entry!(
    Resource,
    "resources/list",
    "resources",
    "uri",
    "resources",
    entries,
    entry_bytes,
    |resource| &resource.uri,
    |scanner| entry_of_tree(scanner, |tree| Resource::read(&tree).map_err(|error| error.0))
);
entry!(
    ResourceTemplate,
    "resources/templates/list",
    "resourceTemplates",
    "uriTemplate",
    "templates",
    entries,
    entry_bytes,
    |template| &template.uri_template,
    |scanner| entry_of_tree(scanner, |tree| ResourceTemplate::read(&tree)
        .map_err(|error| error.0))
);

entry!(
    Task,
    "tasks/list",
    "tasks",
    "taskId",
    "tasks",
    entries,
    entry_bytes,
    |task| task.id.reveal(),
    |scanner| entry_of_tree(scanner, |tree| Task::deserialize(tree)
        .map_err(|error| error.to_string()))
);

#[derive(Serialize)]
struct PageParams<'a> {
    cursor: &'a str,
}

pub(crate) async fn list<T: Entry>(link: &Link) -> Result<Listing<T>, CallError> {
    match read_pages(link).await {
        // A server that forgot its own cursor gets a second chance from the first page.
        Err((pages, CallError::Rpc(error))) if pages > 0 && error.code == INVALID_PARAMS => {
            read_pages(link).await.map_err(|(_, error)| error)
        }
        outcome => outcome.map_err(|(_, error)| error),
    }
}

/// The list, or the error with the number of pages read before it.
async fn read_pages<T: Entry>(link: &Link) -> Result<Listing<T>, (usize, CallError)> {
    let mut reading = PageReader::new(&link.options.limits);
    let mut cursor: Option<String> = None;
    let mut pages = 0;
    loop {
        let answer = ask_page::<T>(link, cursor.as_deref()).await;
        let answer = answer.map_err(|error| (pages, error))?;
        let next = reading
            .add_page(&answer.result)
            .map_err(|error| (pages, CallError::Malformed(error.0)))?;
        reading.listing.cache = match pages {
            0 => answer.cache,
            _ => reading.listing.cache.and(answer.cache),
        };
        pages += 1;
        match next {
            Some(next) if reading.wants_more(&next, pages) => cursor = Some(next),
            _ => return Ok(reading.listing),
        }
    }
}

async fn ask_page<T: Entry>(link: &Link, cursor: Option<&str>) -> Result<CallAnswer, CallError> {
    let params = cursor.map(|cursor| PageParams { cursor });
    link.ask(&RequestSpec::plain(T::METHOD), params.as_ref()).await
}

fn entry_of_tree<'a, T>(
    scanner: &mut Scanner<'a>,
    read: impl FnOnce(Value) -> Result<T, String>,
) -> Result<ListedEntry<'a, T>, ScanError> {
    let raw = scanner.value()?;
    let tree = raw
        .read()
        .map_err(|error| format!("its definition cannot be read: {error}"));
    Ok((raw, tree.and_then(read)))
}

struct PageReader<'a, T> {
    limits: &'a SessionLimits,
    listing: Listing<T>,
    keys: HashSet<String>,
    cursors: HashSet<String>,
    bytes: usize,
    full: bool,
}

impl<'a, T: Entry> PageReader<'a, T> {
    fn new(limits: &'a SessionLimits) -> Self {
        Self {
            limits,
            listing: Listing::empty(),
            keys: HashSet::new(),
            cursors: HashSet::new(),
            bytes: 0,
            full: false,
        }
    }

    /// Adds the entries of a page, in one go, for a page can be long. Returns where to go on; an empty text is a cursor like any
    /// other.
    fn add_page(&mut self, page: &RpcResultBuf) -> Result<Option<String>, BrokenResult> {
        let mut left_out = None;
        let mut next = None;
        Scanner::new(page.raw().get()).object::<BrokenResult>(|scanner, name| {
            if name == T::MEMBER {
                if left_out.replace(self.add_entries(scanner)?).is_some() {
                    return Err(BrokenResult(format!("the list has {:?} twice", T::MEMBER)));
                }
                return Ok(());
            }
            let value = scanner.value()?;
            if name == "nextCursor" {
                next = value.read()?;
            }
            Ok(())
        })?;
        match left_out {
            None => Err(BrokenResult(format!("the list has no {:?}", T::MEMBER))),
            Some(0) => Ok(next),
            Some(count) => {
                self.leave_out(count);
                Ok(next)
            }
        }
    }

    /// Adds entries while there is room, and counts the others.
    fn add_entries(&mut self, scanner: &mut Scanner<'_>) -> Result<usize, ScanError> {
        let (most, _) = T::limits(self.limits);
        let mut left_out = 0;
        scanner.array::<ScanError>(|scanner| {
            if left_out > 0 || self.listing.items.len() == most {
                left_out += 1;
                return scanner.value().map(drop);
            }
            let (raw, entry) = T::read_next(scanner)?;
            self.bytes = self.bytes.saturating_add(raw.get().len());
            if self.bytes > self.limits.listing_bytes {
                left_out = 1;
                return Ok(());
            }
            if let Err(dropped) = self.add_one(raw, entry)
                && self.listing.dropped.len() < MAX_DROPPED
            {
                self.listing.dropped.push(dropped);
            }
            Ok(())
        })?;
        Ok(left_out)
    }

    /// Ends the list before the last entries of a page.
    fn leave_out(&mut self, left_out: usize) {
        self.full = true;
        let kept = self.listing.items.len();
        self.truncate(format!(
            "only the first {kept} {} were kept; at least {left_out} more were left out",
            T::NOUN
        ));
    }

    fn add_one(&mut self, raw: RawJson<'_>, entry: Result<T, String>) -> Result<(), Dropped> {
        let (_, limit) = T::limits(self.limits);
        if raw.get().len() > limit {
            let reason = format!(
                "its definition has {} bytes, at most {limit} are read",
                raw.get().len()
            );
            return Err(Dropped::new(&key_of::<T>(raw), reason));
        }
        let entry = entry.map_err(|reason| Dropped::new(&key_of::<T>(raw), reason))?;
        if !self.keys.insert(entry.key().to_owned()) {
            let reason = format!("another of the {} has the same {}", T::NOUN, T::KEY);
            return Err(Dropped::new(entry.key(), reason));
        }
        self.listing.items.push(entry);
        Ok(())
    }

    fn wants_more(&mut self, cursor: &str, pages: usize) -> bool {
        if self.full {
            return false;
        }
        // Every cursor is kept until the listing ends.
        if cursor.len() > MAX_CURSOR_BYTES {
            self.truncate(format!(
                "the server's cursor for the next page has {} bytes, at most {MAX_CURSOR_BYTES} are sent back; \
                 listing stopped",
                cursor.len()
            ));
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
        self.listing.truncated = Some(why);
    }
}

impl Dropped {
    pub(crate) fn new(name: &str, reason: String) -> Self {
        let name = name
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_NAME_CHARS)
            .collect();
        Self { name, reason }
    }
}

fn key_of<T: Entry>(raw: RawJson<'_>) -> String {
    let members: Option<BTreeMap<Cow<'_, str>, &RawValue>> = raw.read().ok();
    let key = members.and_then(|members| serde_json::from_str(members.get(T::KEY)?.get()).ok());
    key.unwrap_or_default()
}
