//! Servers that other people wrote, as they are installed from PyPI and npm: through the whole host, and in each
//! handshake revision. What we and our own servers might misread alike, these read their own way.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod in_each_revision;
mod through_the_host;

use std::path::{Path, PathBuf};

/// How to start a server.
struct Peer {
    command: String,
    args: Vec<String>,
}

fn installed(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let path = root.join("target/peers").join(path);
    assert!(
        path.exists(),
        "{} is not installed. `make setup-tests` installs the servers these tests talk to; `make test` does it first.",
        path.display()
    );
    path
}

fn from_pypi(name: &str) -> Peer {
    Peer {
        command: installed(&format!("py/bin/{name}")).display().to_string(),
        args: vec![],
    }
}

fn from_npm(name: &str, args: &[&str]) -> Peer {
    let script = installed(&format!(
        "npm/node_modules/@modelcontextprotocol/{name}/dist/index.js"
    ));
    let mut all = vec![script.display().to_string()];
    all.extend(args.iter().map(|arg| (*arg).to_owned()));
    Peer {
        command: "node".into(),
        args: all,
    }
}
