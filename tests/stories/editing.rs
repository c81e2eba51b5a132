//! A server that is changed in place: what it keeps, what ends, and what a change that fails leaves behind.

use std::sync::Arc;

use vestibule_consent::QuestionBody;
use vestibule_host::view::{
    EnvPair, PlaceDraft, RuleView, ServerDraft, ServerEditEffects, ServerState, ServerView, ToolRule,
};
use vestibule_host::{SecretName, Secrets};
use vestibule_policy::{Action, Decision, Scope};
use vestibule_protocol::ServerId;
use vestibule_tests::{
    KeychainMood, Opening, Puppet, Scene, Stage, TestKeychain, give, naming, records, tool, yes,
};

fn is_stopped(view: &ServerView) -> bool {
    view.state == ServerState::Stopped
}

fn objects(rules: &[RuleView]) -> Vec<&str> {
    rules.iter().map(|rule| rule.action.object()).collect()
}

/// The draft of a local server with other arguments.
fn with_args(scene: &Scene, server: ServerId, args: Vec<String>) -> ServerDraft {
    let mut draft = scene.host.server_draft(server).unwrap();
    let PlaceDraft::Here(program) = &mut draft.place else {
        panic!("{draft:?}")
    };
    program.args = args;
    draft
}

/// The draft of a server with these values for its names.
fn with_values(scene: &Scene, server: ServerId, values: &[(&str, &str)]) -> ServerDraft {
    let mut draft = scene.host.server_draft(server).unwrap();
    let pairs = match &mut draft.place {
        PlaceDraft::Here(program) => &mut program.env,
        PlaceDraft::Address(endpoint) => &mut endpoint.headers,
    };
    *pairs = values.iter().map(|(name, value)| pair(name, value)).collect();
    draft
}

fn pair(name: &str, value: &str) -> EnvPair {
    EnvPair {
        name: name.into(),
        value: value.into(),
        pasted: false,
        from_computer: false,
    }
}

fn rule_of(scene: &Scene, server: ServerId, name: &str) -> ToolRule {
    let tools = scene.host.server_tools(server);
    tools.into_iter().find(|tool| tool.name == name).unwrap().rule
}

async fn effects(scene: &Scene, server: ServerId, draft: &ServerDraft) -> ServerEditEffects {
    scene
        .host
        .server_edit_effects(server, draft.clone())
        .await
        .unwrap()
}

/// How many permissions to call a tool there are.
async fn permissions(scene: &Scene) -> usize {
    let rules = scene.host.rules().await.unwrap().into_iter();
    rules
        .filter(|rule| rule.decision == Decision::Allow && matches!(rule.action, Action::CallTool { .. }))
        .count()
}

async fn stop(scene: &Scene, server: ServerId) {
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;
}

/// A server that runs and may always be started, with a tool that may be called and one that may not.
async fn allowed(scene: &Scene, env: &[(&str, &str)]) -> (ServerId, Stage, Puppet) {
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), env).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read"), tool("send")]).await;
    scene.ready(server).await;
    scene.allow(server, "read").await;
    scene.server_tool_is(server, ToolRule::Allow).await;
    scene
        .host
        .tool_rule(server, "send", ToolRule::Never)
        .await
        .unwrap();
    (server, stage, puppet)
}

/// Another program is asked before it starts, is allowed nothing of what the one before was allowed, although its tools
/// are the same to the letter, and is denied what that one was denied. All of it is said before.
#[tokio::test]
async fn another_program_gets_no_permission_of_the_one_before() {
    let scene = Scene::new().await;
    let (server, _, _puppet) = allowed(&scene, &[]).await;
    let other = Stage::new(scene.folder(), "other");
    let draft = with_args(&scene, server, other.args());
    let said = effects(&scene, server, &draft).await;
    assert!(said.moves && said.restarts && said.reviewed, "{said:?}");
    assert_eq!(
        (objects(&said.ends), objects(&said.stays)),
        (vec!["read"], vec!["send"])
    );
    assert_eq!(permissions(&scene).await, 1, "saying it changes nothing");

    scene.host.server_edit(server, draft).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;
    assert_eq!(permissions(&scene).await, 0);
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::StartServer(launch) = &question.about else {
        panic!("{question:?}")
    };
    assert!(launch.change.is_some(), "{launch:?}");
    scene.person.say(&question, yes(Scope::Once)).await;
    let mut puppet = other.puppet().await;
    puppet.greet(&[tool("read"), tool("send")]).await;
    scene.ready(server).await;
    assert_eq!(rule_of(&scene, server, "read"), ToolRule::Ask);
    assert_eq!(rule_of(&scene, server, "send"), ToolRule::Never);

    let scene = scene.reopen().await;
    assert_eq!(
        permissions(&scene).await,
        0,
        "it does not come back with the next run"
    );
    scene.close().await;
}

/// The record of a change is there before the next start is, and names what changed but no value of it.
#[tokio::test]
async fn the_ledger_says_what_was_changed_before_anything_starts() {
    let scene = Scene::new().await;
    let (server, _, _puppet) = allowed(&scene, &[]).await;
    let other = Stage::new(scene.folder(), "other");
    let draft = with_args(&scene, server, other.args());
    scene.host.server_edit(server, draft).await.unwrap();
    let written = records(&scene.store).await;
    let edits: Vec<_> = written
        .iter()
        .filter(|record| record.action == "server.edit")
        .collect();
    let [changed, ended] = edits[..] else {
        panic!("{edits:?}")
    };
    assert_eq!(changed.body, serde_json::json!({ "changed": ["arguments"] }));
    assert_eq!(ended.body["rules"].as_array().map(Vec::len), Some(1), "{ended:?}");
    scene.close().await;
}

#[tokio::test]
async fn another_name_ends_nothing_and_stops_nothing() {
    let scene = Scene::new().await;
    let (server, stage, puppet) = allowed(&scene, &[]).await;
    let mut draft = scene.host.server_draft(server).unwrap();
    draft.name = "diary".into();
    let said = effects(&scene, server, &draft).await;
    assert!(
        said.changes && !said.restarts && !said.moves && said.ends.is_empty(),
        "{said:?}"
    );
    assert_eq!(said.stays.len(), 3, "{said:?}");
    scene.host.server_edit(server, draft).await.unwrap();
    let view = scene
        .server(server, "the new name", |view| view.name == "diary")
        .await;
    assert!(matches!(view.state, ServerState::Ready { .. }), "{view:?}");
    assert_eq!(rule_of(&scene, server, "read"), ToolRule::Allow);
    stop(&scene, server).await;
    drop(puppet);
    let asked = scene.person.shown().len();
    scene.host.server_start(server).await.unwrap();
    let mut again = stage.puppet().await;
    again.greet(&[tool("read"), tool("send")]).await;
    scene.ready(server).await;
    assert_eq!(scene.person.shown().len(), asked, "its start is still allowed");
    scene.close().await;
}

#[tokio::test]
async fn a_replaced_value_is_used_and_shown_nowhere() {
    const OLD: &str = "canary-old-value-61f0";
    const NEW: &str = "canary-new-value-9c2d";
    let scene = Scene::new().await;
    let (server, stage, puppet) = allowed(&scene, &[("TOKEN", OLD)]).await;
    let draft = with_values(&scene, server, &[("TOKEN", NEW)]);
    let said = effects(&scene, server, &draft).await;
    assert!(said.reviewed && !said.moves && said.ends.is_empty(), "{said:?}");
    scene.host.server_edit(server, draft).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;
    drop(puppet);
    scene.start(server, Scope::Once).await;
    let mut again = stage.puppet().await;
    again.greet(&[tool("read"), tool("send")]).await;
    scene.ready(server).await;
    let process = naming(&stage.args()[1]).remove(0).0;
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
    assert!(
        String::from_utf8_lossy(&environment).contains(NEW),
        "the server has the new value"
    );
    assert_eq!(rule_of(&scene, server, "read"), ToolRule::Allow);

    let form = serde_json::to_string(&scene.host.server_draft(server).unwrap()).unwrap();
    let seen = format!("{:?}", scene.window.now().servers);
    let all = [
        form,
        seen,
        scene.log(server),
        format!("{:?}", scene.person.shown()),
    ];
    for secret in [OLD, NEW] {
        assert!(all.iter().all(|text| !text.contains(secret)), "{secret}");
        for record in records(&scene.store).await {
            assert!(!format!("{record:?}").contains(secret), "{record:?}");
        }
    }
    scene.close().await;
}

/// The name of the last variable is refused by the store, after the new value of the first was in the keychain.
#[tokio::test]
async fn a_change_that_fails_leaves_the_server_as_it_was() {
    let keychain = Arc::new(TestKeychain::default());
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let (server, stage, puppet) = allowed(&scene, &[("TOKEN", "one")]).await;
    let before = scene.store.servers().await.unwrap();
    let draft = with_values(&scene, server, &[("TOKEN", "two"), ("A=B", "three")]);
    scene.host.server_edit(server, draft).await.unwrap_err();
    let other = Stage::new(scene.folder(), "other");
    let mut with_value = with_args(&scene, server, other.args());
    let PlaceDraft::Here(program) = &mut with_value.place else {
        panic!("{with_value:?}")
    };
    program.env[0].value = "two".into();
    keychain.turn(KeychainMood::Refuses);
    scene.host.server_edit(server, with_value).await.unwrap_err();
    keychain.turn(KeychainMood::Answers);
    scene.server(server, "a stopped server", is_stopped).await;
    drop(puppet);

    assert_eq!(scene.store.servers().await.unwrap(), before);
    assert_eq!(permissions(&scene).await, 1);
    let asked = scene.person.shown().len();
    scene.host.server_start(server).await.unwrap();
    let mut again = stage.puppet().await;
    again.greet(&[tool("read"), tool("send")]).await;
    scene.ready(server).await;
    assert_eq!(
        scene.person.shown().len(),
        asked,
        "its values are the ones that were approved"
    );
    scene.close().await;
}

/// A value that no name asks for any more leaves the keychain; what is still named stays.
#[tokio::test]
async fn a_value_that_is_not_named_any_more_leaves_the_keychain() {
    let keychain = Arc::new(TestKeychain::default());
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene
        .add("notes", stage.args(), &[("KEPT", "one"), ("LEFT", "two")])
        .await;
    let draft = with_values(&scene, server, &[("KEPT", ""), ("NEW", "")]);
    scene.host.server_edit(server, draft).await.unwrap();
    let has = async |name: &str| {
        let name = SecretName::Variable {
            server,
            name: name.into(),
        };
        keychain.get(&name).await.unwrap().is_some()
    };
    assert_eq!((has("KEPT").await, has("LEFT").await), (true, false));
    let view = scene
        .server(server, "a name without a value", |view| view.missing == ["NEW"])
        .await;
    assert!(is_stopped(&view));
    scene.close().await;
}

#[tokio::test]
async fn a_header_of_one_site_is_never_sent_to_another() {
    let scene = Scene::new().await;
    let server = scene
        .add_at(
            "notes",
            "https://one.example/mcp",
            &[("Authorization", "Bearer one")],
        )
        .await;
    let at = |url: &str| {
        let mut draft = with_values(&scene, server, &[("Authorization", "")]);
        let PlaceDraft::Address(endpoint) = &mut draft.place else {
            panic!("{draft:?}")
        };
        endpoint.url = url.into();
        draft
    };
    let same_site = at("https://one.example/other");
    assert_eq!(effects(&scene, server, &same_site).await.lost, [""; 0]);
    scene.host.server_edit(server, same_site).await.unwrap();
    assert_eq!(scene.window.now().servers[&server].missing, [""; 0]);
    let other_site = at("https://two.example/other");
    assert_eq!(effects(&scene, server, &other_site).await.lost, ["Authorization"]);
    scene.host.server_edit(server, other_site).await.unwrap();
    scene
        .server(server, "a header without a value", |view| {
            view.missing == ["Authorization"]
        })
        .await;
    scene.close().await;
}

/// A card shows the program that is there; its yes says nothing of the one that takes its place.
#[tokio::test]
async fn a_yes_to_the_program_before_allows_the_next_one_nothing() {
    let scene = Scene::new().await;
    let (server, _, _puppet) = allowed(&scene, &[]).await;
    scene.host.tool_rule(server, "read", ToolRule::Ask).await.unwrap();
    scene
        .host
        .tool_rule(server, "read", ToolRule::Allow)
        .await
        .unwrap();
    let question = scene.person.asked().await;
    let other = Stage::new(scene.folder(), "other");
    let draft = with_args(&scene, server, other.args());
    scene.host.server_edit(server, draft).await.unwrap();
    scene
        .window
        .until("no question waits", |seen| seen.waiting.is_empty())
        .await;
    give(&scene.host, &question, yes(Scope::Always))
        .await
        .unwrap_err();
    assert_eq!(permissions(&scene).await, 0);
    scene.close().await;
}
