//! What a yes to starting or connecting covers: the very same record, for this run or for longer, and nothing else.

use super::*;
use crate::{Agreed, ConnectRequest, Connection, Launch, StartRequest};
use vestibule_policy::Action;
use vestibule_policy::inspect::{Context, KnownDomains, Place, inspect};
use vestibule_protocol::TransportChoice;

impl Scene {
    fn start<'a>(&self, digest: Digest, agreed: Option<&'a Agreed>) -> StartRequest<'a> {
        let launch = Launch {
            program: "/usr/bin/node".into(),
            command: "node".into(),
            args: vec!["server.js".into()],
            folder: "/home/me".into(),
            variables: vec![],
            risks: vec![],
            changed: false,
        };
        StartRequest {
            server: self.server.clone(),
            launch,
            digest,
            agreed,
        }
    }

    fn connect<'a>(&self, digest: Digest, agreed: Option<&'a Agreed>) -> ConnectRequest<'a> {
        let known = KnownDomains::default();
        let context = Context::new(Place::LocalServer, &known);
        let connection = Connection {
            inspection: inspect("https://mcp.example.com/mcp?key=horse", &context),
            origin: "https://mcp.example.com".into(),
            transport: TransportChoice::Auto,
            headers: vec!["X-Api-Key".into()],
            proxy: None,
            carries_values: true,
            changed: false,
        };
        ConnectRequest {
            server: self.server.clone(),
            connection,
            digest,
            agreed,
        }
    }
}

fn record(name: &str) -> Digest {
    Digest::of_connection(&json!(name))
}

#[tokio::test(start_paused = true)]
async fn a_start_is_allowed_again_only_for_the_very_same_launch() {
    let scene = scene().await;
    let (digest, other) = (Digest::of_launch(&json!("one")), Digest::of_launch(&json!("two")));
    let request = scene.start(digest, None);
    let permit = scene
        .gate
        .start_server(request, scene.person(yes(Scope::Always)))
        .await
        .unwrap();
    assert_eq!(permit.what().launch, digest);
    let may = |record| scene.gate.may_open(scene.server.id, Action::StartServer, record);
    assert!(may(digest));
    assert!(!may(other));
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_allowed_again_only_for_the_very_same_record() {
    let scene = scene().await;
    let server = scene.server.id;
    let request = scene.connect(record("one"), None);
    let permit = scene
        .gate
        .connect_server(request, scene.person(yes(Scope::Always)))
        .await
        .unwrap();
    assert_eq!(permit.what().connection, record("one"));
    let may = |action, name| scene.gate.may_open(server, action, record(name));
    assert!(may(Action::ConnectServer, "one"));
    assert!(!may(Action::ConnectServer, "two"));
    assert!(!may(Action::StartServer, "one"), "a connection is no start");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_changed_says_so_when_it_is_asked() {
    let scene = scene().await;
    let gate = &scene.gate;
    let asks = async |record: Digest, changed: bool| {
        let inbox = scene.inbox.clone();
        let mut refuse = scene.person(Answer::Refuse { reason: None });
        let refused = gate
            .connect_server(scene.connect(record, None), move |id| {
                let question = inbox.questions().into_iter().find(|q| q.id == id).unwrap();
                assert!(matches!(&question.about, About::ConnectServer(shown) if shown.changed == changed));
                refuse(id);
            })
            .await;
        assert!(matches!(refused, Err(NoPermit::Refused { .. })), "{refused:?}");
    };
    asks(record("one"), false).await;
    let start = scene.start(Digest::of_launch(&json!("one")), None);
    let started = gate.start_server(start, scene.person(yes(Scope::Always))).await;
    drop(started.unwrap());
    asks(record("one"), false).await;
    let request = scene.connect(record("one"), None);
    let granted = gate
        .connect_server(request, scene.person(yes(Scope::Always)))
        .await;
    drop(granted.unwrap());
    asks(record("two"), true).await;
    pass(Duration::from_secs(200 * 24 * 3600));
    asks(record("one"), false).await;
}

/// "Once" means this run: the same record is opened again without a question, anything else is asked.
#[tokio::test(start_paused = true)]
async fn what_was_agreed_to_once_covers_the_same_record_again_and_no_other() {
    let scene = scene().await;
    let gate = &scene.gate;
    let request = scene.connect(record("one"), None);
    let permit = gate
        .connect_server(request, scene.person(yes(Scope::Once)))
        .await
        .unwrap();
    let agreed = permit.agreed();
    let again = gate
        .connect_server(scene.connect(record("one"), Some(&agreed)), nobody)
        .await
        .unwrap();
    assert_eq!(again.because(), permit.because());
    let kinds = scene.kinds().await;
    let intent = (LedgerKind::Intent, Some("allowed".to_owned()));
    assert_eq!(
        kinds,
        [intent.clone(), intent],
        "each opening stands in the ledger"
    );

    let no = || scene.person(Answer::Refuse { reason: None });
    let other = gate
        .connect_server(scene.connect(record("two"), Some(&agreed)), no())
        .await;
    assert!(matches!(other, Err(NoPermit::Refused { .. })), "{other:?}");
    let start = gate
        .start_server(scene.start(record("one"), Some(&agreed)), no())
        .await;
    assert!(matches!(start, Err(NoPermit::Refused { .. })), "{start:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_made_meanwhile_beats_what_was_agreed_to() {
    let scene = scene().await;
    let gate = &scene.gate;
    let request = scene.connect(record("one"), None);
    let permit = gate
        .connect_server(request, scene.person(yes(Scope::Once)))
        .await
        .unwrap();
    let rule = vestibule_policy::Rule::refusal(scene.server.id, Action::ConnectServer, noon());
    gate.rules.add(rule).await.unwrap();
    let agreed = permit.agreed();
    let again = gate
        .connect_server(scene.connect(record("one"), Some(&agreed)), nobody)
        .await;
    assert!(matches!(again, Err(NoPermit::Ruled(_))), "{again:?}");
}

/// Of an address only the origin is written down: the rest can hold a secret.
#[tokio::test(start_paused = true)]
async fn the_ledger_keeps_no_more_of_an_address_than_its_origin() {
    let scene = scene().await;
    let request = scene.connect(record("one"), None);
    let granted = scene
        .gate
        .connect_server(request, scene.person(yes(Scope::Always)))
        .await;
    drop(granted.unwrap());
    let all = scene.store.ledger(Default::default()).await.unwrap();
    assert!(!all.is_empty());
    assert!(!format!("{all:?}").contains("horse"));
    let intent = all.iter().find(|r| r.kind == LedgerKind::Intent).unwrap();
    assert_eq!(intent.object, "https://mcp.example.com");
}
