//! What a pasted configuration holds: servers that can be added, what is asked before, and what is not taken over.

use std::collections::BTreeMap;

use serde::Serialize;
use vestibule_policy::VariableEffect;

use super::{Problem, ServerDraft};

/// What a pasted configuration holds.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ParsedServers {
    /// What can be added.
    pub servers: Vec<ParsedServer>,
    /// What cannot, and why.
    pub skipped: Vec<SkippedServer>,
    /// Members beside the servers that say something about them and are not taken over.
    pub omitted: Vec<Omitted>,
    /// The variables among the servers that decide what runs, by name.
    pub effects: BTreeMap<String, VariableEffect>,
}

/// An entry of a pasted configuration that can be added.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ParsedServer {
    /// Each value of `fills` stands in it as `${name}`.
    pub draft: ServerDraft,
    /// The values that its author left to the user.
    pub fills: Vec<FillIn>,
    /// Arguments that are left out while a value of theirs is empty.
    pub optional: Vec<OptionalWords>,
    /// Members of its entry that are not taken over.
    pub omitted: Vec<Omitted>,
    /// The folder of the project that the entry was for, where it was for one.
    pub project: Option<String>,
    /// The program that was written to reach the address ("mcp-remote"), where the address replaces it.
    pub bridge: Option<String>,
    /// False where the entry was switched off, or is another way to run a server that is there already.
    pub chosen: bool,
}

/// A value that the author of a configuration left to the user.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct FillIn {
    /// Unique within its server.
    pub name: String,
    pub kind: FillKind,
    /// Whether the server cannot be added without it: it is part of a command or an address.
    pub required: bool,
    /// Whether its author says that the server works without it. A variable or header that lacks it is left out.
    pub optional: bool,
    /// What the author says of it.
    pub hint: Option<String>,
    /// What the author shows as an example; it is no value.
    pub example: Option<String>,
    /// The value that the author proposes; empty without one.
    pub value: String,
    /// The only values it may have; empty where any is possible.
    pub choices: Vec<String>,
}

/// How a value is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FillKind {
    Text,
    /// It is not shown while it is typed.
    Secret,
    /// The path of a file or folder on this computer.
    Path,
    /// An argument without a value: there where this is `true`, left out where it is empty.
    Switch,
}

/// Arguments of a command line that stand there together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct OptionalWords {
    /// The place of the first one among the arguments.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The names of their values. While one of them is empty, the arguments are left out.
    pub fills: Vec<String>,
}

/// Members of a configuration that are not taken over, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Omitted {
    pub reason: OmitReason,
    /// As they are written; the parts of a nested one with dots between.
    pub names: Vec<String>,
}

/// Why members of a configuration are not taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum OmitReason {
    /// They allow something without a question in the other application.
    Permission,
    /// They confine the server in the other application.
    Sandbox,
    /// They name a program that makes headers or values.
    Program,
    /// They name a file that values are read from.
    File,
    /// They are about the sign-in.
    SignIn,
    /// They choose among the server's tools.
    ToolChoice,
    /// They switch the server off.
    SwitchedOff,
    /// They keep a variable or header from being set.
    Unset,
    /// They are not used here.
    Other,
}

/// An entry of a pasted configuration that cannot be added.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct SkippedServer {
    pub name: String,
    pub problem: Problem,
}
