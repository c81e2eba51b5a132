//! A scenario over the whole host, on a folder of its own that is gone afterwards. A turn of a chat is what a user's
//! call takes: the model is scripted, and everything below it is what the application has. Closing the scene checks the
//! ledger too.

use std::collections::BTreeMap;
use std::env;

use vestibule_host::view::{
    CallProblem, CallState, EntryBody, EntryView, OffersView, Problem, ResourcePick, ServerProblem,
    ServerState, ServerView, ToolView,
};
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::PromptArgument;
use vestibule_tests::{Opening, Scene, Turn, tool_names};

use super::Result;
use super::credentials;
use super::person::answer;
use super::script::{Call, Offer, Script};

/// How often someone begins to sign in.
const SIGN_INS: usize = 3;

/// Connects the server, looks at its tools, reads and calls what the script says. Gives back the calls of the suite that do
/// not fit the tool's schema, which the host does not send.
pub(crate) async fn play(url: &str, script: &Script) -> Result<Vec<Call>> {
    let scene = Opening::default()
        .without_canaries()
        .browsing_with(env::current_exe()?)
        .open()
        .await;
    scene.person.answers(|question| Some(answer(question)));
    let played = follow(&scene, url, script).await;
    scene.close().await;
    played
}

async fn follow(scene: &Scene, url: &str, script: &Script) -> Result<Vec<Call>> {
    let server = scene.add_at("suite", url, &[]).await;
    let folder = tempfile::tempdir()?;
    if let Some((settings, secrets)) = credentials::settings(script, &url.parse()?, folder.path()).await? {
        scene.host.server_sign_in_set(server, settings, secrets).await?;
    }
    match connected(scene, server).await? {
        ServerState::Ready(_) => {}
        // It was connected, and its tools could not be understood.
        ServerState::Failed {
            problem: Problem::Call(CallProblem::MalformedReply { .. }),
        } if script.has_no_tools() => return Ok(Vec::new()),
        other => return Err(format!("the server was not connected: {other:?}").into()),
    }
    let tools = scene.host.server_tools(server);
    let offers = tools.iter().map(|tool| Offer {
        name: &tool.name,
        schema: &tool.input_schema,
    });
    let calls = script.calls(&offers.collect::<Vec<_>>())?;
    if script.reads_everything() {
        read_everything(scene, server).await?;
    }
    if calls.is_empty() {
        return Ok(calls);
    }
    call(scene, &tools, calls, script.dictates()).await
}

/// A user picks each resource and each prompt for a chat.
async fn read_everything(scene: &Scene, server: ServerId) -> Result<()> {
    let both = |offers: &OffersView| !offers.resources.is_empty() && !offers.prompts.is_empty();
    let offers = scene.offers(server, both).await;
    let chat = scene.chat().await;
    for resource in offers.resources {
        let pick = ResourcePick::Listed { uri: resource.uri };
        scene.host.resource_read(chat, server, pick).await?;
    }
    for prompt in offers.prompts {
        let named = |argument: &PromptArgument| (argument.name.clone(), "text".to_owned());
        let arguments: BTreeMap<_, _> = prompt.arguments.iter().map(named).collect();
        scene
            .host
            .prompt_get(chat, server, prompt.name, arguments)
            .await?;
    }
    Ok(())
}

/// One turn a call, so that each one ends before the next begins.
async fn call(scene: &Scene, tools: &[ToolView], calls: Vec<Call>, dictated: bool) -> Result<Vec<Call>> {
    let (chat, mut model) = scene.scripted_chat().await;
    let mut misfits = Vec::new();
    for call in calls {
        scene.say(chat, "Call it.").await;
        let offered = tool_names(&model.asked().await);
        let position = tools.iter().position(|tool| tool.name == call.name);
        let name = position
            .and_then(|position| offered.get(position))
            .ok_or_else(|| format!("the tool {} is not on offer", call.name))?;
        model.will(Turn::call("call", name, serde_json::to_value(&call.arguments)?));
        model.will(Turn::words("Done."));
        let came_of_it = outcome(&scene.finished(chat).await)?;
        model.asked().await;
        match came_of_it {
            CallState::Answered { .. } => {}
            CallState::Failed {
                problem: Problem::Call(CallProblem::ArgumentsInvalid { .. }),
            } if dictated => misfits.push(call),
            other => return Err(format!("{} was not answered: {other:?}", call.name).into()),
        }
    }
    Ok(misfits)
}

/// What came of the last call of a chat.
fn outcome(entries: &[EntryView]) -> Result<CallState> {
    for entry in entries {
        if let EntryBody::Failure { problem, .. } = &entry.body {
            return Err(problem.to_string().into());
        }
    }
    let last = Scene::calls(entries).pop();
    Ok(last.ok_or("nothing was called")?.state)
}

/// Connects the server, signing in as often as it says that this is needed, and gives back how it is then.
async fn connected(scene: &Scene, server: ServerId) -> Result<ServerState> {
    scene.host.server_start(server).await?;
    for _ in 0..SIGN_INS {
        let state = scene
            .server(server, "a server that settled", has_settled)
            .await
            .state;
        if !wants_sign_in(&state) {
            return Ok(state);
        }
        scene.host.server_sign_in(server).await?;
        scene
            .server(server, "a sign-in that began", |view| view.state != state)
            .await;
    }
    Err("the server wants one sign-in after the other".into())
}

/// Whether somebody has to begin a sign-in; one that was begun and failed is left.
fn wants_sign_in(state: &ServerState) -> bool {
    matches!(
        state,
        ServerState::SignInNeeded {
            problem: Problem::Server(ServerProblem::SignInNeeded { .. })
        }
    )
}

fn has_settled(view: &ServerView) -> bool {
    matches!(
        view.state,
        ServerState::Ready(_)
            | ServerState::Failed { .. }
            | ServerState::SignInNeeded { .. }
            | ServerState::Reopening { .. }
    )
}
