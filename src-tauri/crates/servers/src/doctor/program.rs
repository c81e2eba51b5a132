//! What the system says of a program that was not found or did not run.

use std::path::Path;

use vestibule_app_protocol::{Correction, Diagnosis, FailureCause, FormPart, NextStep, ServerProblem};
use vestibule_store::Program;

use super::diagnosis;
use super::output::number_after;
use super::steps::{edit, install};
use super::tools::{file_name, tool_of};

/// Error numbers of Linux and macOS that the system refuses to run a program with.
const ENOENT: i32 = 2;
const ENOEXEC: i32 = 8;
const EACCES: i32 = 13;

pub(super) fn diagnose(problem: &ServerProblem, given: &Program) -> Option<Diagnosis> {
    match problem {
        ServerProblem::CommandNotFound {
            command,
            looked_in,
            elsewhere,
        } => not_found(command, looked_in, elsewhere.as_deref()),
        ServerProblem::CommandNotExecutable { path } => {
            let path = path.clone();
            diagnosis(FailureCause::NotExecutable { path }, edit(FormPart::Command))
        }
        ServerProblem::NotStarted { program, detail } => not_started(program, detail, given),
        ServerProblem::UnsupportedRevision { answered } => {
            let revision = answered.chars().take(40).collect();
            diagnosis(FailureCause::OtherProtocol { revision }, NextStep::Log)
        }
        _ => None,
    }
}

fn not_found(command: &str, looked_in: &[String], elsewhere: Option<&str>) -> Option<Diagnosis> {
    let program = file_name(command).to_owned();
    if let Some(found) = elsewhere {
        return found_elsewhere(program, looked_in, found);
    }
    let tool = tool_of(command);
    let step = tool.map_or_else(|| edit(FormPart::Command), install);
    diagnosis(FailureCause::ProgramMissing { program, tool }, step)
}

/// The form names the program that is there, and puts its folder before the search path: such programs start others of
/// the same folder by name.
fn found_elsewhere(program: String, looked_in: &[String], found: &str) -> Option<Diagnosis> {
    let folder = Path::new(found).parent()?.display().to_string();
    let folders = looked_in.iter().filter_map(|place| Path::new(place).parent());
    let folders = folders.map(|place| place.display().to_string());
    let path: Vec<String> = std::iter::once(folder.clone()).chain(folders).collect();
    let corrections = vec![
        Correction::Command {
            command: found.to_owned(),
        },
        Correction::Variable {
            name: "PATH".to_owned(),
            value: path.join(":"),
        },
    ];
    let step = NextStep::Edit {
        part: FormPart::Command,
        corrections,
    };
    diagnosis(FailureCause::ProgramElsewhere { program, folder }, step)
}

fn not_started(program: &str, detail: &str, given: &Program) -> Option<Diagnosis> {
    let folder = detail
        .strip_prefix("the folder ")
        .and_then(|rest| rest.strip_suffix(" to start in does not exist"));
    if let Some(folder) = folder {
        let folder = folder.to_owned();
        return diagnosis(FailureCause::FolderMissing { folder }, edit(FormPart::Folder));
    }
    let path = match program {
        "" => given.command.clone(),
        program => program.to_owned(),
    };
    match number_after(detail, "(os error ")? {
        ENOENT => diagnosis(
            FailureCause::InterpreterNotThere { path },
            edit(FormPart::Command),
        ),
        ENOEXEC => diagnosis(FailureCause::WrongFormat, edit(FormPart::Command)),
        EACCES => diagnosis(FailureCause::NotPermitted, edit(FormPart::Command)),
        _ => None,
    }
}
