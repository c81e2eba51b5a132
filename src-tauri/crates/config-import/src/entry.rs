//! One entry of a configuration, in the words of whichever application wrote it, as a server that can be added.

use vestibule_app_protocol::{
    EndpointDraft, EnvPair, InputProblem, OmitReason, Omitted, ParsedServer, PlaceDraft, Problem,
    ProgramDraft, ServerDraft,
};
use vestibule_protocol::{EraChoice, TransportChoice};

use super::bridge;
use super::fields::{self, Kind};
use super::find::FoundServer;
use super::gaps::{Gaps, TextPlace};
use super::node::Node;
use crate::AddressCheck;

/// The longest name of a server, in characters.
const NAME: usize = 64;
/// The most variables or headers of one member of an entry.
const MOST_PAIRS: usize = 200;

/// A program as it is written, placeholders included.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenProgram {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) folder: Option<String>,
}

/// An address as it is written, placeholders included.
#[derive(Clone, Debug, Default)]
pub(super) struct WrittenAddress {
    pub(super) url: String,
    pub(super) transport: TransportChoice,
    pub(super) headers: Vec<(String, String)>,
}

enum WrittenServer {
    Here(WrittenProgram),
    Address(WrittenAddress),
}

/// Makes a draft of an entry, with what is left open and what is not taken over.
///
/// # Errors
/// The reason why the entry cannot be added.
pub(super) fn read(entry: &FoundServer, check_address: AddressCheck) -> Result<ParsedServer, Problem> {
    if let Some(fault) = entry.fault {
        return Err(unreadable(fault).into());
    }
    check(&entry.node)?;
    let node = flattened(&entry.node);
    let mut omitted = vec![];
    let (written, bridge) = written(&node, &mut omitted)?;
    let mut gaps = Gaps::new(&entry.inputs);
    let place = match written {
        WrittenServer::Here(program) => PlaceDraft::Here(here(program, &mut gaps)),
        WrittenServer::Address(address) => {
            PlaceDraft::Address(at_address(address, &mut gaps, check_address)?)
        }
    };
    let optional = match place {
        PlaceDraft::Here(_) => entry.optional.clone(),
        PlaceDraft::Address(_) => vec![],
    };
    for name in optional.iter().flat_map(|words| &words.fills) {
        gaps.note_switch(name);
    }
    if gaps.has_too_many {
        return Err(unreadable("it asks for too many values").into());
    }
    Ok(ParsedServer {
        draft: ServerDraft {
            name: name(&entry.name),
            place,
            era: EraChoice::Auto,
        },
        fills: gaps.fills,
        optional,
        omitted,
        project: entry.project.clone(),
        bridge,
        chosen: !fields::is_off(&node) && !entry.is_alternative,
    })
}

/// Refuses what is no entry, and one that says a thing twice, since applications differ in which of the two they take.
fn check(node: &Node) -> Result<(), InputProblem> {
    if node.as_map().is_none() {
        return Err(unreadable("it is not an object"));
    }
    match node.doubled() {
        None => Ok(()),
        Some(name) => Err(InputProblem::EntryDoubled {
            name: name.chars().take(80).collect(),
        }),
    }
}

/// A name as the server will have it.
pub(super) fn name(written: &str) -> String {
    written.trim().chars().take(NAME).collect()
}

/// An entry whose place stands inside a `transport`, with the members of that beside its own.
fn flattened(node: &Node) -> Node {
    let (Some(members), Some(Node::Map(inner))) = (node.as_map(), node.get("transport")) else {
        return node.clone();
    };
    let outer = members
        .iter()
        .filter(|(name, _)| name != "transport" && inner.iter().all(|(other, _)| other != name));
    Node::Map(inner.iter().chain(outer).cloned().collect())
}

/// What an entry says, with the name of the bridge that its address replaces.
fn written(node: &Node, omitted: &mut Vec<Omitted>) -> Result<(WrittenServer, Option<String>), Problem> {
    let kind = fields::kind(node)?;
    let url = fields::ADDRESSES
        .iter()
        .find_map(|(name, transport)| Some((*name, filled(node.get(name)?)?, *transport)));
    if let Some((member, url, implied)) = url.filter(|_| kind != Kind::Program) {
        let address = address(node, url, implied, omitted)?;
        let used = [&[member][..], &fields::HEADERS].concat();
        fields::omit(node, &used, omitted)?;
        return Ok((WrittenServer::Address(address), None));
    }
    if kind == Kind::Address {
        return Err(InputProblem::AddressMissing.into());
    }
    let program = bridge::without_wrapper(program(node, omitted)?);
    fields::omit(node, &fields::program(), omitted)?;
    Ok(match bridge::address(&program, omitted) {
        Some((address, bridge)) => (WrittenServer::Address(address), Some(bridge)),
        None => (WrittenServer::Here(program), None),
    })
}

/// A value that is there, and is not an empty text.
fn filled(node: &Node) -> Option<&Node> {
    (node.as_text() != Some("")).then_some(node)
}

fn program(node: &Node, omitted: &mut Vec<Omitted>) -> Result<WrittenProgram, InputProblem> {
    let (command, mut args, mut env) = command(node, omitted)?;
    args.extend(strings(node.get_any(&fields::ARGUMENTS), "args")?);
    for name in fields::VARIABLES {
        env.extend(pairs(node.get(name), name, omitted)?);
    }
    for name in names(node.get("env_keys"))?
        .into_iter()
        .chain(names(node.get("env_vars"))?)
    {
        add(&mut env, name.clone(), format!("${{{name}}}"));
    }
    let folder = match node.get_any(&fields::FOLDERS) {
        None => None,
        Some(folder) => Some(
            folder
                .as_text()
                .ok_or_else(|| unreadable("its folder is not text"))?,
        ),
    };
    Ok(WrittenProgram {
        command,
        args,
        env,
        folder: folder.filter(|folder| !folder.is_empty()).map(str::to_owned),
    })
}

type Command = (String, Vec<String>, Vec<(String, String)>);

/// The command, and the arguments and variables that stand with it.
fn command(node: &Node, omitted: &mut Vec<Omitted>) -> Result<Command, InputProblem> {
    match node.get_any(&fields::COMMANDS) {
        Some(Node::Text(command)) if !command.trim().is_empty() => Ok((command.clone(), vec![], vec![])),
        // opencode keeps the whole command in a list.
        Some(list @ Node::List(_)) => {
            let mut words = strings(Some(list), "command")?.into_iter();
            let command = words.next().filter(|word| !word.trim().is_empty());
            Ok((
                command.ok_or(InputProblem::CommandMissing)?,
                words.collect(),
                vec![],
            ))
        }
        // The first form of Zed keeps it in an object.
        Some(inner @ Node::Map(_)) => {
            let path = inner.get_text("path").ok_or(InputProblem::CommandMissing)?;
            let env = pairs(inner.get("env"), "env", omitted)?;
            Ok((path.to_owned(), strings(inner.get("args"), "args")?, env))
        }
        _ if node.has("settings") || node.has("warp_id") || node.has("uses") => Err(reference(node)),
        _ => Err(InputProblem::CommandMissing),
    }
}

/// An entry that only names something that the other application has.
fn reference(node: &Node) -> InputProblem {
    let kind = ["uses", "warp_id", "settings"].iter().find(|name| node.has(name));
    InputProblem::EntryForeign {
        kind: kind.copied().unwrap_or_default().to_owned(),
    }
}

fn address(
    node: &Node,
    url: &Node,
    implied: TransportChoice,
    omitted: &mut Vec<Omitted>,
) -> Result<WrittenAddress, InputProblem> {
    let url = url
        .as_text()
        .ok_or_else(|| unreadable("its address is not text"))?;
    let mut headers = vec![];
    for name in fields::HEADERS {
        headers.extend(pairs(node.get(name), name, omitted)?);
    }
    let options = node
        .get("requestOptions")
        .and_then(|options| options.get("headers"));
    headers.extend(pairs(options, "requestOptions.headers", omitted)?);
    for (header, variable) in pairs(node.get("env_http_headers"), "env_http_headers", omitted)? {
        add(&mut headers, header, format!("${{{variable}}}"));
    }
    let key = node.get_text("apiKey").map(str::to_owned);
    let variable = node.get_text("bearer_token_env_var");
    if let Some(token) = variable.map(|name| format!("${{{name}}}")).or(key) {
        add(&mut headers, "Authorization".into(), format!("Bearer {token}"));
    }
    Ok(WrittenAddress {
        url: url.trim().to_owned(),
        transport: fields::kind_text(node).map_or(implied, fields::transport),
        headers,
    })
}

/// Adds a pair unless its name is there already, in whichever case.
fn add(pairs: &mut Vec<(String, String)>, name: String, value: String) {
    if pairs.iter().all(|(other, _)| !other.eq_ignore_ascii_case(&name)) {
        pairs.push((name, value));
    }
}

fn here(written: WrittenProgram, gaps: &mut Gaps<'_>) -> ProgramDraft {
    ProgramDraft {
        command: gaps.rewrite(&written.command, TextPlace::Word),
        args: written
            .args
            .iter()
            .map(|arg| gaps.rewrite(arg, TextPlace::Word))
            .collect(),
        env: drafts(written.env, gaps),
        folder: written
            .folder
            .map(|folder| gaps.rewrite(&folder, TextPlace::Folder)),
    }
}

fn at_address(
    written: WrittenAddress,
    gaps: &mut Gaps<'_>,
    check: AddressCheck,
) -> Result<EndpointDraft, Problem> {
    let url = gaps.rewrite(&written.url, TextPlace::Address);
    if !url.contains("${") {
        check(&url)?;
    }
    Ok(EndpointDraft {
        url,
        transport: written.transport,
        headers: drafts(written.headers, gaps),
    })
}

fn drafts(pairs: Vec<(String, String)>, gaps: &mut Gaps<'_>) -> Vec<EnvPair> {
    let draft = |(name, value): (String, String)| EnvPair {
        value: gaps.rewrite(&value, TextPlace::Value(&name)),
        name,
        pasted: true,
        from_computer: false,
    };
    pairs.into_iter().map(draft).collect()
}

fn strings(value: Option<&Node>, member: &str) -> Result<Vec<String>, InputProblem> {
    match value {
        None => Ok(vec![]),
        Some(Node::List(items)) => items
            .iter()
            .map(|item| {
                item.to_scalar()
                    .ok_or_else(|| unreadable(&format!("{member} holds more than text")))
            })
            .collect(),
        Some(_) => Err(unreadable(&format!("{member} is not a list"))),
    }
}

/// A list of names, each alone or in an object of its own.
fn names(value: Option<&Node>) -> Result<Vec<String>, InputProblem> {
    let items = value.map_or(Ok(&[][..]), |list| {
        list.as_list()
            .ok_or_else(|| unreadable("a list of variables is not a list"))
    })?;
    if items.len() > MOST_PAIRS {
        return Err(unreadable("a list of variables is too long"));
    }
    let name = |item: &Node| item.get("name").unwrap_or(item).as_text().map(str::to_owned);
    let unnamed = || unreadable("a variable in a list has no name");
    items.iter().map(|item| name(item).ok_or_else(unnamed)).collect()
}

/// Names with their values. One that is null is not set, which is noted.
fn pairs(
    value: Option<&Node>,
    member: &str,
    omitted: &mut Vec<Omitted>,
) -> Result<Vec<(String, String)>, InputProblem> {
    let members = match value {
        None => return Ok(vec![]),
        Some(Node::Map(members)) => members,
        Some(_) => return Err(unreadable(&format!("{member} is not an object"))),
    };
    if members.len() > MOST_PAIRS {
        return Err(unreadable(&format!("{member} has {} members", members.len())));
    }
    let mut pairs = vec![];
    for (name, value) in members {
        if *value == Node::Null {
            fields::note(omitted, OmitReason::Unset, name.clone());
            continue;
        }
        let value = value.to_scalar();
        let value = value.ok_or_else(|| unreadable(&format!("{member}.{name} is not text")))?;
        pairs.push((name.clone(), value));
    }
    Ok(pairs)
}

pub(super) fn unreadable(detail: &str) -> InputProblem {
    InputProblem::EntryUnreadable {
        detail: detail.to_owned(),
    }
}
