//! Rules that were not signed here: what they permit does not hold, what they refuse does, and either is put back or
//! removed by the user.

use super::*;
use crate::RuleBinding;
use vestibule_policy::Action;
use vestibule_store::{RowFault, RowKey};

const TOOL: &str = "delete_page";

fn digest() -> Digest {
    Digest::of_tool(&json!({ "name": TOOL }))
}

fn action() -> Action {
    Action::CallTool { tool: TOOL.into() }
}

impl Scene {
    /// The same with these rules in the file, none of them signed.
    async fn with_unsigned(self, rules: &[Rule]) -> Self {
        for rule in rules {
            self.gate.rules.rules.add(rule.clone()).await.unwrap();
        }
        let key = RowKey::new("key".into());
        self.store.sign_rows(key, 0, |_| false).await.unwrap();
        self.reopened().await
    }

    async fn reopened(self) -> Self {
        let gate = Gate::open(self.store.clone(), self.inbox.clone(), clock).await;
        let gate = Arc::new(gate.unwrap());
        Self { gate, ..self }
    }

    fn forever(&self) -> Rule {
        let (id, home) = (self.server.id, WorkspaceId::home());
        Rule::permission(id, action(), digest(), Scope::Always, None, home, clock()).unwrap()
    }

    fn decision(&self) -> Decision {
        self.gate.rules().tool_decision(self.server.id, TOOL, digest())
    }

    async fn review(&self, asked: impl FnMut(QuestionId)) -> bool {
        let found = self.gate.rules().quarantined().swap_remove(0);
        let bound = |_: &Rule| Some(RuleBinding::OtherDefinition);
        let review = self
            .gate
            .rules()
            .review_quarantined(self.server.clone(), &found.name, bound, asked);
        review.await.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_that_nobody_signed_holds_only_after_a_yes() {
    let scene = scene().await;
    let rule = scene.forever();
    let scene = scene.with_unsigned(std::slice::from_ref(&rule)).await;
    let found = scene.gate.rules().quarantined();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].fault, found[0].rule.as_ref()),
        (RowFault::Unsigned, Some(&rule))
    );
    assert_eq!(scene.decision(), Decision::Ask);
    assert!(!scene.review(scene.person(no())).await);
    assert_eq!(scene.gate.rules().quarantined(), found);
    assert!(scene.review(scene.person(yes(Scope::Always))).await);
    let assert_holds = |scene: &Scene| {
        assert_eq!(scene.gate.rules().quarantined(), []);
        assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&rule), "once");
        assert_eq!(scene.decision(), Decision::Allow);
    };
    assert_holds(&scene);
    assert_holds(&scene.reopened().await);
}

/// D6: another program writes a permission into the database that has no end and is bound to what the user never saw.
#[tokio::test(start_paused = true)]
async fn a_permission_that_is_put_back_ends_and_its_card_says_what_it_is_bound_to() {
    let scene = scene().await;
    let rule = scene.forever();
    let endless = Rule {
        expires: None,
        ..rule.clone()
    };
    let scene = scene.with_unsigned(&[endless]).await;
    let mut cards = vec![];
    let mut answer = scene.person(yes(Scope::Always));
    let asked = |id| {
        let mut questions = scene.inbox.questions();
        cards.push(questions.swap_remove(0).about);
        answer(id);
    };
    assert!(scene.review(asked).await);
    let [QuestionBody::KeepRules(shown)] = &cards[..] else {
        panic!("{cards:?}")
    };
    assert_eq!(shown.rules[0].binding, Some(RuleBinding::OtherDefinition));
    let end = rule.expires.expect("a permission ends");
    assert_eq!(shown.rules[0].expires_ms, Some(end.as_millisecond()));
    assert_eq!(
        scene.gate.rules().all(),
        [rule],
        "the card and the rule end together"
    );
}

/// The yes that puts it back is what gives it, whatever the file says of when it was made.
#[tokio::test(start_paused = true)]
async fn stopping_everything_takes_back_a_permission_that_was_put_back_since_then() {
    let scene = scene().await;
    let rules = [scene.forever()];
    let scene = scene.with_unsigned(&rules).await;
    pass(Duration::from_secs(60));
    let since = clock();
    assert!(scene.review(scene.person(yes(Scope::Always))).await);
    assert_eq!(scene.decision(), Decision::Allow);
    assert_eq!(scene.gate.rules().take_back_since(since).await.unwrap(), 1);
    assert_eq!(scene.decision(), Decision::Ask);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_nobody_signed_holds_and_is_put_back_without_a_question() {
    let scene = scene().await;
    let rule = Rule::refusal(scene.server.id, action(), clock());
    let scene = scene.with_unsigned(std::slice::from_ref(&rule)).await;
    assert_eq!(scene.decision(), Decision::Deny);
    let name = scene.gate.rules().quarantined().swap_remove(0).name;
    let removed = scene.gate.rules().remove_quarantined(&name).await.unwrap();
    assert!(!removed, "taking back a refusal is a decision of its own");
    assert!(scene.review(nobody).await);
    assert_eq!(scene.gate.rules().quarantined(), []);
    assert_eq!(scene.gate.rules().all(), [rule], "once");
    assert_eq!(scene.reopened().await.gate.rules().quarantined(), []);
}

#[tokio::test(start_paused = true)]
async fn a_permission_that_nobody_signed_is_removed_and_the_others_stay() {
    let scene = scene().await;
    let rules = [scene.forever(), scene.forever()];
    let scene = scene.with_unsigned(&rules).await;
    let mut changes = scene.gate.rules().changes();
    changes.mark_unchanged();
    let name = scene.gate.rules().quarantined().swap_remove(0).name;
    assert!(scene.gate.rules().remove_quarantined(&name).await.unwrap());
    assert!(changes.has_changed().unwrap(), "the Rules screen is notified");
    let revoked = scene.only(LedgerKind::Revoke).await;
    assert_eq!(
        (revoked.server, revoked.object.as_str(), &revoked.body),
        (
            Some(scene.server.id),
            TOOL,
            &json!({"rules": [name.id], "found": "unsigned"})
        )
    );
    let left = scene.gate.rules().quarantined();
    assert_eq!(left.len(), 1);
    assert_ne!(left[0].name, name);
    let scene = scene.reopened().await;
    assert_eq!(scene.gate.rules().quarantined(), left);
    assert!(
        !scene.gate.rules().remove_quarantined(&name).await.unwrap(),
        "it is gone"
    );
}

#[tokio::test(start_paused = true)]
async fn with_a_server_its_quarantined_rules_go() {
    let scene = scene().await;
    let rule = scene.forever();
    let scene = scene.with_unsigned(&[rule]).await;
    scene.gate.server_removed(ServerId::new());
    assert_eq!(scene.gate.rules().quarantined().len(), 1);
    scene.gate.server_removed(scene.server.id);
    assert_eq!(scene.gate.rules().quarantined(), []);
}
