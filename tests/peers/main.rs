//! Servers that other people wrote, as they are installed from PyPI and npm, and servers made with other people's SDKs:
//! each in every revision it speaks, over the transports it has, and some of them through the whole host. What we and
//! our own servers might misread alike, these read their own way.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "most of these tests speak to sessions directly"
)]

mod everything;
mod listening;
mod llama;
mod meeting;
mod npm;
mod offered;
mod pypi;
mod sdks;
mod through_the_host;

use std::path::{Path, PathBuf};

/// How to start a server.
struct Peer {
    command: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

fn installed(path: &str) -> PathBuf {
    let path = root().join("target/peers").join(path);
    assert!(
        path.exists(),
        "{} is not installed. `make setup-tests` installs the servers these tests talk to; `make test` does it first.",
        path.display()
    );
    path
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are a folder of the project")
}

fn from_pypi(name: &str) -> Peer {
    Peer {
        command: installed(&format!("py/bin/{name}")).display().to_string(),
        args: vec![],
        env: vec![],
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
        env: vec![],
    }
}
