//! Reads what people paste to add servers: the configurations of other applications as JSON, TOML or YAML, their install
//! links, a command line, or an address; and the configuration files of such applications on this computer. Nothing is added, started or looked up here. What cannot be added is named with
//! the reason, and so is every member of an entry that is not taken over; permissions of other applications never are.

mod bridge;
mod command;
mod comments;
mod entry;
mod fields;
mod find;
mod format;
mod gaps;
mod inputs;
mod json;
mod link;
mod local;
mod node;
mod registry;
mod toml_text;
mod yaml;

use std::collections::BTreeMap;

use vestibule_app_protocol::{
    EnvPair, InputProblem, ParsedServer, ParsedServers, PlaceDraft, Problem, ServerDraft, SkippedServer,
};
use vestibule_policy::{VariableEffect, variable_effect};

pub use local::{AddedServer, AppFolders, AppSystem, app_configs, open_regular};

use find::Found;
use format::ConfigFormat;

/// The longest text that is read, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The most servers one text may bring.
const MOST: usize = 200;

/// Says why no server may be at an address, where none may.
pub type AddressCheck = fn(&str) -> Result<(), Problem>;

/// Reads a pasted configuration. Servers whose address `check` refuses are skipped.
///
/// # Errors
/// Where the text is in no known form or broken, holds no server, or more than a user could review.
pub fn parse(text: &str, check: AddressCheck) -> Result<ParsedServers, InputProblem> {
    if text.len() > LONGEST {
        return Err(InputProblem::ConfigTooLong {
            limit_kb: (LONGEST / 1024) as u32,
        });
    }
    add_all(&format::read(text)?, check)
}

/// Reads one description of a server in the form of the official registry (`server.json`).
///
/// # Errors
/// Where the text is broken, or describes neither a package nor an address.
pub fn parse_description(text: &str, check: AddressCheck) -> Result<ParsedServers, InputProblem> {
    let entries = registry::entries(&json::read(text)?).ok_or(InputProblem::JsonWithoutServers)?;
    let found = Found {
        entries,
        ..Found::default()
    };
    add_all(&found, check)
}

/// Reads a configuration file of another application, whose format is known.
///
/// # Errors
/// Where the text is broken, holds no server, or more than a user could review.
fn parse_file(text: &str, format: ConfigFormat, check: AddressCheck) -> Result<ParsedServers, InputProblem> {
    add_all(&format::read_as(text, format)?, check)
}

fn add_all(found: &Found, check: AddressCheck) -> Result<ParsedServers, InputProblem> {
    if found.entries.len() > MOST {
        return Err(InputProblem::ServersTooMany {
            found: u32::try_from(found.entries.len()).unwrap_or(u32::MAX),
            limit: MOST as u32,
        });
    }
    let mut parsed = ParsedServers {
        servers: vec![],
        skipped: vec![],
        omitted: found.omitted.clone(),
        effects: BTreeMap::new(),
    };
    for entry in &found.entries {
        match entry::read(entry, check) {
            Ok(server) => add(server, &mut parsed),
            Err(problem) => parsed.skipped.push(SkippedServer {
                name: entry::name(&entry.name),
                problem,
            }),
        }
    }
    Ok(parsed)
}

fn add(server: ParsedServer, parsed: &mut ParsedServers) {
    parsed.effects.extend(effects(&server.draft));
    parsed.servers.push(server);
}

/// What the variables of a server can do, by name, where that is more than being read by it.
fn effects(server: &ServerDraft) -> Vec<(String, VariableEffect)> {
    let PlaceDraft::Here(program) = &server.place else {
        return vec![];
    };
    let effect = |pair: &EnvPair| Some((pair.name.clone(), variable_effect(&pair.name)?));
    program.env.iter().filter_map(effect).collect()
}

#[cfg(test)]
mod tests;
