//! The names that applications give to the members of a server's entry, and why some are not taken over.

use vestibule_app_protocol::{InputProblem, OmitReason, Omitted};
use vestibule_protocol::TransportChoice;

use super::node::Node;

pub(super) const COMMANDS: [&str; 2] = ["command", "cmd"];
pub(super) const ARGUMENTS: [&str; 2] = ["args", "arguments"];
pub(super) const VARIABLES: [&str; 3] = ["env", "envs", "environment"];
pub(super) const FOLDERS: [&str; 3] = ["cwd", "working_directory", "workingDirectory"];
pub(super) const HEADERS: [&str; 2] = ["headers", "http_headers"];
/// The members that hold an address, and what their name says of the transport. Gemini lets `httpUrl` win.
pub(super) const ADDRESSES: [(&str, TransportChoice); 6] = [
    ("httpUrl", TransportChoice::Streamable),
    ("url", TransportChoice::Auto),
    ("serverUrl", TransportChoice::Auto),
    ("sseUrl", TransportChoice::Sse),
    ("uri", TransportChoice::Auto),
    ("baseUrl", TransportChoice::Auto),
];
/// Members that say which server this is, or are read together with another one.
const READ: [&str; 13] = [
    "type",
    "transport",
    "transportType",
    "name",
    "id",
    "inputs",
    "env_keys",
    "env_vars",
    "bearer_token_env_var",
    "env_http_headers",
    "apiKey",
    "requestOptions",
    "source",
];
/// What a word that belongs to no option is called among what is not taken over. Its text may be a secret.
pub(super) const PLAIN_WORD: &str = "argument";
/// The most members an entry may have beside those that are read.
const MOST_OMITTED: usize = 64;

/// Every name that a program, its arguments, variables and folder can have.
pub(super) fn program() -> Vec<&'static str> {
    [&COMMANDS[..], &ARGUMENTS, &VARIABLES, &FOLDERS].concat()
}

/// Whether a map is the entry of a server.
pub(super) fn is_server(node: &Node) -> bool {
    let has_place = |node: &Node| {
        COMMANDS.iter().any(|name| node.has(name)) || ADDRESSES.iter().any(|(name, _)| node.has(name))
    };
    has_place(node) || node.get("transport").is_some_and(has_place)
}

/// Adds a name to those that are not taken over for a reason.
pub(super) fn note(omitted: &mut Vec<Omitted>, reason: OmitReason, name: String) {
    match omitted.iter_mut().find(|known| known.reason == reason) {
        Some(known) if known.names.contains(&name) => {}
        Some(known) => known.names.push(name),
        None => omitted.push(Omitted {
            reason,
            names: vec![name],
        }),
    }
}

/// Notes every member of an entry that is not taken over.
///
/// # Errors
/// When there are more than a user could read.
pub(super) fn omit(entry: &Node, used: &[&str], omitted: &mut Vec<Omitted>) -> Result<(), InputProblem> {
    let is_read = |name: &str, value: &Node| {
        *value == Node::Null || used.contains(&name) || READ.contains(&name) || is_neutral(name, value)
    };
    let members = entry.as_map().unwrap_or_default().iter();
    let unread: Vec<_> = members.filter(|(name, value)| !is_read(name, value)).collect();
    let options = entry.get("requestOptions").and_then(Node::as_map);
    let options = options.unwrap_or_default().iter();
    let options: Vec<_> = options.filter(|(name, _)| name != "headers").collect();
    let noted: usize = omitted.iter().map(|group| group.names.len()).sum();
    let count = noted + unread.len() + options.len();
    if count > MOST_OMITTED {
        return Err(InputProblem::EntryUnreadable {
            detail: format!("it has {count} members that are not known here"),
        });
    }
    for (name, value) in unread {
        note(omitted, reason(name, value), name.clone());
    }
    for (name, _) in options {
        note(omitted, OmitReason::Other, format!("requestOptions.{name}"));
    }
    Ok(())
}

/// Whether an entry is switched off where it comes from.
pub(super) fn is_off(entry: &Node) -> bool {
    let members = entry.as_map().unwrap_or_default().iter();
    members
        .into_iter()
        .any(|(name, value)| is_switch(name) && !is_neutral(name, value))
}

fn is_switch(name: &str) -> bool {
    ["disabled", "enabled", "active", "isActive"].contains(&name)
}

/// Whether a member says only what is so here anyway: switched on, nothing allowed, an empty list.
fn is_neutral(name: &str, value: &Node) -> bool {
    match value {
        Node::Bool(on) if name == "disabled" => !on,
        Node::Bool(on) if is_switch(name) => *on,
        Node::Bool(on) if name == "trust" || name == "sandboxEnabled" => !on,
        Node::Text(text) => text.is_empty(),
        Node::List(items) => items.is_empty(),
        Node::Map(members) => members.is_empty(),
        _ => is_switch(name),
    }
}

fn reason(name: &str, value: &Node) -> OmitReason {
    match name {
        "alwaysAllow"
        | "autoApprove"
        | "autoApproved"
        | "trust"
        | "sandboxEnabled"
        | "default_tools_approval_mode"
        | "allowedTools"
        | "disabledAutoApproveTools"
        | "permission"
        | "permissions" => OmitReason::Permission,
        "tools" if value.as_map().is_some() => OmitReason::Permission,
        "tools" | "disabledTools" | "disabled_tools" | "excludeTools" | "includeTools" | "enabled_tools"
        | "available_tools" => OmitReason::ToolChoice,
        "sandbox" => OmitReason::Sandbox,
        "headersHelper" => OmitReason::Program,
        "envFile" | "env_file" => OmitReason::File,
        "disabled" | "enabled" | "active" | "isActive" => OmitReason::SwitchedOff,
        name if is_sign_in(name) => OmitReason::SignIn,
        _ => OmitReason::Other,
    }
}

/// Whether a member, or an option of a command line, is a setting of a sign-in.
fn is_sign_in(name: &str) -> bool {
    let known = [
        "auth",
        "scopes",
        "authProviderType",
        "bearer_token",
        "client-id",
        "client-secret",
        "callback-port",
    ];
    let name = name.trim_start_matches('-');
    name.to_ascii_lowercase().starts_with("oauth") || known.contains(&name)
}

/// The many spellings of the two transports. "http" was written before there were two, so it is found out.
pub(super) fn transport(kind: &str) -> TransportChoice {
    match plain(kind).as_str() {
        "sse" => TransportChoice::Sse,
        "streamable" | "streamablehttp" | "httpstream" => TransportChoice::Streamable,
        _ => TransportChoice::Auto,
    }
}

/// What an entry says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Program,
    Address,
    Unsaid,
}

/// What an entry says it is, from the member that says so.
///
/// # Errors
/// When it is neither a program nor an address.
pub(super) fn kind(entry: &Node) -> Result<Kind, InputProblem> {
    let Some(written) = kind_text(entry) else {
        return Ok(Kind::Unsaid);
    };
    match plain(written).as_str() {
        "stdio" | "local" | "command" => Ok(Kind::Program),
        "http" | "https" | "sse" | "remote" | "streamable" | "streamablehttp" | "httpstream" | "httpsse" => {
            Ok(Kind::Address)
        }
        _ => Err(InputProblem::EntryForeign {
            kind: written.chars().take(80).collect(),
        }),
    }
}

/// The text that names the kind or the transport.
pub(super) fn kind_text(entry: &Node) -> Option<&str> {
    let names = ["type", "transport", "transportType"];
    names
        .iter()
        .find_map(|name| entry.get_text(name))
        .filter(|text| !text.is_empty())
}

fn plain(kind: &str) -> String {
    let letters = kind.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}
