//! How long and how far rules hold, and which change of one lets nothing more through.

use super::*;
use serde_json::json;

fn permission(scope: Scope, now: Timestamp) -> Option<Rule> {
    let action = Action::CallTool { tool: "add".into() };
    let digest = Digest::of_tool(&json!({}));
    Rule::permission(
        ServerId::new(),
        action,
        digest,
        scope,
        Some(ChatId::new()),
        WorkspaceId::home(),
        now,
    )
}

#[test]
fn once_leaves_no_rule_behind() {
    assert_eq!(permission(Scope::Once, Timestamp::UNIX_EPOCH), None);
}

#[test]
fn a_permission_ends_with_its_scope() {
    let start = Timestamp::UNIX_EPOCH;
    for (scope, days) in [(Scope::Workspace, 7), (Scope::Always, 30), (Scope::Chat, 90)] {
        let rule = permission(scope, start).unwrap();
        let end = days_after(start, days).unwrap();
        assert!(rule.holds_at(end - 1.second()), "{scope:?} holds until its end");
        assert!(!rule.holds_at(end), "{scope:?} ends");
    }
}

#[test]
fn a_clock_set_back_revives_nothing() {
    let rule = permission(Scope::Always, Timestamp::UNIX_EPOCH).unwrap();
    assert!(!rule.holds_at(Timestamp::UNIX_EPOCH - 1.second()));
}

#[test]
fn a_permission_without_a_definition_is_refused_at_load() {
    let mut rule = permission(Scope::Always, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(rule.check(), Ok(()));
    rule.bound_to = None;
    assert_eq!(rule.check(), Err(Unenforceable::Unbound));
}

#[test]
fn a_start_is_permitted_for_longer_and_a_page_is_asked_each_time() {
    let (server, now) = (ServerId::new(), Timestamp::UNIX_EPOCH);
    let permission = |action, scope| {
        let (digest, home) = (Digest::of_tool(&json!({})), WorkspaceId::home());
        Rule::permission(server, action, digest, scope, Some(ChatId::new()), home, now)
    };
    let start = permission(Action::StartServer, Scope::Always).unwrap();
    assert!(start.holds_at(now + (179 * 24).hours()));
    assert!(!start.holds_at(now + (180 * 24).hours()));
    let page = Action::OpenPage {
        domain: "example.com".into(),
    };
    for asked in [page, Action::Sample] {
        assert_eq!(permission(asked.clone(), Scope::Chat), None);
        // A refusal in a file of rules would never be looked at, so the file is not taken.
        let refusal = Rule::refusal(server, asked, now);
        assert_eq!(refusal.check(), Err(Unenforceable::AlwaysAsked));
    }
}

#[test]
fn a_rule_has_only_conditions_that_can_be_overseen() {
    let mut rule = permission(Scope::Always, Timestamp::UNIX_EPOCH).unwrap();
    let condition = Condition {
        at: "/path".into(),
        is: crate::Test::Equals(json!(1)),
    };
    rule.when = vec![condition; crate::condition::MOST];
    assert_eq!(rule.check(), Ok(()));
    rule.when.push(rule.when[0].clone());
    assert_eq!(rule.check(), Err(Unenforceable::TooManyConditions));
    rule.when = vec![Condition {
        at: "path".into(),
        is: crate::Test::Equals(json!(1)),
    }];
    assert_eq!(rule.check(), Err(Unenforceable::Condition(NoCondition::Pointer)));
}

/// HO-014: what a user made narrower holds at once, so nothing that is wider may count as narrower.
#[test]
fn only_what_lets_nothing_more_through_is_narrower() {
    let now = Timestamp::UNIX_EPOCH;
    let chat = ChatId::new();
    let condition = Condition {
        at: "/path".into(),
        is: crate::Test::Equals(json!(1)),
    };
    let before = Rule {
        when: vec![condition.clone()],
        ..permission(Scope::Always, now).unwrap()
    };
    let sooner = before.expires.map(|end| end - 1.hour());
    let later = before.expires.map(|end| end + 1.hour());
    let changed = |change: &dyn Fn(&mut Rule)| {
        let mut rule = before.clone();
        change(&mut rule);
        rule
    };
    for narrower in [
        changed(&|_| {}),
        changed(&|rule| rule.expires = sooner),
        changed(&|rule| rule.reach = Reach::Chat(chat)),
        changed(&|rule| rule.reach = Reach::Workspace(WorkspaceId::home())),
        changed(&|rule| {
            rule.when.push(Condition {
                at: "/to".into(),
                ..condition.clone()
            })
        }),
    ] {
        assert!(narrower.narrows(&before), "{narrower:?}");
    }
    for wider in [
        changed(&|rule| rule.expires = later),
        changed(&|rule| rule.expires = None),
        changed(&|rule| rule.when.clear()),
        changed(&|rule| rule.server = ServerId::new()),
        changed(&|rule| rule.bound_to = Some(Digest::of_tool(&json!(1)))),
        changed(&|rule| rule.action = Action::CallTool { tool: "other".into() }),
    ] {
        assert!(!wider.narrows(&before), "{wider:?}");
    }
    let in_chat = changed(&|rule| rule.reach = Reach::Chat(chat));
    assert!(!before.narrows(&in_chat));
    assert!(!changed(&|rule| rule.reach = Reach::Chat(ChatId::new())).narrows(&in_chat));
    let deny = |change: &dyn Fn(&mut Rule)| {
        let mut rule = changed(change);
        rule.decision = Decision::Deny;
        rule
    };
    let refusal = deny(&|_| {});
    assert!(deny(&|rule| rule.when.clear()).narrows(&refusal));
    assert!(!refusal.narrows(&deny(&|rule| rule.when.clear())));
    assert!(!deny(&|rule| rule.reach = Reach::Chat(chat)).narrows(&refusal));
    assert!(!refusal.narrows(&before), "another decision is another rule");
}

#[test]
fn only_permissions_for_what_a_server_does_end_with_its_place() {
    let (server, now) = (ServerId::new(), Timestamp::UNIX_EPOCH);
    let rule = |action, decision| Rule {
        decision,
        ..Rule::refusal(server, action, now)
    };
    let call = || Action::CallTool { tool: "add".into() };
    assert!(rule(call(), Decision::Allow).ends_with_place());
    for stays in [
        rule(call(), Decision::Deny),
        rule(Action::StartServer, Decision::Allow),
        rule(Action::ConnectServer, Decision::Allow),
        rule(Action::StartServer, Decision::Deny),
    ] {
        assert!(!stays.ends_with_place(), "{stays:?}");
    }
}

#[test]
fn a_rule_with_an_unknown_member_does_not_load() {
    let mut text = serde_json::to_value(permission(Scope::Always, Timestamp::UNIX_EPOCH)).unwrap();
    assert!(serde_json::from_value::<Rule>(text.clone()).is_ok());
    text["unless"] = json!("raining");
    assert!(serde_json::from_value::<Rule>(text).is_err());
}
