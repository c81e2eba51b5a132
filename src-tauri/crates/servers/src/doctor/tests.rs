//! The doctor's table: each failure finds its sentence and its button. What this system can produce comes from real
//! programs and listeners (`provoked`); the rest is output recorded in the formats of the tools.

mod hostile;
mod provoked;
mod recorded;

use vestibule_app_protocol::{Diagnosis, FailureCause, Problem, RuntimeTool, ServerProblem};
use vestibule_store::{Program, ServerPlace};

use super::{Evidence, diagnose};

fn program(command: &[&str], env: &[&str]) -> Program {
    let (first, rest) = command.split_first().expect("a command has a program");
    Program {
        command: (*first).to_owned(),
        args: rest.iter().map(ToString::to_string).collect(),
        env: env.iter().map(ToString::to_string).collect(),
        ..Program::default()
    }
}

/// What is said of a program that failed like this.
fn diagnosed(given: Program, problem: ServerProblem, skipped: Vec<String>) -> Option<Diagnosis> {
    diagnose(&Evidence {
        place: &ServerPlace::Here(given),
        problem: &Problem::Server(problem),
        skipped,
        has_package: false,
    })
}

/// What is said of a program that ended with these words.
fn ended(given: Program, exit: &str, said: &[&str]) -> Option<Diagnosis> {
    let problem = ServerProblem::ServerEnded {
        exit: Some(exit.to_owned()),
        stderr: said.iter().map(ToString::to_string).collect(),
    };
    diagnosed(given, problem, vec![])
}

#[test]
fn only_a_launcher_that_runs_is_said_to_be_downloading_or_to_have_installed_nothing() {
    let cause = |command: &[&str], has_package, problem| {
        let place = &ServerPlace::Here(program(command, &[]));
        let evidence = Evidence {
            place,
            problem: &Problem::Server(problem),
            skipped: vec![],
            has_package,
        };
        diagnose(&evidence).map(|found| found.cause)
    };
    let slow = || ServerProblem::StartTimedOut {
        seconds: 300,
        stderr: vec![],
    };
    let failed = || ServerProblem::ServerEnded {
        exit: Some("exit code 1".to_owned()),
        stderr: vec![],
    };
    let npx = ["npx", "-y", "notes"];
    let tool = RuntimeTool::Node;
    assert_eq!(
        cause(&npx, false, slow()),
        Some(FailureCause::DownloadSlow { tool })
    );
    assert_eq!(cause(&npx, false, failed()), Some(FailureCause::NpxSilent));
    for (command, has_package) in [(&npx[..], true), (&["node", "notes.js"], false)] {
        assert_eq!(cause(command, has_package, slow()), None, "{command:?}");
        assert_eq!(cause(command, has_package, failed()), None, "{command:?}");
    }
}
