//! Programs that only stand in for something else: a bridge from stdio to an address, and the shell of Windows around
//! `npx`. Vestibule reaches addresses itself, with its own sign-in, so that a bridge's files of tokens are not needed.

use vestibule_app_protocol::{OmitReason, Omitted};
use vestibule_protocol::TransportChoice;

use super::entry::{WrittenAddress, WrittenProgram};
use super::fields;

/// Programs that run a package by its name.
const RUNNERS: [&str; 6] = ["npx", "bunx", "pnpx", "uvx", "pnpm", "yarn"];
const MCP_PROXY: &str = "mcp-proxy";
const BRIDGES: [&str; 3] = ["mcp-remote", "supergateway", MCP_PROXY];
/// The variable whose value mcp-proxy sends as a bearer token, instead of any `Authorization` among its headers.
const PROXY_TOKEN: &str = "API_ACCESS_TOKEN";
/// The longest header with its variables in it, in bytes.
const LONGEST_HEADER: usize = 64 * 1024;
/// Flags of runners that stand before the package.
const RUNNER_WORDS: [&str; 8] = [
    "-y",
    "--yes",
    "-q",
    "--quiet",
    "--prefer-offline",
    "dlx",
    "exec",
    "--",
];

/// The program without the shell that Windows needs to find `npx`.
pub(super) fn without_wrapper(mut program: WrittenProgram) -> WrittenProgram {
    if cfg!(windows) {
        return program;
    }
    let is_shell = ["cmd", "cmd.exe"].contains(&program.command.to_ascii_lowercase().as_str());
    let runs = program
        .args
        .first()
        .is_some_and(|word| word.eq_ignore_ascii_case("/c"));
    if is_shell && runs && program.args.len() > 1 {
        program.command = program.args[1].clone();
        program.args.drain(..2);
    }
    if let Some(name) = program.command.strip_suffix(".cmd") {
        program.command = name.to_owned();
    }
    program
}

/// The address that a bridge would reach, and the name of the bridge.
pub(super) fn address(
    program: &WrittenProgram,
    omitted: &mut Vec<Omitted>,
) -> Option<(WrittenAddress, String)> {
    let words = bridge_words(program)?;
    let (bridge, words) = words.split_first()?;
    let bridge = package(bridge)?;
    // The same programs also offer a local server at an address of this computer.
    if words
        .iter()
        .any(|word| ["--", "--stdio", "--port", "--sse-port"].contains(word))
    {
        return None;
    }
    let is_proxy = bridge == MCP_PROXY;
    let mut flags = Flags {
        is_proxy,
        ..Flags::default()
    };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        flags.read(word, &mut words);
    }
    if !flags.address.url.contains("://") {
        return None;
    }
    let mut address = flags.address;
    for (_, value) in &mut address.headers {
        *value = expanded(value, &program.env)?;
    }
    let is_token = |name: &str, value: &str| is_proxy && name == PROXY_TOKEN && !value.is_empty();
    if let Some((_, token)) = program.env.iter().find(|(name, value)| is_token(name, value)) {
        let headers = &mut address.headers;
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
        headers.push(("Authorization".into(), format!("Bearer {token}")));
    }
    for (reason, name) in flags.omitted {
        fields::note(omitted, reason, name);
    }
    for (name, _) in unused(program).filter(|(name, value)| !is_token(name, value)) {
        fields::note(omitted, OmitReason::Other, format!("env.{name}"));
    }
    Some((address, bridge.to_owned()))
}

/// Variables that no argument names, which the bridge alone would read.
fn unused(program: &WrittenProgram) -> impl Iterator<Item = &(String, String)> {
    let is_used = |name: &str| {
        program
            .args
            .iter()
            .any(|arg| arg.contains(&format!("${{{name}}}")))
    };
    program.env.iter().filter(move |(name, _)| !is_used(name))
}

/// The words from the name of the bridge on.
fn bridge_words(program: &WrittenProgram) -> Option<Vec<&str>> {
    let words = program.args.iter().map(String::as_str);
    if package(&program.command).is_some() {
        return Some(std::iter::once(program.command.as_str()).chain(words).collect());
    }
    let is_runner = RUNNERS.contains(&program.command.as_str());
    is_runner.then(|| words.skip_while(|word| RUNNER_WORDS.contains(word)).collect())
}

/// The name of a bridge, with or without a version.
fn package(word: &str) -> Option<&'static str> {
    let name = word.split('@').next().unwrap_or_default();
    BRIDGES.into_iter().find(|bridge| *bridge == name)
}

#[derive(Default)]
struct Flags {
    /// Whether they are those of mcp-proxy, which differ from the others.
    is_proxy: bool,
    address: WrittenAddress,
    omitted: Vec<(OmitReason, String)>,
    /// Whether the word before was a flag that is not known, so that this one may be its value.
    is_after_unknown: bool,
}

impl Flags {
    /// Reads one word, and those after it that belong to it. Only names of flags are noted, because a value may be a
    /// secret.
    fn read<'a>(&mut self, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        let may_be_value = std::mem::take(&mut self.is_after_unknown);
        if !word.starts_with('-') {
            return self.read_plain(word, may_be_value);
        }
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        let mut values = inline.into_iter().chain(rest);
        match flag {
            "--header" | "--headers" | "-H" => self.read_header(flag, &mut values),
            "--oauth2Bearer" => {
                if let Some(token) = values.next() {
                    self.header("Authorization", &format!("Bearer {token}"));
                }
            }
            "--transport" => self.address.transport = transport(values.next()),
            "--sse" => self.url(values.next(), TransportChoice::Sse),
            "--streamableHttp" => self.url(values.next(), TransportChoice::Streamable),
            "-e" | "--env" if self.is_proxy => {
                values.by_ref().take(2).for_each(drop);
                self.omit(OmitReason::Other, flag);
            }
            "--client-id" | "--client-secret" | "--token-url" if self.is_proxy => {
                values.next();
                self.omit(OmitReason::SignIn, flag);
            }
            flag if flag.contains("oauth") => {
                values.next();
                self.omit(OmitReason::SignIn, flag);
            }
            flag => {
                self.is_after_unknown = inline.is_none();
                self.omit(OmitReason::Other, flag);
            }
        }
    }

    /// Reads a word that is no flag: the address, or a value that is not taken over.
    fn read_plain(&mut self, word: &str, may_be_value: bool) {
        if word.contains("://") && self.address.url.is_empty() {
            self.url(Some(word), TransportChoice::Auto);
        } else if !may_be_value {
            self.omit(OmitReason::Other, fields::PLAIN_WORD);
        }
    }

    /// Reads the value of a header's flag. mcp-proxy takes the name and the value as two words.
    fn read_header<'a>(&mut self, flag: &str, values: &mut impl Iterator<Item = &'a str>) {
        let written = values.next().unwrap_or_default();
        let pair = match written.split_once(':') {
            None if self.is_proxy => values.next().map(|value| (written, value)),
            pair => pair,
        };
        match pair {
            Some((name, value)) if !name.trim().is_empty() => self.header(name, value),
            _ => self.omit(OmitReason::Other, flag),
        }
    }

    fn url(&mut self, url: Option<&str>, transport: TransportChoice) {
        if let Some(url) = url.filter(|_| self.address.url.is_empty()) {
            self.address.url = url.to_owned();
            if transport != TransportChoice::Auto {
                self.address.transport = transport;
            }
        }
    }

    fn header(&mut self, name: &str, value: &str) {
        let pair = (name.trim().to_owned(), value.trim().to_owned());
        self.address.headers.push(pair);
    }

    fn omit(&mut self, reason: OmitReason, name: &str) {
        self.omitted.push((reason, name.to_owned()));
    }
}

/// What `--transport` of mcp-remote asks for; its "first" choices are found out here as well.
fn transport(choice: Option<&str>) -> TransportChoice {
    match choice {
        Some("http-only") => TransportChoice::Streamable,
        Some("sse-only") => TransportChoice::Sse,
        Some(other) => fields::transport(other),
        None => TransportChoice::Auto,
    }
}

/// A header with the variables that stand beside it, as the bridge itself would put them in. Nothing where it becomes
/// longer than any header: then the bridge stays the program that it is.
fn expanded(header: &str, env: &[(String, String)]) -> Option<String> {
    let mut text = header.to_owned();
    for (name, value) in env.iter().filter(|(_, value)| !value.is_empty()) {
        let hole = format!("${{{name}}}");
        if text.len() + text.matches(&hole).count() * value.len() > LONGEST_HEADER {
            return None;
        }
        text = text.replace(&hole, value);
    }
    Some(text)
}
