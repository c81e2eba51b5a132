//! What servers say where a value, a path, an argument or a port is not as they need it. Names of variables are offered
//! only where they change nothing but the server itself: output that asks for `LD_PRELOAD` offers no field for it.

use vestibule_app_protocol::{Correction, Diagnosis, FailureCause, FormPart, Guide, NextStep};
use vestibule_policy::variable_effect;
use vestibule_store::{Program, ServerPlace};

use super::diagnosis;
use super::output::ProgramOutput;
use super::signs::Sign;
use super::steps::{ask_variables, correct, edit, guide};

/// How a line that names a missing value reads, in lower case.
const WANTS: &[&str] = &[
    "required",
    "not set",
    "missing",
    "must be set",
    "must set",
    "need to set",
    "keyerror",
    "please set",
    "please provide",
    "not provided",
    "not defined",
    "undefined",
    "not found in environment",
    "environment variable",
    "is empty",
];

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        texts: &["eaddrinuse", "address already in use", "address in use"],
        read: |output, _| port_taken(output),
    },
    Sign {
        texts: WANTS,
        read: value_missing,
    },
    Sign {
        texts: &[
            "no such file or directory",
            "enoent",
            "does not exist",
            "cannot access",
        ],
        read: path_missing,
    },
    Sign {
        texts: &[
            "usage:",
            "arguments are required",
            "missing required argument",
            "as a command-line argument",
            "as a command line argument",
            "unrecognized arguments",
            "unknown option",
            "unrecognized option",
            "unknown argument",
            "unexpected argument",
        ],
        read: |_, _| diagnosis(FailureCause::ArgumentsRefused, edit(FormPart::Arguments)),
    },
];

/// Values of the record that were never entered.
pub(super) fn not_entered(names: &[String], place: &ServerPlace) -> Option<Diagnosis> {
    let name = names.first()?.clone();
    let step = match place {
        ServerPlace::Here(_) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            ask_variables(&names)
        }
        ServerPlace::Address(_) => edit(FormPart::Headers),
    };
    diagnosis(FailureCause::ValueMissing { name }, step)
}

fn value_missing(output: &ProgramOutput, given: &Program) -> Option<Diagnosis> {
    let wants = |line: &&str| {
        let line = line.to_ascii_lowercase();
        WANTS.iter().any(|text| line.contains(text))
    };
    let mut lines = output.lines().filter(wants);
    let name = lines.find_map(|line| variable_in(line, &given.env))?;
    let correction = Correction::Variable {
        name: name.clone(),
        value: String::new(),
    };
    diagnosis(
        FailureCause::ValueMissing { name },
        correct(FormPart::Variables, correction),
    )
}

/// The first name of a variable in a line: one that the server has, or one that is written like one.
fn variable_in(line: &str, declared: &[String]) -> Option<String> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_variable = |word: &&str| {
        let is_declared = declared.iter().any(|name| name == word);
        (is_declared || is_written_like_a_variable(word)) && variable_effect(word).is_none()
    };
    words
        .filter(|word| word.len() <= 64)
        .find(is_variable)
        .map(str::to_owned)
}

fn is_written_like_a_variable(word: &str) -> bool {
    let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word.len() >= 4
        && word.trim_matches('_').contains('_')
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(allowed)
        && !word.starts_with("ERR_")
}

/// An argument that is a path, which the program did not find. Only arguments of the user are named.
fn path_missing(output: &ProgramOutput, given: &Program) -> Option<Diagnosis> {
    let is_path = |arg: &&String| arg.contains('/') && arg.len() > 2;
    let is_named = |arg: &&String| output.lines().any(|line| line.contains(arg.as_str()));
    let path = given.args.iter().filter(is_path).find(is_named)?.clone();
    diagnosis(FailureCause::PathMissing { path }, edit(FormPart::Arguments))
}

fn port_taken(output: &ProgramOutput) -> Option<Diagnosis> {
    let port = output.lines().find_map(port_in);
    let step = port.map_or(NextStep::Retry, |port| guide(Guide::Port { port }));
    diagnosis(FailureCause::PortTaken { port }, step)
}

/// The number after the last colon, or after "port".
fn port_in(line: &str) -> Option<u16> {
    let lower = line.to_ascii_lowercase();
    if !(lower.contains("in use") || lower.contains("eaddrinuse")) {
        return None;
    }
    let parts = line.split(|c: char| !c.is_ascii_digit() && c != ':');
    let after_colon = parts
        .filter_map(|part| part.rsplit_once(':'))
        .map(|(_, digits)| digits);
    let after_word = lower.split("port ").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        &rest[..end]
    });
    let mut numbers = after_colon
        .chain(after_word)
        .filter_map(|digits| digits.parse().ok());
    numbers.find(|port| *port > 0)
}
