//! A registry of npm packages on the loopback interface, and npm itself with an empty configuration that names it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use base64::Engine as _;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha512};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use vestibule_transport::{Exit, SpawnError};

use super::super::tool::{LineReader, RunTool, ToolLaunch};
use super::super::{DownloadProgress, Tools};

/// A package of the registry: its `package.json`, and its files beside that.
pub(crate) struct Published<'a> {
    pub(crate) manifest: Value,
    pub(crate) files: &'a [(&'a str, &'a str)],
}

#[derive(Default)]
struct Shelf {
    /// The bytes of each answer, by path.
    answers: BTreeMap<String, Vec<u8>>,
    /// The paths that were asked for.
    asked: Vec<String>,
}

/// The registry. It closes when it is dropped.
pub(crate) struct Registry {
    address: String,
    shelf: Arc<Mutex<Shelf>>,
    task: JoinHandle<()>,
    /// The folder of the home and the configuration that npm is given.
    pub(crate) home: tempfile::TempDir,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Registry {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shelf: Arc<Mutex<Shelf>> = Arc::default();
        let shared = shelf.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, shared.clone()));
            }
        });
        let home = tempfile::tempdir().unwrap();
        std::fs::write(
            home.path().join(".npmrc"),
            format!("registry={address}/\nfetch-retry-mintimeout=1\nfetch-retry-maxtimeout=1\n"),
        )
        .unwrap();
        Self {
            address,
            shelf,
            task,
            home,
        }
    }

    /// Puts a version of a package on offer, and makes it the newest.
    pub(crate) fn publish(&self, package: &Published<'_>) {
        let mut manifest = package.manifest.clone();
        let (name, version) = (text(&manifest, "name"), text(&manifest, "version"));
        let archive = archive(package);
        let path = format!("/{name}/-/{name}-{version}.tgz");
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha512::digest(&archive));
        manifest["dist"] = json!({
            "tarball": format!("{}{path}", self.address),
            "integrity": format!("sha512-{hash}"),
        });
        if manifest["scripts"]["postinstall"].is_string() {
            manifest["hasInstallScript"] = json!(true);
        }
        let mut shelf = self.shelf.lock().unwrap();
        let known = shelf.answers.get(&format!("/{name}"));
        let mut document = known.map_or_else(
            || json!({ "name": name, "versions": {} }),
            |known| serde_json::from_slice(known).unwrap(),
        );
        document["dist-tags"] = json!({ "latest": version });
        document["versions"][&version] = manifest;
        shelf
            .answers
            .insert(format!("/{name}"), document.to_string().into_bytes());
        shelf.answers.insert(path, archive);
    }

    /// Has the archive of a package answered with other bytes than its description says.
    pub(crate) fn replace_archives(&self, bytes: &[u8]) {
        let mut shelf = self.shelf.lock().unwrap();
        for (path, answer) in &mut shelf.answers {
            if path.ends_with(".tgz") {
                *answer = bytes.to_vec();
            }
        }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.shelf.lock().unwrap().asked)
    }

    /// npm as the user has it, told where the registry is by the user's own configuration alone.
    pub(crate) fn tools<'a>(
        &self,
        run: &'a Plain,
        progress: &'a (dyn Fn(DownloadProgress) + Sync),
    ) -> Tools<'a> {
        let home = self.home.path().display().to_string();
        Tools {
            run,
            program: npm(),
            env: vec![
                ("HOME".into(), home.clone().into()),
                ("npm_config_cache".into(), format!("{home}/cache").into()),
            ],
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            progress,
        }
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

fn npm() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    vestibule_transport::path::resolve("npm", &path, None).unwrap_or_else(|_| panic!("npm is not installed"))
}

#[expect(clippy::disallowed_methods, reason = "a test makes the archive of a package")]
fn archive(package: &Published<'_>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("package");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("package.json"), package.manifest.to_string()).unwrap();
    for (name, content) in package.files {
        std::fs::write(inner.join(name), content).unwrap();
    }
    let made = std::process::Command::new("tar")
        .args(["-czf", "-", "package"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success());
    made.stdout
}

async fn answer(mut stream: TcpStream, shelf: Arc<Mutex<Shelf>>) {
    let mut request = vec![];
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read_exact(&mut byte).await.is_err() {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let found = {
        let mut shelf = shelf.lock().unwrap();
        shelf.asked.push(path.clone());
        shelf.answers.get(&path).cloned()
    };
    let (status, body) = found.map_or(("404 Not Found", b"{}".to_vec()), |body| ("200 OK", body));
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(&body).await;
}

/// Runs a tool without the guard process, which these tests do not build.
pub(crate) struct Plain;

#[async_trait]
impl RunTool for Plain {
    #[expect(clippy::disallowed_methods, reason = "a test runs npm")]
    async fn run(&self, launch: ToolLaunch, line: &mut LineReader<'_>) -> Result<Option<Exit>, SpawnError> {
        let refused = |error: std::io::Error| SpawnError::Refused(error.to_string());
        let env = launch
            .env
            .iter()
            .map(|(name, value)| (name, value.expose_secret()));
        let mut child = tokio::process::Command::new(&launch.program)
            .args(&launch.args)
            .current_dir(&launch.folder)
            .env_clear()
            .env("PATH", &launch.search_path)
            .envs(env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(refused)?;
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while let Ok(Some(text)) = lines.next_line().await {
            line(&text);
        }
        // npm and uv print less than what a pipe holds.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while let Ok(Some(text)) = lines.next_line().await {
            line(&text);
        }
        let status = child.wait().await.map_err(refused)?;
        Ok(Some(Exit {
            code: status.code(),
            signal: None,
        }))
    }
}

/// Runs the program of a fetched package and gives back what it prints.
#[expect(clippy::disallowed_methods, reason = "a test runs a package of its own")]
pub(crate) fn run(program: &Path) -> String {
    let ran = std::process::Command::new(program).arg("x").output().unwrap();
    String::from_utf8(ran.stdout).unwrap()
}
