//! Runs npm and uv: one program at a time, with a limit of time, its output bounded. Dropping the run ends the program and
//! all that it started.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};
use vestibule_transport::{CloseCause, Exit, Incoming, SpawnError, Transport};

/// How long one run of npm or uv may take.
const LIMIT: Duration = Duration::from_secs(10 * 60);
/// How many lines of the output are kept, and how much of each, in bytes.
const KEPT_LINES: usize = 50;
/// How many bytes of an answer are read.
const LONGEST_ANSWER: usize = 64 * 1024;
const KEPT_LINE: usize = 300;

/// How far a download is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DownloadProgress {
    /// How many packages have arrived, as far as the tool says so.
    pub(crate) arrived: u32,
    /// How many there are; 0 while that is not known.
    pub(crate) total: u32,
}

/// Why a tool did not do what it was run for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("{0}")]
    NotStarted(SpawnError),
    #[error("{}", exit.map_or_else(|| "it was ended".to_owned(), |exit| exit.to_string()))]
    Failed {
        exit: Option<Exit>,
        /// The last lines of its output. Untrusted text.
        lines: Vec<String>,
    },
    #[error("it took longer than {} seconds", .0.as_secs())]
    TooLong(Duration),
}

/// A program that is run to its end.
#[derive(Clone)]
pub(crate) struct ToolLaunch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) env: Vec<(String, SecretString)>,
    pub(crate) search_path: OsString,
}

/// Takes one line of output after the other.
pub(crate) type LineReader<'a> = dyn FnMut(&str) + Send + 'a;

/// Runs a program and hands out each line of its output.
#[async_trait]
pub(crate) trait RunTool: Send + Sync {
    async fn run(&self, launch: ToolLaunch, line: &mut LineReader<'_>) -> Result<Option<Exit>, SpawnError>;
}

/// The tool of a runner, and what it is run with.
pub(crate) struct Tools<'a> {
    pub(crate) run: &'a dyn RunTool,
    /// npm or uv itself, absolute.
    pub(crate) program: PathBuf,
    /// The variables that say where packages come from and how they are reached.
    pub(crate) env: Vec<(String, SecretString)>,
    pub(crate) search_path: OsString,
    /// Told how far the download is.
    pub(crate) progress: &'a (dyn Fn(DownloadProgress) + Sync),
}

impl Tools<'_> {
    /// Runs the tool in a folder to its end. `arrived` tells whether a line says that a package has arrived.
    pub(super) async fn run(
        &self,
        args: &[&str],
        folder: &Path,
        total: u32,
        arrived: fn(&str) -> bool,
    ) -> Result<(), ToolError> {
        let mut output = VecDeque::new();
        let mut progress = DownloadProgress { arrived: 0, total };
        (self.progress)(progress.clone());
        let mut line = |line: &str| {
            if arrived(line) {
                progress.arrived = (progress.arrived + 1).min(total.max(1));
                (self.progress)(progress.clone());
            }
            if output.len() == KEPT_LINES {
                output.pop_front();
            }
            output.push_back(line[..line.floor_char_boundary(KEPT_LINE)].to_owned());
        };
        match self.run_lines(args, folder, &mut line).await? {
            Some(Exit { code: Some(0), .. }) => Ok(()),
            exit => Err(ToolError::Failed {
                exit,
                lines: output.into(),
            }),
        }
    }

    /// Runs the tool and gives back what it prints, bounded; empty where it fails.
    pub(super) async fn answer(&self, args: &[&str], folder: &Path) -> Result<String, ToolError> {
        let mut output = String::new();
        let mut line = |line: &str| {
            if output.len() + line.len() < LONGEST_ANSWER {
                output.push_str(line);
                output.push('\n');
            }
        };
        let exit = self.run_lines(args, folder, &mut line).await?;
        let succeeded = matches!(exit, Some(Exit { code: Some(0), .. }));
        Ok(if succeeded { output } else { String::new() })
    }

    async fn run_lines(
        &self,
        args: &[&str],
        folder: &Path,
        line: &mut LineReader<'_>,
    ) -> Result<Option<Exit>, ToolError> {
        let launch = ToolLaunch {
            program: self.program.clone(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            folder: folder.to_owned(),
            env: self.env.clone(),
            search_path: self.search_path.clone(),
        };
        let run = tokio::time::timeout(LIMIT, self.run.run(launch, line)).await;
        run.map_err(|_| ToolError::TooLong(LIMIT))?
            .map_err(ToolError::NotStarted)
    }
}

/// Runs programs under the guard process.
pub(crate) struct GuardedRunner(pub(crate) GuardHandle);

#[async_trait]
impl RunTool for GuardedRunner {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that runs npm and uv, for a start that was approved"
    )]
    async fn run(&self, launch: ToolLaunch, line: &mut LineReader<'_>) -> Result<Option<Exit>, SpawnError> {
        let launch = LaunchSpec {
            program: launch.program,
            args: launch.args,
            env: launch.env,
            cwd: launch.folder,
            search_path: launch.search_path,
            files: vec![],
        };
        let mut transport = StdioTransport::spawn(launch, &self.0, Patience::default()).await?;
        loop {
            match transport.receive().await {
                Incoming::Diagnostic(text) => line(&text),
                Incoming::Frame(bytes) => line(&String::from_utf8_lossy(&bytes)),
                Incoming::Junk { sample, .. } => line(&sample),
                Incoming::Closed(reason) => {
                    return match reason.cause {
                        CloseCause::NotStarted(error) => Err(error),
                        _ => Ok(reason.exit),
                    };
                }
                _ => {}
            }
        }
    }
}
