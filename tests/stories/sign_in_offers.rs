//! What a server offers besides tools, behind a sign-in: a token that ended is renewed, and a scope that is missing is no
//! reason to show nothing for good.

use serde_json::{Value, json};
use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::{CompletionAsk, CompletionOf, Problem, ServerProblem, ServerState, ServerView};
use vestibule_tests::{Played, Protected, Scene};

/// A server with a resource and a prompt. It refuses the token at the first request of each of these methods.
fn has_a_library(world: &Protected, mut refused_once: Vec<&'static str>) {
    world.plays(move |_, message| {
        let method = message["method"].as_str()?;
        if let Some(at) = refused_once.iter().position(|it| *it == method) {
            refused_once.remove(at);
            return Some(Played::Refused);
        }
        let mut result = offered(method)?;
        result["resultType"] = json!("complete");
        Some(Played::Result(result))
    });
}

fn offered(method: &str) -> Option<Value> {
    Some(match method {
        "server/discover" => json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {}, "resources": {}, "prompts": {}, "completions": {} },
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "protected", "version": "1" } },
        }),
        "resources/list" => json!({ "resources": [{ "uri": "note://a", "name": "A" }] }),
        "resources/templates/list" => json!({ "resourceTemplates": [] }),
        "prompts/list" => json!({ "prompts": [{ "name": "plan", "arguments": [{ "name": "topic" }] }] }),
        "completion/complete" => json!({ "completion": { "values": ["a trip"] } }),
        _ => return None,
    })
}

/// AU-064: without a question.
#[tokio::test]
async fn a_token_that_ends_is_renewed_for_what_is_no_call_too() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    has_a_library(&world, vec!["resources/list", "completion/complete"]);
    let server = scene.signed_in(&world).await;
    let offers = scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    assert_eq!(offers.resources.len(), 1);
    assert_eq!(world.grants("refresh_token"), 1);
    let ask = CompletionAsk {
        of: CompletionOf::Prompt("plan".into()),
        field: "topic".into(),
        value: "a".into(),
        others: [].into(),
    };
    let proposed = scene.host.complete(server, ask).await.unwrap();
    assert_eq!(proposed.values, ["a trip"]);
    assert_eq!((world.grants("refresh_token"), scene.opened().len()), (2, 1));
    scene.close().await;
}

/// AU-071, AU-073: the server stays connected without its resources. *Try again* asks the user for the sign-in.
#[tokio::test]
async fn resources_that_need_more_are_listed_once_the_user_grants_it() {
    let (scene, world) = (Scene::new().await, Protected::start().await);
    has_a_library(&world, vec![]);
    world.want_for("resources/", "library");
    let server = scene.signed_in(&world).await;
    let offers = scene.offers(server, |offers| !offers.prompts.is_empty()).await;
    assert!(offers.resources.is_empty());
    let needed = |view: &ServerView| {
        matches!(
            view.listing_problem,
            Some(Problem::Server(ServerProblem::SignInNeeded { status: 403, .. }))
        )
    };
    let view = scene.server(server, "more to sign in for", needed).await;
    assert!(matches!(view.state, ServerState::Ready { .. }), "{view:?}");

    scene.host.server_list_again(server).unwrap();
    let question = scene.person.asked().await;
    assert!(matches!(question.about, QuestionBody::SignIn(_)), "{question:?}");
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let declined = |view: &ServerView| {
        matches!(
            view.listing_problem,
            Some(Problem::Server(ServerProblem::SignInDeclined { .. }))
        )
    };
    let view = scene.server(server, "a declined sign-in", declined).await;
    assert!(matches!(view.state, ServerState::Ready { .. }), "{view:?}");

    scene.host.server_list_again(server).unwrap();
    let shown = scene.agree_and_visit(&world, server).await;
    assert_eq!(shown.new_scopes, ["library"]);
    scene.offers(server, |offers| offers.resources.len() == 1).await;
    let nothing = |view: &ServerView| view.listing_problem.is_none();
    scene.server(server, "no problem", nothing).await;
    scene.close().await;
}
