//! `vestibule-driver bench …`: our client with everything above it, by the contract of the drivers (`tests/bench`): a chat whose model asks for the calls, the rules, the schema of the arguments,
//! the ledger on disk before each call, the transcript. A user allows the tool once and for all. The model is
//! scripted and answers over HTTP inside this process, so its cost is inside as well; it asks for several calls in one
//! turn, and one call is one operation. Each turn has a chat of its own: what a model reads of a long chat is not the
//! cost of a call. Commits of a bare database on the same disk are measured beside it. Or many servers that are connected and
//! idle, for their memory.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use vestibule_host::view::{CallBody, CallState, EndpointDraft, EntryBody, ProgramDraft, ServerDraft};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EraChoice};
use vestibule_tests::{Model, Opening, Projection, Scene, Turn, yes};

use vestibule_session_driver::contract::{GREETING, Order, Run, Scenario, Watch, memory_kb};
use vestibule_session_driver::{Result, check, kilobytes_each, of_sessions, session};

/// Calls in one turn of the model, where the order does not say how many.
const CALLS: usize = 8;
/// What the model says once it has read what the calls came to.
const LAST_WORDS: &str = "Done.";

/// Does what the command line says. Without `--layer host` it is what `vestibule-session-driver` does.
pub(crate) fn main(args: impl Iterator<Item = String>) -> ExitCode {
    match measure(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: impl Iterator<Item = String>) -> Result<()> {
    let order = Order::read(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (run, client) = match order.layer.as_str() {
        "session" => (Some(runtime.block_on(session::run(&order))?), "vestibule"),
        "host" => (runtime.block_on(run(&order))?, "vestibule-host"),
        other => return Err(format!("there is no layer {other:?}").into()),
    };
    match run {
        Some(run) => println!("{}", run.line(&order, client, env!("CARGO_PKG_VERSION"))),
        None => println!(r#"{{"unsupported":"the host does seq, pipe and sessions"}}"#),
    }
    Ok(())
}

/// Runs what the host can be measured with; `None` for everything else.
async fn run(order: &Order) -> Result<Option<Run>> {
    match (order.scenario, &order.server) {
        (Scenario::Seq, Some(words)) => Ok(Some(calls(order, words, CALLS).await?)),
        (Scenario::Pipe, Some(words)) => Ok(Some(calls(order, words, order.inflight).await?)),
        (Scenario::Sessions, _) => Ok(Some(sessions(order).await?)),
        _ => Ok(None),
    }
}

/// Connects servers one after the other and leaves them idle, after some whose cost is not counted. The memory is that
/// of this process, with what the tests' own window keeps of each server.
async fn sessions(order: &Order) -> Result<Run> {
    let scene = Opening::default().without_canaries().open().await;
    scene.person.answers(|_| Some(yes(Scope::Always)));
    for number in 0..order.warmup {
        connect(&scene, order, number).await?;
    }
    tokio::time::sleep(order.hold).await;
    let base = memory_kb("VmRSS");
    let watch = Watch::start();
    let mut samples = Vec::with_capacity(order.count);
    for number in 0..order.count {
        let began = Instant::now();
        connect(&scene, order, order.warmup + number).await?;
        samples.push(began.elapsed());
    }
    let cost = watch.read();
    tokio::time::sleep(order.hold).await;
    let each = kilobytes_each(base, order.count);
    scene.close().await;
    Ok(of_sessions(Run::new(cost, samples), base, each))
}

/// Adds the server under a name of its own and starts it.
async fn connect(scene: &Scene, order: &Order, number: usize) -> Result<()> {
    let name = format!("bench-{number}");
    let draft = match (&order.server, &order.url) {
        (Some(words), _) => ServerDraft::here(name, program(words)?),
        (None, Some(url)) => ServerDraft::at(
            name,
            EndpointDraft {
                url: url.clone(),
                ..EndpointDraft::default()
            },
        ),
        (None, None) => return Err("no server".into()),
    };
    let server = scene.host.server_add(with_era(draft, order)).await?;
    scene.host.server_start(server).await?;
    scene.ready(server).await;
    Ok(())
}

fn program(words: &[String]) -> Result<ProgramDraft> {
    let (program, args) = words.split_first().ok_or("no program")?;
    Ok(ProgramDraft {
        command: std::fs::canonicalize(program)?.display().to_string(),
        args: args.to_vec(),
        ..ProgramDraft::default()
    })
}

fn with_era(draft: ServerDraft, order: &Order) -> ServerDraft {
    ServerDraft {
        era: match order.modern {
            true => EraChoice::Modern,
            false => EraChoice::Legacy,
        },
        ..draft
    }
}

/// Calls of chats, so many in each turn.
async fn calls(order: &Order, words: &[String], each_turn: usize) -> Result<Run> {
    let began = Instant::now();
    let scene = Opening::default().without_canaries().open().await;
    scene.person.answers(|_| Some(yes(Scope::Always)));
    let draft = with_era(ServerDraft::here("bench", program(words)?), order);
    let server = scene.host.server_add(draft).await?;
    scene.host.server_start(server).await?;
    scene.ready(server).await;
    let model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    let connect = began.elapsed();
    let turns = order.warmup.div_ceil(each_turn) + order.count.div_ceil(each_turn);
    let mut chats = Vec::with_capacity(turns);
    for _ in 0..turns {
        let chat = scene.chat().await;
        scene.host.chat_model(chat, Some(id)).await?;
        chats.push(chat);
    }
    let (warmup, measured) = chats.split_at(order.warmup.div_ceil(each_turn));
    for &chat in warmup {
        turn(&scene, &model, chat, each_turn).await?;
    }
    let watch = Watch::start();
    let mut samples = Vec::with_capacity(order.count);
    for &chat in measured {
        let asked = Instant::now();
        turn(&scene, &model, chat, each_turn).await?;
        let each = asked.elapsed() / u32::try_from(each_turn)?;
        samples.extend(std::iter::repeat_n(each, each_turn));
    }
    let cost = watch.read();
    for &chat in measured {
        let calls = Scene::calls(&scene.finished(chat).await);
        let done = |call: &CallBody| matches!(call.state, CallState::Answered { .. });
        check(
            calls.len() == each_turn && calls.iter().all(done),
            "a call was not done",
        )?;
    }
    scene.close().await;
    let run = Run {
        connect: Some(connect),
        ..Run::new(cost, samples)
    };
    let commit = bare_commit(order.count)?;
    Ok(run.with("commit_us", commit.as_secs_f64() * 1e6))
}

/// The median time of a commit that writes one row of a kilobyte, as safe against a loss of power as those of the host.
fn bare_commit(count: usize) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let database = rusqlite::Connection::open(folder.path().join("bare.sqlite"))?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
    let mut insert = database.prepare("INSERT INTO rows (body) VALUES (zeroblob(1000))")?;
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        insert.execute([])?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    Ok(times.get(count / 2).copied().unwrap_or_default())
}

/// One turn of the chat with several calls in it.
async fn turn(scene: &Scene, model: &Model, chat: ChatId, calls: usize) -> Result<()> {
    let arguments = json!({ "text": GREETING }).to_string();
    let names: Vec<String> = (0..calls).map(|call| format!("call-{call}")).collect();
    let calls: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "bench__echo", arguments.as_str()))
        .collect();
    model.will(Turn::calls(&calls));
    model.will(Turn::words(LAST_WORDS));
    scene
        .host
        .chat_send(chat, "Once more.".to_owned(), vec![])
        .await?;
    // Not `Scene::finished`: it reads all chats of the host and copies what the window shows, which took more time than the
    // calls.
    let at_rest = |seen: &Projection| {
        let is_idle = seen.chats.get(&chat).is_some_and(|chat| !chat.busy);
        let last = seen.chat(chat).last().map(|entry| &entry.body);
        let spoke = matches!(last, Some(EntryBody::Assistant { text, .. }) if text == LAST_WORDS);
        (is_idle && spoke).then_some(())
    };
    scene.window.until_some("the end of a turn", at_rest).await;
    Ok(())
}
