//! Changes of the main window that let more happen: no permit without a yes, and refusals stay until there is one.

use super::*;
use crate::tests::cards::address;
use crate::{Budget, ConnectionSummary, RuleSummary, Widen, WidenRequest, Widening};
use vestibule_app_protocol::Currency;
use vestibule_policy::{Action, Mention, Rule};

const TOOL: &str = "delete_page";

fn action() -> Action {
    Action::CallTool { tool: TOOL.into() }
}

fn model(url: &str) -> Widening {
    Widening::SaveConnection {
        connection: ConnectionSummary {
            label: "Work".into(),
            models: vec!["large".into()],
            headers: vec![],
            address: address(url),
            proxy: None,
        },
        new: true,
        before: None,
        key: true,
        prices: vec![],
    }
}

fn budget() -> Widening {
    let face = |tokens_hour| Budget {
        tokens_hour,
        tokens_day: 1,
        cost_hour: None,
        cost_day: None,
        currency: Currency::DOLLAR,
    };
    Widening::RaiseBudget {
        before: face(1),
        after: face(2),
    }
}

impl Scene {
    async fn widen(&self, server: bool, widening: Widening, answer: Answer) -> Result<Permit<Widen>, Denied> {
        let request = WidenRequest {
            server: server.then(|| self.server.clone()),
            chat: None,
            widening,
        };
        request.approve(&self.gate, self.person(answer)).await
    }

    async fn with_rules(&self) -> (Rule, Rule) {
        let digest = Digest::of_tool(&json!({"name": TOOL}));
        let (id, home) = (self.server.id, WorkspaceId::home());
        let allow = Rule::permission(id, action(), digest, Scope::Always, None, home, clock()).unwrap();
        let deny = Rule::refusal(id, action(), clock());
        for rule in [&allow, &deny] {
            self.gate.rules.rules.add(rule.clone()).await.unwrap();
        }
        (allow, deny)
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_permits_exactly_what_was_shown_and_is_on_disk_first() {
    let scene = scene().await;
    let shown = model("https://models.example/v1");
    let permit = scene.widen(false, shown.clone(), yes(Scope::Once)).await.unwrap();
    assert_eq!(permit.effect().widening, shown);
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.server, intent.action.as_str(), intent.object.as_str()),
        (None, "connection.save", "models.example")
    );
    scene
        .assert_stands_for(&intent, "shown", Digest::of_arguments(&json!(shown)))
        .await;
    let permit = scene.widen(true, budget(), yes(Scope::Once)).await.unwrap();
    assert_eq!(permit.effect().widening, budget());
    let all = scene.ledger().await;
    let about = all
        .iter()
        .find(|record| record.action == "sampling.budget")
        .unwrap();
    assert_eq!(about.server, Some(scene.server.id));
}

/// Which card was agreed to can be shown later.
#[tokio::test(start_paused = true)]
async fn a_permit_stands_for_the_card_that_was_shown() {
    let scene = scene().await;
    let (shown, mut agree) = (std::cell::Cell::new(None), scene.person(yes(Scope::Once)));
    let asked = |id| {
        let questions = scene.inbox.questions();
        shown.set(questions.into_iter().find(|it| it.id == id).map(|it| it.digest));
        agree(id);
    };
    let request = WidenRequest::new(budget());
    drop(request.approve(&scene.gate, asked).await.unwrap());
    let intent = scene.only(LedgerKind::Intent).await;
    let shown = shown.take().expect("it was asked");
    scene.assert_stands_for(&intent, "question", shown.into()).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_yes_there_is_no_permit() {
    let scene = scene().await;
    for (answer, said) in [(no(), "refused"), (Answer::Cancel, "not now")] {
        let refused = scene.widen(false, budget(), answer).await;
        assert!(
            matches!(refused, Err(Denied::ByUser { .. } | Denied::Dismissed)),
            "{refused:?}"
        );
        let last = scene.ledger().await.pop().unwrap();
        assert_eq!(
            (last.kind, last.decision.as_deref()),
            (LedgerKind::Decision, Some(said))
        );
    }
}

/// A blocked address is shown and has no yes.
#[tokio::test(start_paused = true)]
async fn a_model_at_a_blocked_address_cannot_be_agreed_to() {
    let scene = scene().await;
    let (gate, inbox) = (scene.gate.clone(), scene.inbox.clone());
    let asked = tokio::spawn(async move {
        let request = WidenRequest::new(model("https://10.0.0.1/v1"));
        request.approve(&gate, |_| {}).await
    });
    let question = loop {
        if let Some(question) = inbox.questions().pop() {
            break question;
        }
        tokio::task::yield_now().await;
    };
    inbox.presented(question.id);
    tokio::time::advance(CLICK_DELAY).await;
    let taken = inbox.answer(reply(question.clone(), yes(Scope::Once)));
    assert!(matches!(taken, Err(crate::NotTaken::Invalid(_))), "{taken:?}");
    inbox.answer(reply(question, Answer::Cancel)).unwrap();
    assert!(matches!(asked.await.unwrap(), Err(Denied::Dismissed)));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_taken_back_only_after_a_yes_to_it() {
    let scene = scene().await;
    let (allow, deny) = scene.with_rules().await;
    let take_back = |answer| {
        scene
            .gate
            .rules()
            .take_back(scene.server.clone(), deny.id, scene.person(answer))
    };
    let refused = take_back(no()).await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    assert_eq!(scene.gate.rules().all(), [allow.clone(), deny.clone()]);
    let (inbox, mut agree) = (scene.inbox.clone(), scene.person(yes(Scope::Once)));
    let face = RuleSummary::from(&deny);
    let reads = move |id| {
        let QuestionBody::Widen(Widening::DropRefusals { rules }) = inbox.questions().remove(0).about else {
            panic!("another card");
        };
        assert_eq!(rules, std::slice::from_ref(&face));
        agree(id);
    };
    let taken = scene
        .gate
        .rules()
        .take_back(scene.server.clone(), deny.id, reads)
        .await;
    assert!(taken.unwrap());
    assert_eq!(scene.gate.rules().all(), [allow]);
    assert_eq!(scene.store.rules().await.unwrap().len(), 1);
    let revoke = scene.only(LedgerKind::Revoke).await;
    assert_eq!(revoke.body, json!({"rules": [deny.id]}));
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("changed"));
    assert_eq!(scene.only(LedgerKind::Intent).await.action, "rule.take_back");
}

/// What was agreed to was about rules as they were shown.
#[tokio::test(start_paused = true)]
async fn a_refusal_that_changed_meanwhile_stays() {
    let scene = scene().await;
    let (_, deny) = scene.with_rules().await;
    let wider = Rule {
        when: vec![vestibule_policy::Condition {
            at: "/path".into(),
            is: vestibule_policy::Test::Under("/home/ada".into()),
        }],
        ..deny.clone()
    };
    let (gate, agree) = (scene.gate.clone(), scene.person(yes(Scope::Once)));
    let mut agree = Some(agree);
    let changes = move |id| {
        let (gate, wider, mut agree) = (gate.clone(), wider.clone(), agree.take().unwrap());
        tokio::spawn(async move {
            gate.rules.rules.replace(wider).await.unwrap();
            agree(id);
        });
    };
    let taken = scene
        .gate
        .rules()
        .take_back(scene.server.clone(), deny.id, changes)
        .await;
    assert!(!taken.unwrap());
    assert_eq!(scene.gate.rules().all().len(), 2);
    let outcome = scene.only(LedgerKind::Outcome).await;
    assert_eq!(outcome.body["ended"], json!("outdated"));
}

#[tokio::test(start_paused = true)]
async fn asking_again_drops_permissions_at_once_and_refusals_after_a_yes() {
    let scene = scene().await;
    let (_, deny) = scene.with_rules().await;
    let again = |answer| {
        scene
            .gate
            .rules()
            .ask_again(scene.server.clone(), TOOL, scene.person(answer))
    };
    assert!(matches!(again(no()).await, Err(Denied::ByUser { .. })));
    assert_eq!(scene.gate.rules().all(), [deny]);
    assert!(again(yes(Scope::Once)).await.unwrap());
    assert!(scene.gate.rules().all().is_empty());
    let asked = scene
        .gate
        .rules()
        .ask_again(scene.server.clone(), TOOL, nobody)
        .await;
    assert!(asked.unwrap(), "nothing is left to ask about");
}

/// The host of a model is among what the ledger can be searched for.
#[tokio::test(start_paused = true)]
async fn where_chats_would_go_is_named_in_the_ledger() {
    let scene = scene().await;
    let permit = scene
        .widen(true, model("https://models.example/v1"), yes(Scope::Once))
        .await;
    drop(permit.unwrap());
    let names = scene.store.ledger_names(scene.server.id).await.unwrap();
    assert_eq!(names[0].named, Mention::Host("models.example".into()));
}
