//! The application that is killed: a host that uses a folder as a busy person would, and says what it has shown as
//! saved, one JSON document a line, until it is no more.

use std::io::Write as _;
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;

use futures::StreamExt;
use serde_json::{Value, json};
use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::Host;
use vestibule_host::view::{HostEvent, ProgramDraft, ServerDraft};
use vestibule_policy::Scope;

use crate::{Model, Opening, Scene, Turn, daemonising, program, yes};

/// Uses a host on `folder` until the process is killed.
#[must_use]
pub fn write_until_killed(folder: &Path) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let scene = Opening::at(folder).open().await;
        tokio::spawn(tell(scene.host.clone()));
        scene.person.answers(|question| match question.about {
            QuestionBody::StartServer(_) => Some(yes(Scope::Always)),
            // So many calls come in a minute that they wait behind one card.
            QuestionBody::Flood(_) => Some(Answer::OneByOne),
            _ => Some(yes(Scope::Once)),
        });
        let server = match scene.window.now().servers.keys().next() {
            Some(server) => *server,
            None => {
                let args = vec!["tour".into(), folder.display().to_string()];
                scene.add("tour", args, &[]).await
            }
        };
        scene.host.server_start(server).await.unwrap();
        scene.ready(server).await;
        let (_, model) = scene.scripted_chat().await;
        let id = scene.window.now().models.last().unwrap().id;
        loop {
            let chat = scene.chat().await;
            scene.host.chat_model(chat, Some(id)).await.unwrap();
            for round in 0..4 {
                converse(&scene, &model, chat, round).await;
            }
        }
    })
}

/// Runs a server that leaves a process behind, until the process is killed.
#[must_use]
pub fn daemonise_until_killed(folder: &Path) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let scene = Opening::at(folder).open().await;
        scene.agrees();
        let args = vec!["tour".into(), folder.display().to_string()];
        let program = ProgramDraft {
            command: "/bin/sh".into(),
            args: daemonising(folder, &program("vestibule-server"), args),
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("tour", program);
        let server = scene.host.server_add(draft).await.unwrap();
        scene.host.server_start(server).await.unwrap();
        scene.ready(server).await;
        say(&json!({ "ready": true }));
        std::future::pending().await
    })
}

async fn converse(scene: &Scene, model: &Model, chat: vestibule_protocol::ChatId, round: u32) {
    let note = format!(r#"{{"key":"n{round}","text":"{}"}}"#, "words ".repeat(200));
    model.will(Turn::calls(&[
        ("sum", "tour__add", r#"{"a":1,"b":2}"#),
        ("note", "tour__remember", &note),
    ]));
    model.will(Turn::words("That is done."));
    scene.say(chat, &format!("Round {round}.")).await;
    scene.finished(chat).await;
    let ledger = scene.store.ledger_head().await.unwrap().seq;
    say(&json!({ "ledger": ledger }));
}

/// What the window is told of, as it is told.
async fn tell(host: Host) {
    let (_, events) = host.main_window().await.unwrap();
    let mut events = pin!(events);
    say(&json!({ "open": true }));
    while let Some(event) = events.next().await {
        match event.event {
            HostEvent::Entry { entry, .. } => {
                say(&json!({ "entry": entry.id, "chat": entry.chat, "body": entry.body }));
            }
            HostEvent::Chat { chat } => say(&json!({ "chat": chat.id, "title": chat.title })),
            _ => {}
        }
    }
}

fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    // Without a reader there is nobody to promise anything to.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
