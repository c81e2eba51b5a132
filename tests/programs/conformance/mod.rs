//! `vestibule-driver conformance … URL`: the client under test for the official conformance suite, which says through
//! the environment what it plays and judges what it sees on the wire. All the driver knows of a scenario is its script:
//! what a person would do there (`script`), and what they would fill in (`values`). Signing in is not here yet; a
//! scenario that needs it fails.

mod script;
mod session;
mod values;

use std::process::ExitCode;
use std::time::Duration;

use script::Script;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The suite ends only the shell around us when it loses patience.
const PATIENCE: Duration = Duration::from_secs(25);

/// Plays the scenario of the environment against the address, which comes last.
pub(crate) fn main(args: impl Iterator<Item = String>) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: impl Iterator<Item = String>) -> Result<()> {
    let url = args.last().ok_or("the address of the server is missing")?;
    let script = Script::from_environment()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        tokio::time::timeout(PATIENCE, session::play(&url, &script))
            .await
            .map_err(|_| format!("not done within {} seconds", PATIENCE.as_secs()))?
    })
}
