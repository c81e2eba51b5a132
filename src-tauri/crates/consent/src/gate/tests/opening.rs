//! What a yes to starting or connecting covers: the very same record, for this run or for longer, and nothing else.

use super::*;
use crate::{
    ConnectRequest, Connection, Launch, LaunchGap, LaunchGapKind, LaunchRisk, RunApproval, StartRequest,
};
use vestibule_policy::inspect::{KnownDomains, UrlContext, UrlSource, inspect};
use vestibule_policy::{Action, LAUNCH_VERSION, LaunchChange, LaunchPart, LaunchRecord};
use vestibule_protocol::TransportChoice;

impl Scene {
    pub(super) fn start<'a>(
        &self,
        record: &'a LaunchRecord,
        agreed: Option<&'a RunApproval>,
    ) -> StartRequest<'a> {
        StartRequest {
            server: self.server.clone(),
            launch: shown(),
            record,
            former: Digest::of_launch(&json!(["version 1", record.program])),
            agreed,
        }
    }

    fn connect<'a>(&self, digest: Digest, agreed: Option<&'a RunApproval>) -> ConnectRequest<'a> {
        let known = KnownDomains::default();
        let context = UrlContext::new(UrlSource::LocalServer, &known);
        let connection = Connection {
            inspection: inspect("https://mcp.example.com/mcp?key=horse", &context),
            origin: "https://mcp.example.com".into(),
            transport: TransportChoice::Auto,
            headers: vec![],
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

pub(super) fn shown() -> Launch {
    Launch {
        program: "/usr/bin/node".into(),
        command: "node".into(),
        args: vec!["server.js".into()],
        folder: "/home/me".into(),
        variables: vec![],
        files: vec![],
        gaps: vec![],
        loads_more: false,
        risks: vec![],
        change: None,
        serves_model: false,
        package: None,
    }
}

/// A launch of this program.
pub(super) fn launch(program: &str) -> LaunchRecord {
    LaunchRecord {
        version: LAUNCH_VERSION,
        program: program.into(),
        args: vec![],
        folder: "/home/me".into(),
        env: [].into(),
        search_path: String::new(),
        files: vec![],
        package: None,
    }
}

/// Keeps what the card of a start says of an earlier permission, and refuses.
async fn change_on_card(scene: &Scene, record: &LaunchRecord) -> Option<LaunchChange> {
    let inbox = scene.inbox.clone();
    let mut refuse = scene.person(Answer::Refuse { reason: None });
    let mut said = None;
    let refused = scene
        .start(record, None)
        .approve(&scene.gate, |id| {
            let question = inbox.questions().into_iter().find(|q| q.id == id).unwrap();
            let QuestionBody::StartServer(launch) = question.about else {
                panic!("another card")
            };
            said = launch.change;
            refuse(id);
        })
        .await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    said
}

/// Allows a start for longer.
async fn allow(scene: &Scene, record: &LaunchRecord) {
    let request = scene.start(record, None);
    let granted = request
        .approve(&scene.gate, scene.person(yes(Scope::Always)))
        .await;
    drop(granted.unwrap());
}

fn record(name: &str) -> Digest {
    Digest::of_connection(&json!(name))
}

#[tokio::test(start_paused = true)]
async fn a_start_is_allowed_again_only_for_the_very_same_launch() {
    let scene = scene().await;
    let (one, other) = (launch("one"), launch("two").digest());
    let digest = one.digest();
    let request = scene.start(&one, None);
    let permit = request
        .approve(&scene.gate, scene.person(yes(Scope::Always)))
        .await
        .unwrap();
    assert_eq!(permit.effect().launch, digest);
    let may = |record| {
        scene
            .gate
            .rules()
            .may_open(scene.server.id, Action::StartServer, record)
    };
    assert!(may(digest));
    assert!(!may(other));
}

#[tokio::test(start_paused = true)]
async fn a_start_that_changed_says_what_changed() {
    let scene = scene().await;
    let one = launch("one");
    assert_eq!(change_on_card(&scene, &one).await, None);
    allow(&scene, &one).await;
    let mut other = one.clone();
    other.search_path = "/tmp".into();
    let parts = vec![LaunchPart::SearchPath];
    let changed = Some(LaunchChange::Changed { parts });
    assert_eq!(change_on_card(&scene, &other).await, changed);
    // What the settings say of the earlier launch counts only where a permission is bound to it.
    let key = format!("launch/{}", scene.server.id);
    scene.store.put_setting(&key, json!(other)).await.unwrap();
    other.folder = "/".into();
    let unknown = Some(LaunchChange::Changed { parts: vec![] });
    assert_eq!(change_on_card(&scene, &other).await, unknown);
    scene.gate.rules().forget_launch(scene.server.id).await.unwrap();
    assert_eq!(scene.store.setting(&key).await.unwrap(), None);
}

/// A permission of version 1 asks once, with the reason.
#[tokio::test(start_paused = true)]
async fn a_permission_that_bound_less_is_asked_once_more_with_the_reason() {
    let scene = scene().await;
    let one = launch("one");
    let former = scene.start(&one, None).former;
    let rule = vestibule_policy::Rule::permission(
        scene.server.id,
        Action::StartServer,
        former,
        Scope::Always,
        None,
        vestibule_protocol::WorkspaceId::home(),
        noon(),
    );
    scene.gate.rules.rules.add(rule.unwrap()).await.unwrap();
    assert_eq!(change_on_card(&scene, &one).await, Some(LaunchChange::BindsMore));
    allow(&scene, &one).await;
    let again = scene.start(&one, None).approve(&scene.gate, nobody).await;
    drop(again.unwrap());
}

/// The window's word is not taken for it: an answer with a scope that the card did not offer is refused.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_not_wholly_bound_can_not_be_allowed_for_longer() {
    let gap = LaunchGap {
        kind: LaunchGapKind::UnpinnedPackage,
        what: "notes".into(),
    };
    let unbound = Launch {
        gaps: vec![gap],
        ..shown()
    };
    let serious = Launch {
        risks: vec![LaunchRisk::ActsOnEveryProgram],
        ..shown()
    };
    for launch_shown in [unbound, serious] {
        let scene = scene().await;
        let one = launch("one");
        // Not even by a rule that came from elsewhere.
        allow(&scene, &one).await;
        let request = StartRequest {
            launch: launch_shown,
            ..scene.start(&one, None)
        };
        let inbox = scene.inbox.clone();
        let asked = move |id| {
            let inbox = inbox.clone();
            tokio::spawn(async move {
                let card = inbox.questions().into_iter().find(|q| q.id == id).unwrap();
                assert_eq!(card.scopes, [Scope::Once]);
                inbox.presented(id);
                tokio::time::advance(CLICK_DELAY_FOR_CODE).await;
                let wide = inbox.answer(reply(card.clone(), yes(Scope::Always)));
                assert!(matches!(wide, Err(crate::NotTaken::Invalid(_))), "{wide:?}");
                inbox.answer(reply(card, no())).unwrap();
            });
        };
        let refused = request.approve(&scene.gate, asked).await;
        assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_allowed_again_only_for_the_very_same_record() {
    let scene = scene().await;
    let server = scene.server.id;
    let request = scene.connect(record("one"), None);
    let permit = request
        .approve(&scene.gate, scene.person(yes(Scope::Always)))
        .await
        .unwrap();
    assert_eq!(permit.effect().connection, record("one"));
    let may = |action, name| scene.gate.rules().may_open(server, action, record(name));
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
        let refused = scene
            .connect(record, None)
            .approve(gate, move |id| {
                let question = inbox.questions().into_iter().find(|q| q.id == id).unwrap();
                assert!(
                    matches!(&question.about, QuestionBody::ConnectServer(shown) if shown.changed == changed)
                );
                refuse(id);
            })
            .await;
        assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    };
    asks(record("one"), false).await;
    allow(&scene, &launch("one")).await;
    asks(record("one"), false).await;
    let request = scene.connect(record("one"), None);
    let granted = request.approve(gate, scene.person(yes(Scope::Always))).await;
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
    let permit = request
        .approve(gate, scene.person(yes(Scope::Once)))
        .await
        .unwrap();
    let agreed = permit.run_approval();
    let again = scene
        .connect(record("one"), Some(&agreed))
        .approve(gate, nobody)
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
    let other = scene
        .connect(record("two"), Some(&agreed))
        .approve(gate, no())
        .await;
    assert!(matches!(other, Err(Denied::ByUser { .. })), "{other:?}");
    let start = scene
        .start(&launch("one"), Some(&agreed))
        .approve(gate, no())
        .await;
    assert!(matches!(start, Err(Denied::ByUser { .. })), "{start:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_made_meanwhile_beats_what_was_agreed_to() {
    let scene = scene().await;
    let gate = &scene.gate;
    let request = scene.connect(record("one"), None);
    let permit = request
        .approve(gate, scene.person(yes(Scope::Once)))
        .await
        .unwrap();
    let rule = vestibule_policy::Rule::refusal(scene.server.id, Action::ConnectServer, noon());
    gate.rules.rules.add(rule).await.unwrap();
    let agreed = permit.run_approval();
    let again = scene
        .connect(record("one"), Some(&agreed))
        .approve(gate, nobody)
        .await;
    assert!(matches!(again, Err(Denied::ByRule(_))), "{again:?}");
}

/// Of an address only the origin is written down: the rest can hold a secret.
#[tokio::test(start_paused = true)]
async fn the_ledger_keeps_no_more_of_an_address_than_its_origin() {
    let scene = scene().await;
    let request = scene.connect(record("one"), None);
    let granted = request
        .approve(&scene.gate, scene.person(yes(Scope::Always)))
        .await;
    drop(granted.unwrap());
    let all = scene.store.ledger(Default::default()).await.unwrap();
    assert!(!all.is_empty());
    assert!(!format!("{all:?}").contains("horse"));
    let intent = all.iter().find(|r| r.kind == LedgerKind::Intent).unwrap();
    assert_eq!(intent.object, "https://mcp.example.com");
}
