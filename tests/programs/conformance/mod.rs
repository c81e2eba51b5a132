//! `vestibule-driver conformance … URL`: the client under test for the official conformance suite, which says through
//! the environment what it plays and judges what it sees on the wire. A scenario is played by the whole host, as a
//! person uses it: the server is added at its address and connected after a question (`stack`), a scripted model asks
//! for its tools, each call passes the gate, someone answers every card (`person`) and picks resources and prompts.
//! Where the server wants a sign-in they begin it, and the browser that is started with the page is this program
//! (`page`). All the driver knows of a scenario is its script: what a user would do there (`script`), and what they
//! would fill in (`values`).
//!
//! Credentials that the suite hands out are entered in the settings of the server's sign-in (`credentials`).
//!
//! One thing the host does not do is played over the session crate alone (`session`): calls whose arguments the tool's
//! own schema does not allow. The host refuses those before the user is asked.

mod credentials;
mod page;
mod person;
mod script;
mod session;
mod stack;
mod values;

use std::process::ExitCode;
use std::time::Duration;

use script::Script;
use session::Session;

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

/// Visits a page, as the browser that a host starts.
pub(crate) fn browse(page: &str) -> ExitCode {
    match visited(page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn visited(page: &str) -> Result<()> {
    runtime()?.block_on(page::visit(&page.parse()?))
}

fn run(args: impl Iterator<Item = String>) -> Result<()> {
    let url = args.last().ok_or("the address of the server is missing")?;
    let script = Script::from_environment()?;
    runtime()?.block_on(async {
        tokio::time::timeout(PATIENCE, play(&url, &script))
            .await
            .map_err(|_| format!("not done within {} seconds", PATIENCE.as_secs()))?
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    Ok(builder.enable_all().build()?)
}

async fn play(url: &str, script: &Script) -> Result<()> {
    let misfits = stack::play(url, script).await?;
    if misfits.is_empty() {
        return Ok(());
    }
    let session = Session::open(url).await?;
    for call in &misfits {
        session.call(call).await?;
    }
    session.close().await;
    Ok(())
}
