//! What is written from the table of commands: the client of each window in TypeScript, and the file of permissions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};
use ts_rs::{Config, TS, TypeVisitor};
use vestibule_protocol::mcp::LogLevel;
use vestibule_protocol::{
    AttachmentId, ChatId, ConnectionId, EntryId, ModelId, QuestionId, RuleId, ServerId, WorkspaceId,
};

use super::assert_generated;
use super::bindings::Collector;
use crate::*;

struct Window {
    label: &'static str,
    commands: Vec<Command>,
}

struct Command {
    docs: Vec<&'static str>,
    name: &'static str,
    /// Names and TypeScript types.
    arguments: Vec<(&'static str, String)>,
    result: String,
}

macro_rules! result {
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}

macro_rules! described {
    ($($label:ident {
        $($(#[doc = $doc:literal])* $kind:ident fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*
    })*) => {
        fn windows(config: &Config) -> Vec<Window> {
            vec![$(Window {
                label: stringify!($label),
                commands: vec![$(Command {
                    docs: vec![$($doc.trim()),*],
                    name: stringify!($name),
                    arguments: vec![$((stringify!($argument), <$type as TS>::name(config))),*],
                    result: <result!($($result)?) as TS>::name(config),
                }),*],
            }),*]
        }

        pub(super) fn visit_types(collector: &mut Collector) {
            collector.visit::<Problem>();
            // What `Reply` carries as JSON, by the kind of its question.
            collector.visit::<FolderPick>();
            collector.visit::<PromptEdit>();
            collector.visit::<ReplyEdit>();
            $($($(collector.visit::<$type>();)* $(collector.visit::<$result>();)?)*)*
        }
    };
}

crate::commands!(described);

fn all() -> Vec<Window> {
    windows(&Config::default().with_large_int("number"))
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| {
        let (initial, rest) = word.split_at(1);
        all + &initial.to_uppercase() + rest
    })
}

/// A type as the user interface writes it. What a server or a user enters has any shape.
fn shown(name: &str) -> String {
    match name {
        "null" => "void".to_owned(),
        _ => name
            .replace("{ [key in string]: JsonValue }", "Record<string, unknown>")
            .replace("{ [key in string]: string }", "Record<string, string>"),
    }
}

impl Window {
    fn title(&self) -> String {
        let (initial, rest) = self.label.split_at(1);
        initial.to_uppercase() + rest
    }

    /// The name of a command for its window, without what all of them begin with there.
    fn method(&self, command: &Command) -> String {
        let prefix = if self.label == "consent" {
            "consent_"
        } else {
            "host_"
        };
        camel(command.name.strip_prefix(prefix).unwrap_or(command.name))
    }
}

impl Command {
    fn parameters(&self) -> String {
        let parameters = self.arguments.iter();
        let parameters = parameters.map(|(name, kind)| format!("{}: {}", camel(name), shown(kind)));
        parameters.collect::<Vec<_>>().join(", ")
    }

    fn invocation(&self) -> String {
        let names: Vec<_> = self.arguments.iter().map(|(name, _)| camel(name)).collect();
        let names = names.join(", ");
        let values = match names.as_str() {
            "" => String::new(),
            _ => format!(", {{ {names} }}"),
        };
        format!("({names}) => invoke(\"{}\"{values})", self.name)
    }
}

fn client() -> String {
    let (mut interfaces, mut functions) = (String::new(), String::new());
    let mut types = BTreeSet::new();
    for window in all() {
        let title = window.title();
        writeln!(
            interfaces,
            "\n/** What the {} window can call. Every promise rejects with a `Problem`. */",
            window.label
        )
        .unwrap();
        writeln!(interfaces, "export interface {title}Host {{").unwrap();
        writeln!(
            functions,
            "\n/** The commands of the {} window over Tauri. */",
            window.label
        )
        .unwrap();
        writeln!(functions, "export const tauri{title} = (): {title}Host => ({{").unwrap();
        for command in &window.commands {
            let (method, parameters) = (window.method(command), command.parameters());
            let result = shown(&command.result);
            for name in [&parameters, &result] {
                types.extend(
                    name.split(|c: char| !c.is_alphanumeric())
                        .filter(|word| is_imported(word))
                        .map(str::to_owned),
                );
            }
            if !command.docs.is_empty() {
                writeln!(interfaces, "  /** {} */", command.docs.join(" ")).unwrap();
            }
            writeln!(interfaces, "  {method}({parameters}): Promise<{result}>;").unwrap();
            writeln!(functions, "  {method}: {},", command.invocation()).unwrap();
        }
        interfaces.push_str("}\n");
        functions.push_str("});\n");
    }
    let types: Vec<_> = types.iter().map(|name| format!("  {name},\n")).collect();
    format!(
        "// Generated from the table of commands by `make bindings`. Do not edit.\n\
         import {{ invoke }} from \"@tauri-apps/api/core\";\n\
         import type {{\n{}}} from \"./bindings\";\n{interfaces}{functions}",
        types.concat()
    )
}

/// Whether a word of a type is declared in the bindings: a name of ours, not one of TypeScript.
fn is_imported(word: &str) -> bool {
    word.starts_with(|initial: char| initial.is_ascii_uppercase()) && !["Array", "Record"].contains(&word)
}

fn permissions(window: &Window) -> String {
    let mut text = format!(
        "# Generated from the table of commands by `make bindings`. Do not edit.\n[[permission]]\n\
         identifier = \"{0}-window\"\ndescription = \"The commands of the {0} window.\"\ncommands.allow = [\n",
        window.label
    );
    for command in &window.commands {
        writeln!(text, "  \"{}\",", command.name).unwrap();
    }
    text.push_str("]\n");
    text
}

#[test]
fn the_bindings_of_the_commands_are_those_of_the_table() {
    assert_generated("ui/src/host/commands.ts", &client());
    for window in all() {
        let file = format!("src-tauri/permissions/{}.toml", window.label);
        assert_generated(&file, &permissions(&window));
    }
}

/// The prefix is what readers of a log and the tests of the real windows go by.
#[test]
fn only_the_consent_window_answers() {
    for window in all() {
        for command in &window.commands {
            let answers = command.name.starts_with("consent_");
            assert_eq!(answers, window.label == "consent", "{}", command.name);
        }
    }
}

#[test]
fn no_command_is_listed_twice() {
    let mut seen = BTreeMap::new();
    for window in all() {
        for command in window.commands {
            assert_eq!(seen.insert(command.name, window.label), None, "{}", command.name);
        }
    }
}
