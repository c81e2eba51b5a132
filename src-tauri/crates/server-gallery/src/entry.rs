//! One entry of a registry's list: what it says of itself, its status, and what can be added of it.

use std::collections::BTreeMap;

use serde_json::Value;
use vestibule_app_protocol::{GalleryEntry, ParsedServers};
use vestibule_config_import::{AddressCheck, parse_description};

use crate::package;
use crate::publisher::{self, is_name};
use crate::text::{bounded, member};

/// Where the registry keeps what it says itself of an entry.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// The longest description of one server, in bytes.
const LARGEST: usize = 128 * 1024;
const LONGEST_VERSION: usize = 255;
const LONGEST_TITLE: usize = 120;
const LONGEST_DESCRIPTION: usize = 600;
const LONGEST_ADDRESS: usize = 300;

/// Why an entry is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryFault {
    Deleted,
    Older,
    Unreadable,
}

/// Reads one entry of a list.
///
/// # Errors
/// Why it is not shown.
pub(crate) fn read(item: &Value, check: AddressCheck) -> Result<GalleryEntry, EntryFault> {
    let server = item
        .get("server")
        .filter(|server| server.is_object())
        .ok_or(EntryFault::Unreadable)?;
    let about = &item["_meta"][OFFICIAL];
    let status = member(about, &["status"]).or(member(server, &["status"]));
    if status == Some("deleted") {
        return Err(EntryFault::Deleted);
    }
    if about["isLatest"] == Value::Bool(false) {
        return Err(EntryFault::Older);
    }
    let text = |names: &[&str], most| member(server, names).map(|text| bounded(text, most));
    let name = member(server, &["name"]).filter(|name| is_name(name));
    let version = member(server, &["version"]).filter(|version| version.len() <= LONGEST_VERSION);
    let (Some(name), Some(version)) = (name, version) else {
        return Err(EntryFault::Unreadable);
    };
    if server.to_string().len() > LARGEST {
        return Err(EntryFault::Unreadable);
    }
    Ok(GalleryEntry {
        name: name.to_owned(),
        version: version.to_owned(),
        title: text(&["title"], LONGEST_TITLE),
        description: text(&["description"], LONGEST_DESCRIPTION).unwrap_or_default(),
        publisher: publisher::of(name),
        deprecated: status == Some("deprecated"),
        status_message: member(about, &["statusMessage"]).map(|text| bounded(text, LONGEST_DESCRIPTION)),
        repository: member(&server["repository"], &["url"]).map(|url| bounded(url, LONGEST_ADDRESS)),
        website: text(&["websiteUrl", "website_url"], LONGEST_ADDRESS),
        packages: package::all(server),
        servers: servers(server, check),
    })
}

/// What can be added of a description. Packages that would not run exactly what is described are skipped.
fn servers(server: &Value, check: AddressCheck) -> ParsedServers {
    let (fit, unfit) = package::fit(server);
    let nothing = || ParsedServers {
        servers: vec![],
        skipped: vec![],
        omitted: vec![],
        effects: BTreeMap::new(),
    };
    let mut parsed = parse_description(&fit.to_string(), check).unwrap_or_else(|_| nothing());
    parsed.skipped.extend(unfit);
    // The first one may have been skipped.
    let mut chosen = parsed.servers.iter().map(|server| server.chosen);
    if !chosen.any(|chosen| chosen)
        && let Some(first) = parsed.servers.first_mut()
    {
        first.chosen = true;
    }
    parsed
}
