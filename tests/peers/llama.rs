//! llama.cpp's own server with a model that `peers/models/made_model.py` makes: how much of a prompt it takes from its
//! cache, by its own figures, and how near the meter of a chat is to its count.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use vestibule_host::view::{EntryBody, EntryView, UsageView};
use vestibule_protocol::ChatId;
use vestibule_tests::{Scene, connection_draft, soon, text_result};

use crate::{installed, root};

const KEY: &str = "a-key-of-the-model";
/// The least part of a prompt that comes from the cache, and the most that an estimate is off, in percent.
const CACHED: u64 = 90;
const OFF: u64 = 10;

/// The server of a made model, with a tap before it.
struct Llama {
    url: String,
    tap: Tap,
    _server: Child,
    _folder: TempDir,
}

impl Llama {
    /// Makes a model that calls `tool` once where it is offered tools, and serves it.
    async fn start(tool: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("small.gguf");
        let python = installed("models/bin/python");
        let script = |name: &str| root().join("tests/peers/models").join(name);
        let made = Command::new(&python)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(script("made_model.py"))
            .arg(&file)
            .args([
                tool,
                r#"{"message":"Hello from a small model"}"#,
                "The tool has answered.",
                "call",
            ])
            .status()
            .await
            .unwrap();
        assert!(made.success());
        let mut server = Command::new(&python)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(script("gguf_server.py"))
            .arg(&file)
            .arg(KEY)
            .stdout(std::process::Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let address = loop {
            let line = soon("the server to listen", lines.next_line())
                .await
                .unwrap()
                .unwrap();
            if let Some((_, address)) = line.split_once("listening on http://") {
                break address.to_owned();
            }
        };
        let tap = Tap::start(address).await;
        Self {
            url: format!("http://{}/v1", tap.address),
            tap,
            _server: server,
            _folder: folder,
        }
    }

    /// A chat with this model.
    async fn chat(&self, scene: &Scene) -> ChatId {
        let draft = connection_draft(&self.url, Some(KEY), &["small"]);
        let model = scene.host.connection_save(draft).await.unwrap().models[0];
        let is_here = |seen: &vestibule_tests::Projection| seen.models.iter().any(|one| one.id == model);
        scene.window.until("the model", is_here).await;
        let chat = scene.chat().await;
        scene.host.chat_model(chat, Some(model)).await.unwrap();
        chat
    }
}

/// Passes everything on, keeps what the server says, and holds what the host says while it is closed.
struct Tap {
    address: String,
    said: Arc<Mutex<Vec<u8>>>,
    is_open: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl Tap {
    async fn start(to: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let said = Arc::new(Mutex::new(vec![]));
        let is_open = watch::Sender::new(true);
        let (kept, open) = (said.clone(), is_open.subscribe());
        let serving = tokio::spawn(async move {
            while let Ok((host, _)) = listener.accept().await {
                let server = TcpStream::connect(&to).await.unwrap();
                tokio::spawn(pass_on(host, server, kept.clone(), open.clone()));
            }
        });
        Self {
            address,
            said,
            is_open,
            serving,
        }
    }

    /// The server's figures of each reply so far: tokens from its cache, and tokens that it processed.
    fn timings(&self) -> Vec<(u64, u64)> {
        let said = String::from_utf8_lossy(&self.said.lock().unwrap()).into_owned();
        let mut timings: Vec<(u64, u64)> = vec![];
        for part in said.split(r#""timings":"#).skip(1) {
            let (object, _) = part.split_once('}').unwrap();
            let object: Value = serde_json::from_str(&format!("{object}}}")).unwrap();
            let number = |name: &str| object[name].as_u64().unwrap();
            let counted = (number("cache_n"), number("prompt_n"));
            // The last two parts of one reply may both have them.
            if timings.last() != Some(&counted) {
                timings.push(counted);
            }
        }
        timings
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn pass_on(
    host: TcpStream,
    server: TcpStream,
    kept: Arc<Mutex<Vec<u8>>>,
    mut open: watch::Receiver<bool>,
) {
    let (mut from_host, mut to_host) = host.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asks = async {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_host.read(&mut bytes).await {
            if open.wait_for(|open| *open).await.is_err()
                || to_server.write_all(&bytes[..read]).await.is_err()
            {
                return;
            }
        }
    };
    let says = async {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut bytes).await {
            kept.lock().unwrap().extend_from_slice(&bytes[..read]);
            if to_host.write_all(&bytes[..read]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = asks => {}
        () = says => {}
    }
}

/// What the model's server reported of each reply of a chat.
fn usages(entries: &[EntryView]) -> Vec<UsageView> {
    let usage = |entry: &EntryView| match &entry.body {
        EntryBody::Assistant { usage, .. } => *usage,
        _ => None,
    };
    entries.iter().filter_map(usage).collect()
}

/// A tool with a definition of some length, as real ones have.
fn long_tool(name: &str) -> Value {
    let about = "Reads one page of the notes by its name and gives its text with the names of the pages it links to. ";
    json!({
        "name": name,
        "description": about.repeat(3),
        "inputSchema": {
            "type": "object",
            "properties": { "message": { "type": "string", "description": "The name of the page, as in the list." } },
            "required": ["message"],
        },
    })
}

#[tokio::test]
async fn from_the_second_round_on_nine_tenths_of_a_prompt_come_from_the_cache() {
    let llama = Llama::start("notes__read").await;
    let scene = Scene::new().await;
    let tools: Vec<_> = (1..12)
        .map(|number| long_tool(&format!("search_{number}")))
        .collect();
    let tools = [&[long_tool("read")], &tools[..]].concat();
    let (_, mut notes, _stage) = scene.puppet("notes", &tools).await;
    scene.agrees();
    let chat = llama.chat(&scene).await;
    scene.say(chat, "What is on page one?").await;
    let call = notes.hear("tools/call").await;
    notes
        .answer(&call, text_result("Bread, milk and two lemons."))
        .await;
    scene.finished(chat).await;
    for message in ["And what else?", "谢谢，还有吗？", "Good."] {
        scene.say(chat, message).await;
        scene.finished(chat).await;
    }
    let timings = llama.tap.timings();
    assert_eq!(timings.len(), 5, "{timings:?}");
    for (cached, read) in &timings[1..] {
        assert!(cached * 100 >= (cached + read) * CACHED, "{timings:?}");
    }
    // The chat shows the same.
    let usages = usages(&scene.finished(chat).await);
    let shown: Vec<_> = usages
        .iter()
        .map(|usage| (usage.cached, usage.input - usage.cached))
        .collect();
    assert_eq!(shown, timings);
    scene.close().await;
}

/// A kind of text in three messages.
macro_rules! samples {
    ($kind:literal) => {
        [1, 2, 3].map(|number| {
            let folder = root().join("src-tauri/crates/app-protocol/src/estimate/samples");
            std::fs::read_to_string(folder.join(format!("{}_{number}.txt", $kind))).unwrap()
        })
    };
}

/// The model has a token for each byte, of which the estimate knows nothing.
#[tokio::test]
async fn after_two_rounds_the_meter_is_within_a_tenth_of_the_count_of_llama_cpp() {
    let llama = Llama::start("notes__read").await;
    let scene = Scene::new().await;
    scene.agrees();
    for (kind, [first, second, third]) in [
        ("English", samples!("english")),
        ("Chinese", samples!("chinese")),
        ("code", samples!("code")),
        ("JSON", samples!("json")),
    ] {
        let chat = llama.chat(&scene).await;
        for message in [first, second] {
            scene.say(chat, &message).await;
            scene.finished(chat).await;
        }
        llama.tap.is_open.send_replace(false);
        scene.say(chat, &third).await;
        let meter = scene.host.chat_meter(chat).await.unwrap();
        llama.tap.is_open.send_replace(true);
        let counted = usages(&scene.finished(chat).await)[2].input;
        let off = meter.total.abs_diff(counted) * 100 / counted;
        assert!(off <= OFF, "{kind}: {} for {counted}, {off} % off", meter.total);
    }
    scene.close().await;
}
