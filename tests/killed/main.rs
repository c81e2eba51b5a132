//! The application is killed without warning, fifty times, while it works. Whatever it had shown as saved is there
//! afterwards, to the letter; the ledger is whole; and no server or guard is left.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "the application itself is started here")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use vestibule_host::view::{CallState, Compaction, EntryBody, TextState};
use vestibule_store::{Store, Verification, verify_file};
use vestibule_tests::{Opening, gone, program, servers_gone, soon};

const TIMES: u32 = 50;
/// The longest life counts from the start of the process and is twice what it takes to come this far in the ledger,
/// so that a slow computer sees the same moments as a fast one.
const FAR_ENOUGH: i64 = 4;

/// Everything one life or several have shown as saved.
#[derive(Default)]
struct Promised {
    /// The last body shown of each entry, with its chat.
    entries: BTreeMap<String, (String, Value)>,
    titles: BTreeMap<String, String>,
    ledger: i64,
    opened: u32,
}

#[tokio::test]
async fn what_was_shown_as_saved_outlives_fifty_kills() {
    let folder = tempfile::tempdir().unwrap();
    let seed = u64::from(std::process::id()) << 20 | 1;
    println!("the moments come from the seed {seed}");
    let mut random = seed;
    let mut promised = Promised::default();
    let longest = longest_life();
    for time in 0..TIMES {
        let life = Duration::from_millis(next(&mut random) % longest);
        live_and_die(folder.path(), life, &mut promised);
        let since = Instant::now();
        soon("the servers are gone", servers_gone(folder.path())).await;
        let took = since.elapsed();
        assert!(
            took < Duration::from_secs(5),
            "kill {time}: servers were left for {took:?}"
        );
        promised.check(folder.path(), time).await;
    }
    assert!(
        promised.opened > TIMES / 2,
        "it was open {} times",
        promised.opened
    );
    assert!(
        promised.ledger > 50,
        "it worked, and the ledger has {} records",
        promised.ledger
    );
    everything_is_shown_again(folder.path(), &promised).await;
}

/// In milliseconds, as this computer is now.
fn longest_life() -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut application = start(folder.path());
    let born = Instant::now();
    let said = listen(&mut application);
    let mut promised = Promised::default();
    while promised.ledger < FAR_ENOUGH {
        promised.hear(&said.recv_timeout(Duration::from_secs(60)).unwrap());
    }
    let longest = born.elapsed().as_millis() * 2;
    application.kill().unwrap();
    application.wait().unwrap();
    u64::try_from(longest).unwrap()
}

fn start(folder: &Path) -> Child {
    Command::new(program("vestibule-driver"))
        .arg("write-until-killed")
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts the application, listens for this long, and kills it.
fn live_and_die(folder: &Path, life: Duration, promised: &mut Promised) {
    let mut application = start(folder);
    let end = Instant::now() + life;
    let said = listen(&mut application);
    loop {
        match said.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => promised.hear(&line),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => panic!("the application ended by itself"),
        }
    }
    application.kill().unwrap();
    application.wait().unwrap();
    // What it had said before it died counts.
    said.iter().for_each(|line| promised.hear(&line));
}

fn listen(application: &mut Child) -> Receiver<String> {
    let output = BufReader::new(application.stdout.take().unwrap());
    let (hand_on, said) = mpsc::channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if hand_on.send(line).is_err() {
                return;
            }
        }
    });
    said
}

impl Promised {
    fn hear(&mut self, line: &str) {
        // The very last line may be cut.
        let Ok(said) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let text = |name: &str| said[name].as_str().map(str::to_owned);
        if said["open"] == true {
            self.opened += 1;
        } else if let Some(ledger) = said["ledger"].as_i64() {
            self.ledger = ledger;
        } else if let Some(entry) = text("entry") {
            let chat = text("chat").unwrap();
            self.entries.insert(entry, (chat, said["body"].clone()));
        } else if let (Some(chat), Some(title)) = (text("chat"), text("title")) {
            self.titles.insert(chat, title);
        }
    }

    async fn check(&self, folder: &Path, time: u32) {
        let database = Opening::at(folder).database();
        if self.opened == 0 && !database.exists() {
            return;
        }
        let store = Store::open(&database).unwrap();
        let verified = verify_file(&database).unwrap();
        let Verification::Intact { records, .. } = verified else {
            panic!("kill {time}: {verified:?}")
        };
        assert!(
            records >= self.ledger,
            "kill {time}: {records} records, {} shown",
            self.ledger
        );
        let chats = store.chats().await.unwrap();
        for (chat, title) in &self.titles {
            let kept = chats.iter().find(|kept| kept.id.to_string() == *chat);
            assert!(
                kept.is_some_and(|kept| kept.title.len() >= title.len()),
                "kill {time}: the chat {chat}"
            );
        }
        let mut kept = BTreeMap::new();
        for chat in chats {
            for entry in store.entries(chat.id).await.unwrap() {
                kept.insert(entry.id.to_string(), entry.body);
            }
        }
        for (entry, (_, shown)) in &self.entries {
            let kept = kept
                .get(entry)
                .unwrap_or_else(|| panic!("kill {time}: {shown} is gone"));
            if is_final(shown) {
                assert_eq!(kept, shown, "kill {time}");
            }
        }
        store.close().await;
    }
}

/// Whether an entry is what it will stay.
fn is_final(body: &Value) -> bool {
    match serde_json::from_value(body.clone()).unwrap() {
        EntryBody::User { .. }
        | EntryBody::BuiltInCall(_)
        | EntryBody::ToolsLeftOut { .. }
        | EntryBody::Failure { .. } => true,
        EntryBody::Compaction(compaction) => compaction != Compaction::Running,
        EntryBody::Assistant { state, .. } => state != TextState::Streaming,
        EntryBody::Call(call) => matches!(
            call.state,
            CallState::Answered { .. }
                | CallState::Failed { .. }
                | CallState::Refused { .. }
                | CallState::Cancelled { .. }
        ),
    }
}

/// Once more, as the user would see it: all of it, and nothing that looks as if it still went on.
async fn everything_is_shown_again(folder: &Path, promised: &Promised) {
    let scene = Opening::at(folder).open().await;
    let seen = scene.window.now();
    let shown: Vec<_> = seen.entries.values().flatten().collect();
    assert!(shown.len() >= promised.entries.len());
    for entry in &shown {
        let open = match &entry.body {
            EntryBody::Assistant { state, .. } => *state == TextState::Streaming,
            EntryBody::Call(call) => matches!(
                call.state,
                CallState::Deciding | CallState::Waiting { .. } | CallState::Running { .. }
            ),
            EntryBody::Compaction(compaction) => *compaction == Compaction::Running,
            EntryBody::User { .. }
            | EntryBody::BuiltInCall(_)
            | EntryBody::ToolsLeftOut { .. }
            | EntryBody::Failure { .. } => false,
        };
        assert!(!open, "{entry:?}");
    }
    scene.host.close().await;
    drop(scene);
    soon("the guards of all lives are gone, too", gone(folder)).await;
}

/// A small generator (xorshift), so that a failure can be had again from its seed.
fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}
