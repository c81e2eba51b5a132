//! The cause of a failed start where the error output of the program names none: its exit status or signal, text on its
//! standard output in place of messages, or no output at all.

use vestibule_app_protocol::{Correction, Diagnosis, FailureCause, FormPart, NextStep};
use vestibule_store::Program;

use super::output::ProgramOutput;
use super::runtimes::is_downloading;
use super::steps::{arguments, correct, edit};
use super::tools::{file_name, tool_of};
use super::{container, diagnosis};

/// What the system says of a process that it killed, as a signal and as the code of a shell.
const KILLED: (i32, i32) = (9, 137);
/// Signals of programs that broke: illegal instruction, abort, bus error, arithmetic, invalid memory.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];

/// The diagnosis of an end, or of a start that took too long. `is_launcher` where the program itself fetches what it runs.
pub(super) fn diagnose(
    output: &ProgramOutput,
    given: &Program,
    has_ended: bool,
    is_launcher: bool,
) -> Option<Diagnosis> {
    if output.signal() == Some(KILLED.0) || output.exit_code() == Some(KILLED.1) {
        return diagnosis(FailureCause::Killed, NextStep::Retry);
    }
    if let Some(signal) = output.signal().filter(|signal| CRASHES.contains(signal)) {
        return diagnosis(FailureCause::Crashed { signal }, NextStep::Log);
    }
    if let Some(args) = container::with_input(given) {
        return diagnosis(FailureCause::InputNotPassed, arguments(args));
    }
    if let Some(line) = output.first_skipped() {
        return not_messages(line);
    }
    if !has_ended {
        let tool = tool_of(&given.command).filter(|_| is_launcher && is_downloading(output))?;
        return diagnosis(FailureCause::DownloadSlow { tool }, NextStep::Retry);
    }
    match output.exit_code().filter(|_| output.is_silent())? {
        0 => diagnosis(FailureCause::SilentEnd, edit(FormPart::Arguments)),
        // npm takes the exit code of an install script for that of the program, and then says nothing of it.
        _ if is_launcher && file_name(&given.command) == "npx" => {
            diagnosis(FailureCause::NpxSilent, NextStep::Retry)
        }
        _ => None,
    }
}

/// dotenv announces itself on the output and has a variable against it; others are looked up in the log.
fn not_messages(line: String) -> Option<Diagnosis> {
    let is_dotenv = line.contains("dotenv") || line.contains("injected env");
    let step = if is_dotenv {
        let quiet = Correction::Variable {
            name: "DOTENV_CONFIG_QUIET".to_owned(),
            value: "true".to_owned(),
        };
        correct(FormPart::Variables, quiet)
    } else {
        NextStep::Log
    };
    diagnosis(FailureCause::OutputNotMessages { line }, step)
}
