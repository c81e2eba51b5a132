//! Opening a page in the browser the user uses, the way a double click does: the system's own opener is started
//! with the address as its one argument. No shell reads it, nothing of it is fetched here, and nothing is learned
//! about what happens on the page.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use thiserror::Error;
use tokio::process::{Child, Command};

use crate::path::resolve;

/// How long an opener may take to say that it failed. One that runs on has a browser to show for it.
const TO_FAIL: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Browser {
    /// Whatever the user set as their browser.
    #[default]
    OfTheSystem,
    /// This program, with the address as its only argument.
    Program(PathBuf),
}

/// The browser was not started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the browser could not be started: {0}")]
pub struct NotOpened(pub String);

impl Browser {
    /// Opens exactly this address. Only https is taken, and http as the caller has judged it.
    ///
    /// # Errors
    /// When there is no opener, or it says at once that it failed.
    pub async fn open(&self, url: &str) -> Result<(), NotOpened> {
        if !(url.starts_with("https://") || url.starts_with("http://")) {
            return Err(NotOpened("only web pages are opened".into()));
        }
        let (program, leading) = self.opener()?;
        let mut child = start(&program, leading, url).map_err(|error| NotOpened(error.to_string()))?;
        match tokio::time::timeout(TO_FAIL, child.wait()).await {
            Ok(Ok(status)) if !status.success() => Err(NotOpened(format!("the opener ended with {status}"))),
            Ok(Err(error)) => Err(NotOpened(error.to_string())),
            Ok(Ok(_)) => Ok(()),
            Err(_) => {
                // It is the browser itself; its exit code does not matter, but it must be reaped.
                tokio::spawn(async move { child.wait().await });
                Ok(())
            }
        }
    }

    fn opener(&self) -> Result<(PathBuf, &'static [&'static str]), NotOpened> {
        if let Self::Program(program) = self {
            return Ok((program.clone(), &[]));
        }
        let (name, leading): (&str, &'static [&'static str]) = if cfg!(target_os = "macos") {
            ("/usr/bin/open", &[])
        } else if cfg!(windows) {
            ("rundll32.exe", &["url.dll,FileProtocolHandler"])
        } else {
            ("xdg-open", &[])
        };
        let search = env::var_os("PATH");
        let found = resolve(name, search.as_deref().unwrap_or(OsStr::new("")), None);
        let program = found.map_err(|missing| NotOpened(missing.to_string()))?;
        Ok((program, leading))
    }
}

/// Starts the opener with the address as its last argument.
#[expect(clippy::disallowed_methods, reason = "the one place that opens pages")]
fn start(program: &Path, leading: &[&str], url: &str) -> io::Result<Child> {
    Command::new(program)
        .args(leading)
        .arg(url)
        // A template in there would be filled in by a shell.
        .env_remove("BROWSER")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
