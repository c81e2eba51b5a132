//! What holds for a tool in all chats: accepted definitions, and permissions and refusals from the list of tools.

use super::*;
use crate::{Change, ChangeSubject};
use vestibule_policy::{Action, Condition, Muted, Reach, RequestKind, Rule, Test};
use vestibule_store::ApprovedTool;

const TOOL: &str = "delete_page";

fn digest() -> Digest {
    Digest::of_tool(&json!({ "name": TOOL }))
}

impl Scene {
    async fn accept(&self, answer: Answer) -> bool {
        let change = Change {
            subject: ChangeSubject::Tool { name: TOOL.into() },
            before: json!({}),
            after: json!({ "name": TOOL }),
            differences: vec![],
        };
        let approved = ApprovedTool {
            server: self.server.id,
            name: TOOL.into(),
            digest: digest().to_string(),
            definition: json!({ "name": TOOL }),
            approved: noon(),
        };
        let records = [approved];
        let accepted =
            self.gate
                .rules()
                .accept_change(self.server.clone(), change, &records, self.person(answer));
        accepted.await.unwrap()
    }

    async fn allow(&self, answer: Answer) -> bool {
        let allowed = self.gate.rules().allow_tool(
            self.server.clone(),
            cards::tool(TOOL),
            digest(),
            self.person(answer),
        );
        allowed.await.unwrap()
    }

    async fn refuse(&self) {
        let refused = self.gate.rules().refuse_tool(self.server.id, TOOL);
        refused.await.unwrap();
    }

    fn stands(&self) -> Decision {
        self.gate.rules().tool_decision(self.server.id, TOOL, digest())
    }

    fn rule(&self, scope: Scope) -> Rule {
        let action = Action::CallTool { tool: TOOL.into() };
        let (id, chat, home) = (self.server.id, Some(self.chat), WorkspaceId::home());
        Rule::permission(id, action, digest(), scope, chat, home, clock()).unwrap()
    }
}

fn when(path: &str) -> Vec<Condition> {
    vec![Condition {
        at: "/path".into(),
        is: Test::Under(path.into()),
    }]
}

#[tokio::test(start_paused = true)]
async fn a_changed_definition_is_the_accepted_one_only_after_a_yes() {
    let scene = scene().await;
    assert!(!scene.accept(no()).await);
    assert_eq!(scene.store.approved_tools(scene.server.id).await.unwrap(), []);
    let decision = scene.only(LedgerKind::Decision).await;
    assert_eq!(
        (
            decision.action.as_str(),
            decision.object.as_str(),
            decision.decision.as_deref()
        ),
        ("tool.accept", TOOL, Some("refused"))
    );
    assert!(scene.accept(yes(Scope::Once)).await);
    let approved = scene.store.approved_tools(scene.server.id).await.unwrap();
    assert_eq!(approved[0].digest, digest().to_string());
    let grant = scene.only(LedgerKind::Grant).await;
    assert_eq!(grant.body["definition"], json!(digest()));
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_allowed_for_all_chats_only_after_a_yes_and_once() {
    let scene = scene().await;
    assert!(!scene.allow(no()).await);
    assert_eq!(scene.stands(), Decision::Ask);
    let refusal = Rule::refusal(scene.server.id, Action::CallTool { tool: TOOL.into() }, noon());
    scene.gate.rules.rules.add(refusal).await.unwrap();
    assert_eq!(scene.stands(), Decision::Deny);
    assert!(scene.allow(yes(Scope::Always)).await);
    assert_eq!(scene.stands(), Decision::Allow, "the last word counts");
    assert_eq!(scene.gate.rules().all().len(), 1);
    let grant = scene.only(LedgerKind::Grant).await;
    assert_eq!(
        (
            grant.action.as_str(),
            grant.object.as_str(),
            grant.decision.as_deref()
        ),
        ("tool.call", TOOL, Some("allow"))
    );
}

/// The card does not show it.
#[tokio::test(start_paused = true)]
async fn a_refusal_with_conditions_stays_where_a_tool_is_allowed_for_all_chats() {
    let scene = scene().await;
    let refusal = Rule {
        when: when("/home/ada"),
        ..Rule::refusal(scene.server.id, Action::CallTool { tool: TOOL.into() }, noon())
    };
    scene.gate.rules.rules.add(refusal.clone()).await.unwrap();
    assert!(scene.allow(yes(Scope::Always)).await);
    assert_eq!(scene.stands(), Decision::Allow);
    let all = scene.gate.rules().all();
    assert!(all.contains(&refusal) && all.len() == 2, "{all:?}");
}

#[tokio::test(start_paused = true)]
async fn what_the_list_of_tools_says_is_what_holds_everywhere_and_now() {
    let scene = scene().await;
    let rules = &scene.gate.rules;
    let chat = scene.rule(Scope::Chat);
    let some = Rule {
        when: when("/home/ada"),
        ..scene.rule(Scope::Always)
    };
    let other = Rule {
        action: Action::CallTool { tool: "other".into() },
        ..scene.rule(Scope::Always)
    };
    let elsewhere = Rule {
        server: ServerId::new(),
        ..scene.rule(Scope::Always)
    };
    scene
        .store
        .put_server(&server_record(elsewhere.server))
        .await
        .unwrap();
    for rule in [chat, some, other, elsewhere] {
        rules.rules.add(rule).await.unwrap();
        assert_eq!(scene.stands(), Decision::Ask);
    }
    rules.rules.add(scene.rule(Scope::Always)).await.unwrap();
    assert_eq!(scene.stands(), Decision::Allow);
    pass(Duration::from_secs(31 * 24 * 3600));
    assert_eq!(scene.stands(), Decision::Ask, "it has ended");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_asked_again_keeps_no_rule_and_no_other_tool_loses_one() {
    let scene = scene().await;
    let action = Action::CallTool { tool: "other".into() };
    let (wide, chat) = (scene.rule(Scope::Always), scene.rule(Scope::Chat));
    let other = Rule {
        action,
        ..scene.rule(Scope::Always)
    };
    for rule in [&wide, &chat, &other] {
        scene.gate.rules.rules.add(rule.clone()).await.unwrap();
    }
    scene
        .gate
        .rules()
        .ask_again(scene.server.clone(), TOOL, nobody)
        .await
        .unwrap();
    assert_eq!(scene.gate.rules().all(), [other]);
    let revoke = scene.only(LedgerKind::Revoke).await;
    assert_eq!(
        (
            revoke.action.as_str(),
            revoke.object.as_str(),
            revoke.decision.as_deref()
        ),
        ("tool.call", TOOL, Some("ask"))
    );
    assert_eq!(revoke.body["rules"], json!([wide.id, chat.id]));
    scene.refuse().await;
    assert_eq!(scene.stands(), Decision::Deny);
    let last = scene.ledger().await.pop().unwrap();
    assert_eq!(
        (last.kind, last.decision.as_deref()),
        (LedgerKind::Revoke, Some("deny"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_replaces_the_rules_of_that_tool_of_that_server_alone() {
    let scene = scene().await;
    let other = ServerId::new();
    scene.store.put_server(&server_record(other)).await.unwrap();
    let of = |server, tool: &str| {
        let action = Action::CallTool { tool: tool.into() };
        Rule::permission(
            server,
            action,
            digest(),
            Scope::Always,
            None,
            WorkspaceId::home(),
            clock(),
        )
    };
    let [gone, tool, server] = [
        of(scene.server.id, TOOL),
        of(scene.server.id, "read"),
        of(other, TOOL),
    ]
    .map(Option::unwrap);
    for rule in [&gone, &tool, &server] {
        scene.gate.rules.rules.add(rule.clone()).await.unwrap();
    }
    scene.refuse().await;
    let left = scene.gate.rules().all();
    assert_eq!(left[..2], [tool, server]);
    assert_eq!((left.len(), left[2].decision), (3, Decision::Deny));
}

#[tokio::test(start_paused = true)]
async fn the_tour_starts_without_a_question_and_only_the_tour() {
    let scene = scene().await;
    let (own, other) = (
        Digest::of_launch(&json!("own")),
        Digest::of_launch(&json!("other")),
    );
    let server = scene.server.id;
    for _ in 0..2 {
        scene
            .gate
            .rules()
            .vouch_for_own_program(server, own)
            .await
            .unwrap();
    }
    assert_eq!(scene.gate.rules().all().len(), 1, "once is enough");
    assert!(scene.gate.rules().may_open(server, Action::StartServer, own));
    assert!(!scene.gate.rules().may_open(server, Action::StartServer, other));
}

/// A new permission takes the place of the one it repeats, and of no other.
#[tokio::test(start_paused = true)]
async fn a_permission_takes_the_place_of_what_it_repeats_alone() {
    let scene = scene().await;
    let some = Rule {
        when: when("/home/ada"),
        ..scene.rule(Scope::Always)
    };
    let others = Rule {
        when: when("/srv"),
        ..scene.rule(Scope::Always)
    };
    let refusal = Rule::refusal(scene.server.id, some.action.clone(), noon());
    let chat = scene.rule(Scope::Chat);
    let elsewhere = Rule {
        action: Action::CallTool { tool: "other".into() },
        ..some.clone()
    };
    for rule in [&some, &others, &refusal, &chat, &elsewhere] {
        let new = Rule {
            id: vestibule_protocol::RuleId::new(),
            ..rule.clone()
        };
        scene.gate.rules.rules.add(new).await.unwrap();
    }
    let places = |gate: &Gate| {
        let mut all = vec![];
        for Rule {
            action,
            when,
            reach,
            decision,
            ..
        } in gate.rules().all()
        {
            all.push((action, when, reach, decision));
        }
        all
    };
    let before = places(&scene.gate);
    scene.gate.rules().keep_rule(some.clone()).await.unwrap();
    let mut after = before.clone();
    let moved = after.remove(0);
    after.push(moved);
    assert_eq!(
        places(&scene.gate),
        after,
        "the same once, for the same arguments"
    );
    scene
        .gate
        .rules()
        .keep_rule(scene.rule(Scope::Always))
        .await
        .unwrap();
    let everything = places(&scene.gate);
    let wide = everything.iter().filter(|(action, _, reach, decision)| {
        *action == some.action && *reach == Reach::Everywhere && *decision == Decision::Allow
    });
    assert_eq!(
        wide.count(),
        1,
        "one for everything covers those for some arguments"
    );
    assert_eq!(everything.len(), 4, "and nothing else is gone");
    let changed = Rule {
        bound_to: Some(Digest::of_tool(&json!("new"))),
        when: when("/tmp"),
        ..scene.rule(Scope::Always)
    };
    scene.gate.rules().keep_rule(changed.clone()).await.unwrap();
    let now = places(&scene.gate);
    assert_eq!(now.len(), 4, "the permission for the old definition is over");
    assert!(now.iter().any(|(_, when, ..)| *when == changed.when));
    scene.gate.rules().keep_rule(changed).await.unwrap();
    assert_eq!(scene.gate.rules().all().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn with_a_chat_its_permissions_go_and_with_a_server_all_of_its_own() {
    let scene = scene().await;
    let (chat, wide) = (scene.rule(Scope::Chat), scene.rule(Scope::Always));
    let other = Rule {
        server: ServerId::new(),
        ..wide.clone()
    };
    scene
        .store
        .put_server(&server_record(other.server))
        .await
        .unwrap();
    for rule in [&chat, &wide, &other] {
        scene.gate.rules.rules.add(rule.clone()).await.unwrap();
    }
    let mut changes = scene.gate.rules().changes();
    scene.gate.rules().forget_chat(ChatId::new());
    assert_eq!(scene.gate.rules().all().len(), 3);
    scene.gate.rules().forget_chat(scene.chat);
    assert_eq!(scene.gate.rules().all(), [wide, other.clone()]);
    assert!(changes.has_changed().unwrap());
    let muted = Muted {
        server: scene.server.id,
        asking: RequestKind::Form,
        until: None,
    };
    scene.inbox.restore_mutes(&[muted]);
    changes.mark_unchanged();
    scene.gate.server_removed(scene.server.id);
    assert_eq!(scene.gate.rules().all(), [other]);
    assert!(changes.has_changed().unwrap());
    assert_eq!(
        scene.gate.questions().muted(),
        [],
        "what was muted of it is forgotten"
    );
    scene.gate.close().await;
    assert_eq!(scene.store.setting("muted").await.unwrap(), Some(json!([])));
}
