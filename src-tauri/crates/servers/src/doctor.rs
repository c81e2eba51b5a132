//! Recognises why a server does not work, from what the system, its launcher, the program itself or an address said, and
//! names one next step. Pure functions over recorded evidence: nothing is started, sent or read here. Everything a server
//! wrote is data: at most [`MAX_LINES`] lines of it are compared with fixed texts, names taken from it consist of few
//! kinds of characters, and no step carries out anything that is not shown and asked again.

mod address;
mod container;
pub(crate) mod elsewhere;
mod ends;
mod npm;
mod output;
mod program;
mod runtimes;
mod signs;
mod steps;
mod tools;
mod uv;
mod values;

use std::path::Path;

use vestibule_app_protocol::{Diagnosis, FailureCause, InputProblem, NextStep, Problem, ServerProblem};
use vestibule_store::ServerPlace;

use crate::config::launch::may_download;
use crate::server::log::Log;
use crate::server::state::{Lifecycle, ServerSnapshot};
use output::ProgramOutput;

/// How many of the last lines of a program are compared.
const MAX_LINES: usize = 50;
/// How many lines of the output that were no messages are evidence.
const MAX_SKIPPED: usize = 5;

/// What is known of a failure.
pub(crate) struct Evidence<'a> {
    pub(crate) place: &'a ServerPlace,
    pub(crate) problem: &'a Problem,
    /// Lines on the output of the program that were no messages, oldest first.
    pub(crate) skipped: Vec<String>,
    /// Whether it starts from a downloaded package, so that its launcher does not run.
    pub(crate) has_package: bool,
}

/// What is wrong with a server that is down or waits, where it is recognised.
pub(crate) fn diagnose_snapshot(snapshot: &ServerSnapshot, log: &Log) -> Option<Diagnosis> {
    let problem = match &snapshot.state {
        Lifecycle::Failed { problem }
        | Lifecycle::Reconnecting { problem, .. }
        | Lifecycle::SignInRequired { problem } => problem,
        Lifecycle::Stopped
        | Lifecycle::NotStarted(_)
        | Lifecycle::AwaitingApproval { .. }
        | Lifecycle::Downloading(_)
        | Lifecycle::Starting { .. }
        | Lifecycle::Connected(_)
        | Lifecycle::Lost(_)
        | Lifecycle::SigningIn
        | Lifecycle::Stopping => return None,
    };
    diagnose(&Evidence {
        place: &snapshot.record.place,
        problem,
        skipped: log.skipped_since_start(MAX_SKIPPED),
        has_package: snapshot.package.is_some(),
    })
}

/// The cause of a failure and the next step; `None` where it is not recognised.
pub(crate) fn diagnose(evidence: &Evidence<'_>) -> Option<Diagnosis> {
    let problem = match evidence.problem {
        Problem::Server(problem) => problem,
        Problem::Input(InputProblem::SecretsMissing { names }) => {
            return values::not_entered(names, evidence.place);
        }
        _ => return None,
    };
    match evidence.place {
        ServerPlace::Here(given) => {
            let (exit, said) = match problem {
                ServerProblem::ServerEnded { exit, stderr } => (exit.as_deref(), stderr.as_slice()),
                ServerProblem::StartTimedOut { stderr, .. } => (None, stderr.as_slice()),
                ServerProblem::NotDownloaded { detail, stderr, .. } => {
                    (Some(detail.as_str()), stderr.as_slice())
                }
                _ => return program::diagnose(problem, given),
            };
            let output = ProgramOutput::new(exit, said, &evidence.skipped);
            let has_ended = matches!(problem, ServerProblem::ServerEnded { .. });
            let was_fetching = matches!(problem, ServerProblem::NotDownloaded { .. });
            let is_launcher = may_download(Path::new(&given.command), &given.args)
                && (was_fetching || !evidence.has_package);
            signs::diagnose(&output, given).or_else(|| ends::diagnose(&output, given, has_ended, is_launcher))
        }
        ServerPlace::Address(endpoint) => address::diagnose(problem, endpoint),
    }
}

fn diagnosis(cause: FailureCause, step: NextStep) -> Option<Diagnosis> {
    Some(Diagnosis { cause, step })
}

#[cfg(test)]
mod tests;
