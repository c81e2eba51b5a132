//! The engine against a naive reading of the same sentences, and the properties a person relies on.

use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;
use serde_json::json;
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};

use super::*;
use crate::{Action, Digest};

/// A small world, so that random rules and requests meet often.
struct World {
    servers: [ServerId; 2],
    chats: [ChatId; 2],
    workspaces: [WorkspaceId; 2],
}

thread_local! {
    static WORLD: World = World {
        servers: [ServerId::new(), ServerId::new()],
        chats: [ChatId::new(), ChatId::new()],
        workspaces: [WorkspaceId::home(), WorkspaceId::new()],
    };
}

fn at(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + hours.hours()
}

fn action(index: usize) -> Action {
    match index {
        0 => Action::StartServer,
        n => Action::CallTool {
            tool: format!("tool{n}"),
        },
    }
}

fn digest(index: u8) -> Digest {
    Digest::of_tool(&json!(index))
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let body = (
        0..2usize,
        0..3usize,
        0..3u8,
        0..5usize,
        proptest::option::weighted(0.8, 0..2u8),
    );
    let time = (
        0..400i64,
        proptest::option::of(0..1200i64),
        proptest::option::of(0..800i64),
    );
    (body, time).prop_map(|((server, act, decision, reach, bound), (made, expires, used))| {
        WORLD.with(|world| Rule {
            id: RuleId::new(),
            server: world.servers[server],
            action: action(act),
            decision: [Decision::Allow, Decision::Ask, Decision::Deny][decision as usize],
            bound_to: bound.map(digest),
            reach: [
                Reach::Chat(world.chats[0]),
                Reach::Chat(world.chats[1]),
                Reach::Workspace(world.workspaces[0]),
                Reach::Workspace(world.workspaces[1]),
                Reach::Everywhere,
            ][reach],
            made: at(made),
            expires: expires.map(at),
            last_used: used.map(at),
        })
    })
}

fn any_request() -> impl Strategy<Value = Request> {
    let what = (
        0..2usize,
        0..3usize,
        proptest::option::weighted(0.8, 0..2u8),
        any::<bool>(),
    );
    (what, proptest::option::of(0..2usize), 0..2usize, 0..1600i64).prop_map(
        |((server, act, definition, destructive), chat, workspace, now)| {
            WORLD.with(|world| Request {
                server: world.servers[server],
                action: action(act),
                definition: definition.map_or(Definition::Changed, |d| Definition::Accepted(digest(d))),
                claims_destructive: destructive,
                chat: chat.map(|index| world.chats[index]),
                workspace: world.workspaces[workspace],
                now: at(now),
            })
        },
    )
}

/// The same policy written as plain sentences, one after the other, with nothing shared with the engine.
fn reference(request: &Request, rules: &[Rule]) -> Decision {
    let speaks = |rule: &&Rule| {
        let here = match rule.reach {
            Reach::Chat(chat) => Some(chat) == request.chat,
            Reach::Workspace(workspace) => workspace == request.workspace,
            Reach::Everywhere => true,
        };
        rule.server == request.server && rule.action == request.action && here
    };
    if request.definition == Definition::Changed {
        return Decision::Deny;
    }
    if rules
        .iter()
        .filter(speaks)
        .any(|rule| rule.decision == Decision::Deny)
    {
        return Decision::Deny;
    }
    let mut allowed = false;
    for rule in rules
        .iter()
        .filter(speaks)
        .filter(|rule| rule.decision == Decision::Allow)
    {
        let Definition::Accepted(now_defined) = request.definition else {
            continue;
        };
        let month = rule.last_used.unwrap_or(rule.made) + (30 * 24).hours();
        let stale = request.action != Action::StartServer && request.now >= month;
        let ended = rule.expires.is_some_and(|end| request.now >= end);
        if rule.bound_to != Some(now_defined) || stale || ended || request.now < rule.made {
            continue;
        }
        allowed |= !request.claims_destructive || matches!(rule.reach, Reach::Chat(_));
    }
    if allowed { Decision::Allow } else { Decision::Ask }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_decides_as_the_sentences_say(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8)
    ) {
        let verdict = evaluate(&request, &rules);
        prop_assert_eq!(verdict.decision, reference(&request, &rules));
        prop_assert!(!verdict.because.is_empty());
    }

    #[test]
    fn the_order_of_rules_changes_nothing(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8)
    ) {
        let backwards: Vec<_> = rules.iter().rev().collect();
        prop_assert_eq!(evaluate(&request, &rules), evaluate(&request, backwards));
    }

    #[test]
    fn taking_a_permission_away_never_allows_more(
        request in any_request(), mut rules in prop::collection::vec(any_rule(), 1..8), gone in any::<prop::sample::Index>()
    ) {
        let gone = gone.index(rules.len());
        rules[gone].decision = Decision::Allow;
        let fewer: Vec<_> = rules.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, r)| r).collect();
        prop_assert!(evaluate(&request, fewer).decision >= evaluate(&request, &rules).decision);
    }

    #[test]
    fn adding_a_refusal_never_allows_more(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8), mut extra in any_rule()
    ) {
        extra.decision = Decision::Deny;
        let before = evaluate(&request, &rules).decision;
        let more = rules.iter().chain([&extra]);
        prop_assert!(evaluate(&request, more).decision >= before);
    }

    #[test]
    fn a_rule_for_one_server_changes_nothing_for_another(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8)
    ) {
        let own: Vec<_> = rules.iter().filter(|rule| rule.server == request.server).collect();
        prop_assert_eq!(evaluate(&request, own), evaluate(&request, &rules));
    }
}
