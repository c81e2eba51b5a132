//! Programs that only stand in for something else: a bridge from stdio to an address, and the shell of Windows around
//! `npx`. Vestibule reaches addresses itself, with its own sign-in, so that a bridge's files of tokens are not needed.

use vestibule_app_protocol::{OmitReason, Omitted};
use vestibule_protocol::TransportChoice;

use super::entry::{WrittenAddress, WrittenProgram};
use super::fields;

/// Programs that run a package by its name.
const RUNNERS: [&str; 6] = ["npx", "bunx", "pnpx", "uvx", "pnpm", "yarn"];
const BRIDGES: [&str; 3] = ["mcp-remote", "supergateway", "mcp-proxy"];
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
    let mut flags = Flags::default();
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
    for (reason, name) in flags.omitted.into_iter().chain(unused(program)) {
        fields::note(omitted, reason, name);
    }
    Some((address, bridge.to_owned()))
}

/// Variables that no argument names, which the bridge alone would read.
fn unused(program: &WrittenProgram) -> impl Iterator<Item = (OmitReason, String)> {
    let is_used = |name: &str| {
        program
            .args
            .iter()
            .any(|arg| arg.contains(&format!("${{{name}}}")))
    };
    let unused = program.env.iter().filter(move |(name, _)| !is_used(name));
    unused.map(|(name, _)| (OmitReason::Other, format!("env.{name}")))
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
    address: WrittenAddress,
    omitted: Vec<(OmitReason, String)>,
}

impl Flags {
    /// Reads one word, and those after it that belong to it.
    fn read<'a>(&mut self, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        match word {
            "--header" | "--headers" | "-H" => self.header(rest.next()),
            "--oauth2Bearer" => {
                let token = rest.next().map(|token| format!("Authorization: Bearer {token}"));
                self.header(token.as_deref());
            }
            "--transport" => self.address.transport = transport(rest.next()),
            "--sse" => self.url(rest.next(), TransportChoice::Sse),
            "--streamableHttp" => self.url(rest.next(), TransportChoice::Streamable),
            url if url.contains("://") => self.url(Some(url), TransportChoice::Auto),
            flag if flag.contains("oauth") => {
                rest.next();
                self.omitted.push((OmitReason::SignIn, flag.to_owned()));
            }
            other => self.omitted.push((OmitReason::Other, other.to_owned())),
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

    fn header(&mut self, written: Option<&str>) {
        if let Some((name, value)) = written.and_then(|header| header.split_once(':')) {
            let pair = (name.trim().to_owned(), value.trim().to_owned());
            self.address.headers.push(pair);
        }
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
