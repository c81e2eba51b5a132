//! Reads what people paste to add servers: `mcpServers` as most hosts write it, VS Code's `servers`, a single
//! server, started here or reached at an address, or the inside of either without its braces. Comments and trailing commas are accepted, since VS Code
//! writes them. Nothing is added or started here, and what cannot be added is named with the reason.

mod comments;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use vestibule_policy::{VariableEffect, variable_effect};
use vestibule_protocol::{EraChoice, TransportChoice};

use self::comments::without_comments;
use crate::config::connection;
use vestibule_app_protocol::{
    EndpointDraft, EnvPair, InputProblem, ParsedServers, PlaceDraft, Problem, ProgramDraft, ServerDraft,
    SkippedServer,
};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The members that hold an address, and what their name says of the transport.
const ADDRESSES: [(&str, TransportChoice); 4] = [
    ("url", TransportChoice::Auto),
    ("serverUrl", TransportChoice::Auto),
    ("httpUrl", TransportChoice::Streamable),
    ("sseUrl", TransportChoice::Sse),
];
/// The most servers one text may bring.
const MOST: usize = 200;

/// Reads a pasted configuration.
///
/// # Errors
/// Where the text is not JSON, or holds no server.
pub fn parse(text: &str) -> Result<ParsedServers, InputProblem> {
    let mut parsed = ParsedServers {
        servers: vec![],
        skipped: vec![],
        effects: BTreeMap::new(),
    };
    for (name, entry) in entries(text)?.into_iter().take(MOST) {
        match draft(&name, &entry) {
            Ok(server) => {
                parsed.effects.extend(effects(&server));
                parsed.servers.push(server);
            }
            Err(problem) => parsed.skipped.push(SkippedServer { name, problem }),
        }
    }
    Ok(parsed)
}

/// The servers in a text, by name, each as it is written.
fn entries(text: &str) -> Result<Vec<(String, Value)>, InputProblem> {
    if text.len() > LONGEST {
        return Err(InputProblem::TooLong {
            limit_kb: (LONGEST / 1024) as u32,
        });
    }
    let plain = without_comments(text.trim_start_matches('\u{feff}'));
    let value = parse_json(&plain)?;
    find(&value).ok_or(InputProblem::JsonWithoutServers)
}

/// What the variables of a server can do, by name, where that is more than being read by it.
fn effects(server: &ServerDraft) -> Vec<(String, VariableEffect)> {
    let PlaceDraft::Here(program) = &server.place else {
        return vec![];
    };
    let effect = |pair: &EnvPair| Some((pair.name.clone(), variable_effect(&pair.name)?));
    program.env.iter().filter_map(effect).collect()
}

/// The text as JSON; text without its outer braces is tried with them.
fn parse_json(plain: &str) -> Result<Value, InputProblem> {
    let error = match serde_json::from_str(plain) {
        Ok(value @ Value::Object(_)) => return Ok(value),
        Ok(_) => return Err(InputProblem::JsonWithoutServers),
        Err(error) => error,
    };
    if plain.trim_start().starts_with('"')
        && let Ok(value) = serde_json::from_str(&format!("{{{plain}}}"))
    {
        return Ok(value);
    }
    Err(InputProblem::JsonBroken {
        line: u32::try_from(error.line()).unwrap_or(u32::MAX),
        column: u32::try_from(error.column()).unwrap_or(u32::MAX),
        detail: reason(&error),
    })
}

/// The parser's own words without its "at line … column …", which is shown beside the text.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}

/// The servers by name, wherever this kind of file keeps them.
fn find(value: &Value) -> Option<Vec<(String, Value)>> {
    let object = value.as_object()?;
    let homes = [
        object.get("mcpServers"),
        object.get("servers"),
        object.get("mcp").and_then(|mcp| mcp.get("servers")),
        object.get("mcp").and_then(|mcp| mcp.get("mcpServers")),
        object.get("context_servers"),
    ];
    let named = |servers: &Map<String, Value>| servers.clone().into_iter().collect();
    if let Some(servers) = homes.into_iter().flatten().find_map(Value::as_object) {
        return Some(named(servers));
    }
    if is_server(object) {
        let name = object.get("name").and_then(Value::as_str).unwrap_or("server");
        return Some(vec![(name.to_owned(), value.clone())]);
    }
    let all_servers = !object.is_empty() && object.values().all(|v| v.as_object().is_some_and(is_server));
    all_servers.then(|| named(object))
}

fn is_server(object: &Map<String, Value>) -> bool {
    object.contains_key("command") || ADDRESSES.iter().any(|(member, _)| object.contains_key(*member))
}

fn draft(name: &str, entry: &Value) -> Result<ServerDraft, Problem> {
    let entry = entry
        .as_object()
        .ok_or_else(|| unreadable("it is not an object"))?;
    let place = match endpoint(entry)? {
        Some(endpoint) => PlaceDraft::Address(endpoint),
        None => PlaceDraft::Here(program(entry)?),
    };
    Ok(ServerDraft {
        name: name.to_owned(),
        place,
        era: EraChoice::Auto,
    })
}

fn program(entry: &Map<String, Value>) -> Result<ProgramDraft, Problem> {
    let (command, mut args) = command(entry)?;
    args.extend(strings(entry.get("args"), "args")?);
    let folder = entry.get("cwd").and_then(Value::as_str).map(str::to_owned);
    Ok(ProgramDraft {
        command,
        args,
        env: pairs(entry.get("env"), "env")?,
        folder,
    })
}

/// The command, and the arguments that stand beside it.
fn command(entry: &Map<String, Value>) -> Result<(String, Vec<String>), Problem> {
    match entry.get("command") {
        Some(Value::String(command)) => Ok((command.clone(), vec![])),
        // Zed keeps the whole command in an object.
        Some(Value::Object(inner)) => {
            let path = inner
                .get("path")
                .and_then(Value::as_str)
                .ok_or(InputProblem::CommandMissing)?;
            Ok((path.to_owned(), strings(inner.get("args"), "args")?))
        }
        _ => Err(InputProblem::CommandMissing.into()),
    }
}

/// The server's address, where the entry has one.
fn endpoint(entry: &Map<String, Value>) -> Result<Option<EndpointDraft>, Problem> {
    let found = ADDRESSES
        .iter()
        .find_map(|(member, transport)| Some((entry.get(*member)?, *transport)));
    let Some((url, implied)) = found else {
        return Ok(None);
    };
    let url = url
        .as_str()
        .ok_or_else(|| unreadable("its address is not text"))?;
    connection::address(url)?;
    let kind = entry
        .get("type")
        .or_else(|| entry.get("transport"))
        .and_then(Value::as_str);
    Ok(Some(EndpointDraft {
        url: url.trim().to_owned(),
        transport: kind.map_or(implied, transport),
        headers: pairs(
            entry.get("headers").or_else(|| entry.get("http_headers")),
            "headers",
        )?,
    }))
}

/// The many spellings of the two transports. "http" was written before there were two, so it is found out.
fn transport(kind: &str) -> TransportChoice {
    let plain: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_lowercase().as_str() {
        "sse" => TransportChoice::Sse,
        "streamable" | "streamablehttp" | "httpstream" => TransportChoice::Streamable,
        _ => TransportChoice::Auto,
    }
}

fn strings(value: Option<&Value>, member: &str) -> Result<Vec<String>, InputProblem> {
    match value {
        None | Some(Value::Null) => Ok(vec![]),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| scalar(item).ok_or_else(|| unreadable(&format!("{member} holds more than text"))))
            .collect(),
        Some(_) => Err(unreadable(&format!("{member} is not a list"))),
    }
}

fn pairs(value: Option<&Value>, member: &str) -> Result<Vec<EnvPair>, InputProblem> {
    match value {
        None | Some(Value::Null) => Ok(vec![]),
        Some(Value::Object(members)) => members
            .iter()
            .map(|(name, value)| pair(name, value, member))
            .collect(),
        Some(_) => Err(unreadable(&format!("{member} is not an object"))),
    }
}

fn pair(name: &str, value: &Value, member: &str) -> Result<EnvPair, InputProblem> {
    let value = scalar(value).ok_or_else(|| unreadable(&format!("{member}.{name} is not text")))?;
    // `${input:…}` asks for the value when it is needed: it is entered here instead.
    let value = if value.contains("${input:") {
        String::new()
    } else {
        value
    };
    Ok(EnvPair {
        name: name.to_owned(),
        pasted: !value.is_empty(),
        value,
    })
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn unreadable(detail: &str) -> InputProblem {
    InputProblem::EntryUnreadable {
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests;
