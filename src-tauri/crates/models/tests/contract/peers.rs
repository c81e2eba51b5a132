//! Programs of others that these tests run, installed under `target/peers` by `scripts/setup.sh tests`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::*;

/// Starting a server with a large package takes its time on a busy computer.
const LONGEST_START: Duration = Duration::from_secs(120);

/// A server of others that listens on this computer; it ends when this is dropped and with the thread of the test.
pub(crate) struct Listening {
    pub(crate) root: Url,
    _server: Child,
}

impl Listening {
    /// Starts a server, which prints its address in a line of its standard output.
    pub(crate) async fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let root = tokio::time::timeout(LONGEST_START, async {
            loop {
                let line = lines.next_line().await.unwrap().expect("the server listens");
                if let Some((_, port)) = line.split_once("http://127.0.0.1:") {
                    break Url::parse(&format!("http://127.0.0.1:{port}")).unwrap();
                }
            }
        });
        let root = root.await.expect("the server says where it listens");
        // It may go on talking, and stops where nothing takes that.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            root,
            _server: server,
        }
    }
}

/// How a program of others is started. It finds the packages from npm, writes nothing beside its scripts and reaches
/// this computer without a proxy.
pub(crate) fn peer(program: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a peer of the tests, not an MCP server")]
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL"])
        .arg(program)
        .env("NODE_PATH", installed("npm/node_modules"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NO_PROXY", "127.0.0.1")
        .kill_on_drop(true);
    command
}

pub(crate) fn installed(path: &str) -> PathBuf {
    let path = project().join("target/peers").join(path);
    assert!(
        path.exists(),
        "{} is not installed. `make setup-tests` installs what these tests run; `make test` does it first.",
        path.display()
    );
    path
}

/// The root of the project.
pub(crate) fn project() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    crates
        .ancestors()
        .nth(3)
        .expect("the crate is a folder of the project")
}
