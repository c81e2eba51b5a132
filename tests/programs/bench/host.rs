//! Our client with everything above it: a chat whose model asks for the calls, the rules, the schema of the arguments,
//! the ledger on disk before each call, the transcript. A user allows the tool once and for all. The model is
//! scripted and answers over HTTP inside this process, so its cost is inside as well; it asks for several calls in one
//! turn, and one call is one operation.

use std::time::Instant;

use serde_json::json;
use vestibule_host::view::{CallState, ProgramDraft, ServerDraft};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EraChoice};
use vestibule_tests::{Model, Opening, Scene, Turn, yes};

use super::contract::{GREETING, Order, Run, Scenario, Watch};
use super::{Result, check};

/// Calls in one turn of the model.
const CALLS: usize = 8;

/// Runs what the host can be measured with; `None` for everything else.
pub(super) async fn run(order: &Order) -> Result<Option<Run>> {
    let Some(words) = order.server.as_ref().filter(|_| order.scenario == Scenario::Seq) else {
        return Ok(None);
    };
    let began = Instant::now();
    let scene = Opening::default().without_canaries().open().await;
    scene.person.answers(|_| Some(yes(Scope::Always)));
    let (program, args) = words.split_first().ok_or("no program")?;
    let program = ProgramDraft {
        command: std::fs::canonicalize(program)?.display().to_string(),
        args: args.to_vec(),
        ..ProgramDraft::default()
    };
    let draft = ServerDraft {
        era: match order.modern {
            true => EraChoice::Modern,
            false => EraChoice::Legacy,
        },
        ..ServerDraft::here("bench", program)
    };
    let server = scene.host.server_add(draft).await?;
    scene.host.server_start(server).await?;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    let connect = began.elapsed();
    for _ in 0..order.warmup.div_ceil(CALLS) {
        turn(&scene, &model, chat).await?;
    }
    let watch = Watch::start();
    let mut samples = Vec::with_capacity(order.count);
    while samples.len() < order.count {
        let asked = Instant::now();
        turn(&scene, &model, chat).await?;
        let each = asked.elapsed() / u32::try_from(CALLS)?;
        samples.extend(std::iter::repeat_n(each, CALLS));
    }
    let cost = watch.read();
    let all = Scene::calls(&scene.finished(chat).await);
    let done = |call: &vestibule_host::view::CallBody| matches!(call.state, CallState::Answered { .. });
    check(all.iter().all(done), "a call was not done")?;
    scene.close().await;
    Ok(Some(Run {
        connect: Some(connect),
        ..Run::new(cost, samples)
    }))
}

/// One turn of the chat with several calls in it.
async fn turn(scene: &Scene, model: &Model, chat: ChatId) -> Result<()> {
    let arguments = json!({ "text": GREETING }).to_string();
    let names: Vec<String> = (0..CALLS).map(|call| format!("call-{call}")).collect();
    let calls: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "bench__echo", arguments.as_str()))
        .collect();
    model.will(Turn::calls(&calls));
    model.will(Turn::words("Done."));
    scene.say(chat, "Once more.").await;
    scene.finished(chat).await;
    Ok(())
}
