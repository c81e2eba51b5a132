//! The cause of a failed start where the error output of the program names none: its exit status or signal, text on its
//! standard output in place of messages, or no output at all.

use vestibule_app_protocol::{Correction, Diagnosis, FailureCause, FormPart, NextStep};
use vestibule_store::Program;

use super::output::ProgramOutput;
use super::runtimes::{downloads, is_downloading};
use super::steps::{arguments, correct, edit};
use super::{container, diagnosis};

/// What the system says of a process that it killed, as a signal and as the code of a shell.
const KILLED: (i32, i32) = (9, 137);
/// Signals of programs that broke: illegal instruction, abort, bus error, arithmetic, invalid memory.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];

/// The diagnosis of an end, or of a start that took too long.
pub(super) fn diagnose(output: &ProgramOutput, given: &Program, has_ended: bool) -> Option<Diagnosis> {
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
    if has_ended {
        let is_silent = output.is_silent() && output.exit_code() == Some(0);
        return is_silent.then(|| diagnosis(FailureCause::SilentEnd, edit(FormPart::Arguments)))?;
    }
    let tool = downloads(given).filter(|_| is_downloading(output))?;
    diagnosis(FailureCause::DownloadSlow { tool }, NextStep::Retry)
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
