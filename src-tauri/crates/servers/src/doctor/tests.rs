//! The doctor's table: each failure finds its sentence and its button. What this system can produce comes from real
//! programs and listeners (`provoked`); the rest is output recorded in the formats of the tools.

mod hostile;
mod provoked;
mod recorded;

use vestibule_app_protocol::{Diagnosis, Problem, ServerProblem};
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
