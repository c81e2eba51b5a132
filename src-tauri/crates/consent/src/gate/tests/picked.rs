//! Permission to read what the user picked: that and nothing else, for that chat, unless a rule says never.

use std::collections::BTreeMap;

use super::*;
use crate::PickContext;
use vestibule_policy::{Action, Mention, Reach, Rule};

const URI: &str = "file:///home/ada/notes.md";

fn pick(scene: &Scene) -> PickContext {
    PickContext {
        server: scene.server.id,
        chat: scene.chat,
        workspace: WorkspaceId::home(),
    }
}

/// RS-013, HO-006.
#[tokio::test(start_paused = true)]
async fn a_resource_that_was_picked_is_read_for_that_chat_alone() {
    let scene = scene().await;
    let permit = pick(&scene)
        .approve_resource(&scene.gate, URI.into())
        .await
        .unwrap();
    assert_eq!(permit.because(), [Because::Person { scope: Scope::Once }]);
    let (what, _effect) = permit.begin().split();
    assert_eq!(
        (what.server, what.chat, what.uri.as_str()),
        (scene.server.id, scene.chat, URI)
    );
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str(), intent.chat),
        ("resource.read", URI, Some(scene.chat))
    );
    assert_eq!(intent.body["picked"], json!(true));
    let names = scene.store.ledger_names(scene.server.id).await.unwrap();
    assert_eq!(names[0].named, Mention::File("/home/ada/notes.md".into()));
}

/// PR-002.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_was_picked_is_expanded_with_what_the_person_wrote() {
    let scene = scene().await;
    let arguments = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
    let permit = pick(&scene)
        .approve_prompt(&scene.gate, "plan".into(), arguments.clone())
        .await
        .unwrap();
    let (what, _effect) = permit.begin().split();
    assert_eq!((what.prompt.as_str(), &what.arguments), ("plan", &arguments));
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str()),
        ("prompt.get", "plan")
    );
    assert_eq!(intent.body["bytes"], json!(r#"{"city":"Oslo"}"#.len()));
    assert!(!intent.body.to_string().contains("Oslo"));
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_refuses_holds_for_what_was_picked_too() {
    let scene = scene().await;
    let action = Action::ReadResource { uri: URI.into() };
    let rule = Rule::refusal(scene.server.id, action, noon());
    scene.gate.rules.rules.add(rule).await.unwrap();
    let denied = pick(&scene).approve_resource(&scene.gate, URI.into()).await;
    assert!(matches!(denied, Err(Denied::ByRule(_))), "{denied:?}");
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Decision, Some("denied".into()))]
    );
}

/// TX-005.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_followed_again_stands_in_the_ledger() {
    let scene = scene().await;
    let (server, chat) = (scene.server.id, scene.chat);
    let _effect = scene
        .gate
        .follow_task(server, chat, "crawl".into())
        .await
        .unwrap();
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str(), intent.chat),
        ("task.follow", "crawl", Some(chat))
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_a_workspace_holds_for_what_is_picked_there() {
    let scene = scene().await;
    let refused = WorkspaceId::new();
    let action = Action::ReadResource { uri: URI.into() };
    let rule = Rule {
        reach: Reach::Workspace(refused),
        ..Rule::refusal(scene.server.id, action, clock())
    };
    scene.gate.rules.rules.add(rule).await.unwrap();
    let picked = |workspace| {
        let context = PickContext {
            workspace,
            ..pick(&scene)
        };
        context.approve_resource(&scene.gate, URI.into())
    };
    let denied = picked(refused).await;
    assert!(matches!(denied, Err(Denied::ByRule(_))), "{denied:?}");
    drop(picked(WorkspaceId::home()).await.unwrap());
}
