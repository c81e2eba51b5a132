//! Command lines: one that starts a server, and those with which other applications add one.

use vestibule_app_protocol::InputProblem;

use super::find::{FoundServer, servers};
use super::node::Node;
use super::{fields, format, json};

/// Words that only a shell understands.
const OPERATORS: [&str; 10] = ["|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>&1"];
/// Programs that start servers and have plain names.
const LAUNCHERS: [&str; 16] = [
    "npx", "uvx", "uv", "bunx", "bun", "deno", "node", "python", "python3", "docker", "podman", "pipx",
    "dnx", "go", "pnpm", "yarn",
];
/// Options that `droid mcp add` also takes after the command.
const DROID_OPTIONS: [&str; 4] = ["-e", "--env", "--type", "--header"];

/// The server that a command line starts or adds.
///
/// # Errors
/// When the text is no command line, or needs a shell.
pub(super) fn read(text: &str) -> Result<FoundServer, InputProblem> {
    let line = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = line.trim().trim_start_matches("$ ").trim();
    if line.is_empty() || line.contains('\n') {
        return Err(InputProblem::ConfigUnknown);
    }
    let words = shell_words::split(line).map_err(|_| InputProblem::CommandLineUnclosed)?;
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    match texts.as_slice() {
        [
            program @ ("claude" | "codex" | "gemini" | "amp" | "droid" | "qwen"),
            "mcp",
            "add",
            rest @ ..,
        ] => added(rest, *program == "droid"),
        ["claude", "mcp", "add-json", rest @ ..] => from_json(rest),
        [program, "--add-mcp", json] if program.starts_with("code") || *program == "cursor" => inside(json),
        words => started(words),
    }
}

/// What would need a shell in a line whose words are taken as they are.
fn refuse_shell<W: AsRef<str>>(words: &[W]) -> Result<(), InputProblem> {
    let needs = |word: &&str| OPERATORS.contains(word) || word.contains("$(") || word.contains('`');
    match words.iter().map(W::as_ref).find(needs) {
        Some(part) => Err(InputProblem::CommandLineShell {
            part: part.chars().take(80).collect(),
        }),
        None => Ok(()),
    }
}

/// A line that starts a server, with variables before it or without.
fn started(words: &[&str]) -> Result<FoundServer, InputProblem> {
    let words = words.strip_prefix(&["env"]).unwrap_or(words);
    let variables = words.iter().take_while(|word| assignment(word).is_some()).count();
    let (variables, words) = words.split_at(variables);
    let Some((program, args)) = words.split_first() else {
        return Err(InputProblem::ConfigUnknown);
    };
    if !is_program(program) {
        return Err(InputProblem::ConfigUnknown);
    }
    refuse_shell(words)?;
    let env = variables.iter().filter_map(|word| assignment(word));
    let node = program_node(program, args, env.collect());
    Ok(format::entry(name_of(program, args), node))
}

fn program_node(program: &str, args: &[&str], env: Vec<(&str, &str)>) -> Node {
    let env = env
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Node::text(value)));
    Node::Map(vec![
        ("command".into(), Node::text(program)),
        (
            "args".into(),
            Node::List(args.iter().map(|word| Node::text(*word)).collect()),
        ),
        ("env".into(), Node::Map(env.collect())),
    ])
}

/// An assignment of a variable, as in `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.chars().all(part)).then_some((name, value))
}

/// Whether a word can be a program, so that a sentence is not taken for a command line.
fn is_program(word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || "-_./\\:~@+ ".contains(c);
    let telling = word.contains(['-', '_', '/', '\\', '.']) && !word.ends_with(['.', ':']);
    word.chars().all(part) && (telling || LAUNCHERS.contains(&word))
}

/// A name for a server from its package or program: the last part, without scope, version and the usual prefixes.
fn name_of(program: &str, args: &[&str]) -> String {
    let is_plain =
        |word: &&&str| !word.starts_with('-') && !["run", "dlx", "exec", "x", "tool", "mcp"].contains(*word);
    let is_image = |word: &&&str| is_plain(word) && word.contains('/') && !word.contains('=');
    let word = match program {
        "docker" | "podman" => args.iter().find(is_image),
        program if LAUNCHERS.contains(&program) => args.iter().find(is_plain),
        _ => None,
    };
    let word = word.copied().unwrap_or(program);
    let last = word
        .trim_end_matches('/')
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(word);
    let bare = last.split(['@', ':', '=', '[']).next().unwrap_or(last);
    let short = ["mcp-server-", "server-", "mcp-"]
        .iter()
        .find_map(|prefix| bare.strip_prefix(prefix));
    short.filter(|short| !short.is_empty()).unwrap_or(bare).to_owned()
}

/// What stands after `… mcp add`: options, a name, then a command or an address. Factory's `droid` documents the whole
/// command as one quoted word, with options after it.
fn added(words: &[&str], is_droid: bool) -> Result<FoundServer, InputProblem> {
    let mut options = Options::default();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let is_place = options.name.is_some() && !word.starts_with('-');
        if *word == "--" || is_place {
            let place = if *word == "--" { after } else { rest };
            match place {
                [line] if is_droid && is_command_line(line) => options.command_line(line, &[])?,
                [line, after @ ..] if is_droid && is_place && is_command_line(line) => {
                    options.command_line(line, after)?;
                }
                words if is_droid && is_place && !word.contains("://") => {
                    options.command_before_options(words)?;
                }
                words => options.place(words)?,
            }
            break;
        }
        rest = options.take(word, after)?;
    }
    options.finish()
}

/// Whether a word holds a whole command line, as a quoted word does.
fn is_command_line(word: &str) -> bool {
    word.trim().contains(char::is_whitespace)
}

/// The name and the value of a header. Claude Code writes `Name: value`, Amp writes `Name=value`. Nothing where there is
/// no name before the first of the two separators.
fn header(written: &str) -> Option<(&str, &str)> {
    let (name, value) = written.split_once([':', '='])?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, value.trim()))
}

#[derive(Default)]
struct Options {
    name: Option<String>,
    members: Vec<(String, Node)>,
    env: Vec<(String, Node)>,
    headers: Vec<(String, Node)>,
    /// Names of what is not taken over, without its text.
    omitted: Vec<String>,
}

impl Options {
    /// Takes an option or the name, and gives the words after it.
    fn take<'w, 'a>(&mut self, word: &str, after: &'w [&'a str]) -> Result<&'w [&'a str], InputProblem> {
        let (word, inline) = match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => (option, Some(value)),
            _ => (word, None),
        };
        if !word.starts_with('-') {
            if self.name.is_none() {
                self.name = Some(word.to_owned());
            } else {
                refuse_shell(&[word])?;
                self.omit(fields::PLAIN_WORD);
            }
            return Ok(after);
        }
        // Claude Code asks for the secret, so the next word is no value of it.
        if word == "--client-secret" {
            self.omit(word);
            return Ok(after);
        }
        if ["--trust", "-y", "--yes"].contains(&word) {
            self.members
                .push((word.trim_start_matches('-').to_owned(), Node::Bool(true)));
            return Ok(after);
        }
        let Some((value, rest)) = inline.map(|value| (value, after)).or_else(|| {
            let (value, rest) = after.split_first()?;
            Some((*value, rest))
        }) else {
            return Err(InputProblem::ConfigUnknown);
        };
        self.option(word, value);
        Ok(if ["-e", "--env"].contains(&word) {
            self.more_env(rest)
        } else {
            rest
        })
    }

    /// Claude Code takes several variables after one `-e`.
    fn more_env<'w, 'a>(&mut self, words: &'w [&'a str]) -> &'w [&'a str] {
        let is_variable =
            |word: &&&str| assignment(word).is_some_and(|(name, _)| name == name.to_ascii_uppercase());
        let count = words.iter().take_while(is_variable).count();
        words[..count].iter().for_each(|word| self.option("-e", word));
        &words[count..]
    }

    fn option(&mut self, option: &str, value: &str) {
        match option {
            "-e" | "--env" => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                self.env.push((name.to_owned(), Node::text(value)));
            }
            "-H" | "--header" => match header(value) {
                Some((name, value)) => self.headers.push((name.to_owned(), Node::text(value))),
                None => self.omit(option),
            },
            // Factory's `droid` calls it a type.
            "-t" | "--transport" | "--type" => self.member("type", value),
            "--url" => self.member("url", value),
            "--bearer-token-env-var" => self.member("bearer_token_env_var", value),
            other => self.member(other, value),
        }
    }

    fn member(&mut self, name: &str, value: &str) {
        self.members.push((name.to_owned(), Node::text(value)));
    }

    /// Notes a name, once, of something that is not taken over.
    fn omit(&mut self, name: &str) {
        if self.omitted.iter().all(|known| known != name) {
            self.omitted.push(name.to_owned());
        }
    }

    /// The command or the address, after which nothing is an option any more but headers of an address.
    fn place(&mut self, words: &[&str]) -> Result<(), InputProblem> {
        let Some((first, args)) = words.split_first() else {
            return Ok(());
        };
        if first.contains("://") {
            self.member("url", first);
            self.take_all(args)
        } else {
            refuse_shell(words)?;
            self.program(first, args.iter().copied());
            Ok(())
        }
    }

    /// A command in separate words, with options from the first word that is one.
    fn command_before_options(&mut self, words: &[&str]) -> Result<(), InputProblem> {
        let is_option = |word: &&str| {
            let name = word.split('=').next().unwrap_or(word);
            DROID_OPTIONS.contains(&name)
        };
        let end = words.iter().position(is_option).unwrap_or(words.len());
        self.place(&words[..end])?;
        self.take_all(&words[end..])
    }

    /// A command in one word, with options after it.
    fn command_line(&mut self, line: &str, after: &[&str]) -> Result<(), InputProblem> {
        let words = shell_words::split(line).map_err(|_| InputProblem::CommandLineUnclosed)?;
        refuse_shell(&words)?;
        if let Some((first, args)) = words.split_first() {
            self.program(first, args.iter().map(String::as_str));
        }
        self.take_all(after)
    }

    fn program<'w>(&mut self, command: &str, args: impl Iterator<Item = &'w str>) {
        self.member("command", command);
        self.members
            .push(("args".into(), Node::List(args.map(Node::text).collect())));
    }

    fn take_all(&mut self, words: &[&str]) -> Result<(), InputProblem> {
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            rest = self.take(word, after)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<FoundServer, InputProblem> {
        let name = self.name.ok_or(InputProblem::NameMissing)?;
        self.members.push(("env".into(), Node::Map(self.env)));
        self.members.push(("headers".into(), Node::Map(self.headers)));
        let omitted = self.omitted.into_iter();
        self.members.extend(omitted.map(|name| (name, Node::Bool(true))));
        Ok(format::entry(name, Node::Map(self.members)))
    }
}

/// `claude mcp add-json <name> '<json>'`.
fn from_json(words: &[&str]) -> Result<FoundServer, InputProblem> {
    let plain: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let [name, json, ..] = plain.as_slice() else {
        return Err(InputProblem::ConfigUnknown);
    };
    Ok(format::entry((**name).to_owned(), json::read(json)?))
}

/// The server in the JSON of `code --add-mcp`.
fn inside(json: &str) -> Result<FoundServer, InputProblem> {
    let found = servers(&json::read(json)?);
    let entry = found.and_then(|found| found.entries.into_iter().next());
    entry.ok_or(InputProblem::JsonWithoutServers)
}
