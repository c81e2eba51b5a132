//! What the gate promises: a permit only after a yes or a rule, and only after the ledger says so.

use std::sync::Arc;

use super::call::call_scopes;
use super::*;
use crate::{Call, CallTool, Claims, Permit, Question, Reply, Tool};
use vestibule_policy::Definition;
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};

fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn server_record(id: ServerId) -> vestibule_store::ServerRecord {
    vestibule_store::ServerRecord {
        id,
        name: "notes".into(),
        place: vestibule_store::Place::Here(vestibule_store::Program::default()),
        era: vestibule_protocol::EraChoice::Auto,
        wanted: false,
        created: noon(),
    }
}

fn chat_record(id: ChatId) -> vestibule_store::ChatRecord {
    let workspace = WorkspaceId::home();
    vestibule_store::ChatRecord {
        id,
        workspace,
        title: "Oslo".into(),
        model: None,
        created: noon(),
        updated: noon(),
    }
}

struct Scene {
    gate: Arc<Gate>,
    inbox: Inbox,
    store: Store,
    server: ServerFace,
    chat: ChatId,
}

async fn scene() -> Scene {
    let store = Store::in_memory().unwrap();
    let inbox = Inbox::default();
    let gate = Arc::new(Gate::open(store.clone(), inbox.clone(), noon).await.unwrap());
    let server = ServerFace {
        id: ServerId::new(),
        name: "notes".into(),
        provenance: "npx notes".into(),
    };
    let chat = ChatId::new();
    store.put_server(&server_record(server.id)).await.unwrap();
    store.create_chat(&chat_record(chat)).await.unwrap();
    Scene {
        gate,
        inbox,
        store,
        server,
        chat,
    }
}

fn definition() -> Definition {
    Definition::Accepted(Digest::of_tool(&json!({"name": "delete_page"})))
}

impl Scene {
    fn call(&self, arguments: Value, claims: Claims, definition: Definition) -> CallRequest {
        let tool = Tool {
            name: "delete_page".into(),
            title: None,
            description: None,
            claims,
            definition: json!({"name": "delete_page"}),
        };
        let arguments = arguments.as_object().cloned().unwrap();
        let cause = Cause {
            chat: self.chat,
            chat_title: "Oslo".into(),
            entry: None,
        };
        CallRequest {
            server: self.server.clone(),
            cause: Some(cause),
            workspace: WorkspaceId::home(),
            call: Call {
                tool,
                arguments,
                last_arguments: None,
                raised: None,
                carried: vec![],
                roots: vec![],
                outside: vec![],
            },
            definition,
            fits: Arc::new(|_| Ok(())),
        }
    }

    /// Asks for a call and lets the person give `answer` when the question comes, as the consent window would.
    async fn person_says(&self, request: CallRequest, answer: Answer) -> Result<Permit<CallTool>, NoPermit> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        let asked = move |id| assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()));
        let person = async {
            let Ok(id) = told.await else { return };
            let question = self.inbox.questions().into_iter().find(|q| q.id == id).unwrap();
            self.inbox.presented(id);
            tokio::time::advance(Duration::from_millis(question.guard_ms.into())).await;
            let Question { nonce, digest, .. } = question;
            self.inbox
                .answer(Reply {
                    question: id,
                    nonce,
                    digest,
                    answer,
                    also: vec![],
                })
                .unwrap();
        };
        tokio::join!(self.gate.call_tool(request, asked), person).0
    }

    async fn kinds(&self) -> Vec<(LedgerKind, Option<String>)> {
        let filter = vestibule_store::LedgerFilter {
            limit: 100,
            ..Default::default()
        };
        let mut all = self.store.ledger(filter).await.unwrap();
        all.sort_by_key(|record| record.seq);
        all.into_iter()
            .map(|record| (record.kind, record.decision))
            .collect()
    }
}

fn yes(scope: Scope) -> Answer {
    Answer::Accept {
        scope,
        arguments: None,
        when: vec![],
    }
}

/// Shows TL-023.
#[tokio::test(start_paused = true)]
async fn a_yes_is_in_the_ledger_before_there_is_a_permit() {
    let scene = scene().await;
    let request = scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Intent, Some("allowed".into()))]
    );
    assert_eq!(permit.because(), [Because::Person { scope: Scope::Once }]);
    assert_eq!(permit.what().arguments["page"], "Oslo");
}

#[tokio::test(start_paused = true)]
async fn without_room_for_the_ledger_nothing_is_permitted() {
    let scene = scene().await;
    scene.store.close().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await;
    assert!(matches!(permit, Err(NoPermit::Ledger(_))), "{permit:?}");
}

#[tokio::test(start_paused = true)]
async fn the_permit_carries_the_arguments_as_the_person_left_them() {
    let scene = scene().await;
    let request = scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    let edited = json!({"page": "Bergen"}).as_object().cloned();
    let answer = Answer::Accept {
        scope: Scope::Once,
        arguments: edited,
        when: vec![],
    };
    let (what, _) = scene.person_says(request, answer).await.unwrap().spend();
    assert_eq!(what.arguments["page"], "Bergen");
}

#[tokio::test(start_paused = true)]
async fn a_no_gives_no_permit_and_keeps_the_persons_words() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let no = Answer::Refuse {
        reason: Some("not that page".into()),
    };
    let refusal = scene.person_says(request, no).await;
    assert!(matches!(refusal, Err(NoPermit::Refused { reason: Some(words) }) if words == "not that page"));
    assert_eq!(
        scene.kinds().await,
        [(LedgerKind::Decision, Some("refused".into()))]
    );
}

#[tokio::test(start_paused = true)]
async fn always_lets_the_next_call_pass_with_the_rule_named() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let passed = scene
        .gate
        .call_tool(request(), |_| panic!("nobody is asked"))
        .await
        .unwrap();
    assert!(
        matches!(
            passed.because(),
            [Because::Rule {
                scope: Scope::Always,
                ..
            }]
        ),
        "{passed:?}"
    );
    let standing = |definition| scene.gate.standing(scene.server.id, "delete_page", definition);
    let same = Digest::of_tool(&json!({ "name": "delete_page" }));
    assert_eq!(standing(same), Decision::Allow);
    let other = Digest::of_tool(&json!({ "name": "delete_page", "description": "changed" }));
    assert_eq!(
        standing(other),
        Decision::Ask,
        "it was given for another definition"
    );
}

#[tokio::test(start_paused = true)]
async fn rules_outlive_the_run() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let later = Gate::open(scene.store.clone(), scene.inbox.clone(), noon)
        .await
        .unwrap();
    assert!(
        later
            .call_tool(request(), |_| panic!("nobody is asked"))
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn a_permission_dies_with_the_definition_it_was_given_for() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request, yes(Scope::Always)).await.unwrap();
    let other = Definition::Accepted(Digest::of_tool(
        &json!({"name": "delete_page", "description": "!"}),
    ));
    let again = scene
        .person_says(scene.call(json!({}), Claims::default(), other), Answer::Cancel)
        .await;
    assert!(
        matches!(again, Err(NoPermit::NotNow)),
        "the person is asked again: {again:?}"
    );
    let held = scene
        .gate
        .call_tool(
            scene.call(json!({}), Claims::default(), Definition::Changed),
            |_| {},
        )
        .await;
    assert!(matches!(held, Err(NoPermit::Held)), "{held:?}");
}

#[tokio::test(start_paused = true)]
async fn what_claims_to_destroy_is_never_allowed_for_longer_than_a_chat() {
    let scene = scene().await;
    let claims = Claims {
        destructive: Some(true),
        ..Claims::default()
    };
    assert_eq!(call_scopes(Some(scene.chat), true), [Scope::Once, Scope::Chat]);
    let request = || scene.call(json!({}), claims, definition());
    let _used = scene.person_says(request(), yes(Scope::Chat)).await.unwrap();
    assert!(
        scene
            .gate
            .call_tool(request(), |_| panic!("nobody is asked"))
            .await
            .is_ok()
    );
    let elsewhere = CallRequest {
        cause: Some(Cause {
            chat: ChatId::new(),
            chat_title: String::new(),
            entry: None,
        }),
        ..request()
    };
    assert!(matches!(
        scene.person_says(elsewhere, Answer::Cancel).await,
        Err(NoPermit::NotNow)
    ));
}

#[tokio::test(start_paused = true)]
async fn never_means_never_whatever_was_allowed() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Chat)).await.unwrap();
    scene
        .gate
        .refuse_tool(scene.server.id, "delete_page")
        .await
        .unwrap();
    let refused = scene
        .gate
        .call_tool(request(), |_| panic!("nobody is asked"))
        .await;
    assert!(matches!(refused, Err(NoPermit::Ruled(_))), "{refused:?}");
    scene
        .gate
        .ask_again(scene.server.id, "delete_page")
        .await
        .unwrap();
    assert!(matches!(
        scene.person_says(request(), Answer::Cancel).await,
        Err(NoPermit::NotNow)
    ));
}

/// A rule made on one card answers the other cards it covers.
#[tokio::test(start_paused = true)]
async fn a_rule_made_meanwhile_answers_the_question_that_waits() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let other = scene.gate.clone();
    let waits = request();
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let waiting = tokio::spawn(async move {
        other
            .call_tool(waits, |id| {
                assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()))
            })
            .await
    });
    told.await.unwrap();
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let permit = waiting.await.unwrap().unwrap();
    assert!(matches!(permit.because(), [Because::Rule { .. }]));
    assert!(scene.inbox.questions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_takes_its_question_along() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let gate = scene.gate.clone();
    let call = tokio::spawn(async move {
        gate.call_tool(request, |id| {
            assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()))
        })
        .await
    });
    told.await.unwrap();
    assert_eq!(scene.inbox.questions().len(), 1);
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert!(scene.inbox.questions().is_empty());
}

/// A permit that nobody spends leaves no intent without its end behind.
#[tokio::test(start_paused = true)]
async fn a_permit_dropped_unused_gets_its_end_in_the_ledger() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let permit = scene.person_says(request, yes(Scope::Once)).await.unwrap();
    drop(permit);
    scene.gate.close().await;
    let all = scene
        .store
        .ledger(vestibule_store::LedgerFilter {
            limit: 10,
            ..Default::default()
        })
        .await
        .unwrap();
    let outcome = all
        .iter()
        .find(|record| record.kind == LedgerKind::Outcome)
        .unwrap();
    let intent = all
        .iter()
        .find(|record| record.kind == LedgerKind::Intent)
        .unwrap();
    assert_eq!(
        (&outcome.body["ended"], &outcome.body["intent"]),
        (&json!("not used"), &json!(intent.seq))
    );
}

/// The same for a receipt: the effect was taken in hand, and whoever held it was dropped.
#[tokio::test(start_paused = true)]
async fn an_effect_that_ended_is_not_written_twice() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let (_, receipt) = scene
        .person_says(request, yes(Scope::Once))
        .await
        .unwrap()
        .spend();
    let outcome = Outcome {
        ended: "answered",
        result: None,
        bytes: 2,
        took: Duration::ZERO,
    };
    scene.gate.ended(receipt, outcome).await.unwrap();
    scene.gate.close().await;
    let kinds: Vec<_> = scene.kinds().await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [LedgerKind::Intent, LedgerKind::Outcome]);
}

mod opening;
