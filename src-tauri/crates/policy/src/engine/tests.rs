//! The engine against a naive reading of the same sentences, and the properties a person relies on.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};

use super::*;
use crate::{Action, Condition, Digest, Test};

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
        1 => Action::ConnectServer,
        3 => Action::Sample,
        n => Action::CallTool {
            tool: format!("tool{n}"),
        },
    }
}

fn digest(index: u8) -> Digest {
    Digest::of_tool(&json!(index))
}

/// Arguments, and whether each condition below surely holds for them, and whether it may.
const ARGUMENTS: [(&str, [(bool, bool); CONDITIONS]); 5] = [
    (
        r#"{"path": "/a/b"}"#,
        [(true, true), (true, true), (false, false)],
    ),
    (
        r#"{"path": "/a/../b"}"#,
        [(false, true), (true, true), (false, false)],
    ),
    (
        r#"{"path": "/b/c"}"#,
        [(false, false), (true, true), (false, false)],
    ),
    (r#"{"path": 5}"#, [(false, true), (false, true), (false, false)]),
    (r#"{}"#, [(false, false), (false, false), (false, false)]),
];
const CONDITIONS: usize = 3;

fn arguments(index: usize) -> Value {
    serde_json::from_str(ARGUMENTS[index].0).unwrap()
}

fn condition(index: usize) -> Condition {
    let is = match index {
        0 => Test::Under("/a".into()),
        1 => Test::Glob("/**".into()),
        _ => Test::Equals(json!("never")),
    };
    Condition {
        at: "/path".into(),
        is,
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let body = (
        0..2usize,
        0..4usize,
        0..3u8,
        0..5usize,
        proptest::option::weighted(0.8, 0..2u8),
    );
    let time = (
        0..400i64,
        proptest::option::of(0..1200i64),
        proptest::option::of(0..800i64),
    );
    let when = prop::collection::vec(0..CONDITIONS, 0..3);
    (body, time, when).prop_map(
        |((server, act, decision, reach, bound), (made, expires, used), when)| {
            WORLD.with(|world| Rule {
                id: RuleId::new(),
                server: world.servers[server],
                action: action(act),
                decision: [Decision::Allow, Decision::Ask, Decision::Deny][decision as usize],
                when: when.into_iter().map(condition).collect(),
                bound_to: bound.map(digest),
                reach: [
                    Reach::Chat(world.chats[0]),
                    Reach::Chat(world.chats[1]),
                    Reach::Workspace(world.workspaces[0]),
                    Reach::Workspace(world.workspaces[1]),
                    Reach::Everywhere,
                ][reach],
                made_in: None,
                made: at(made),
                expires: expires.map(at),
                last_used: used.map(at),
            })
        },
    )
}

fn any_request() -> impl Strategy<Value = Request> {
    let what = (
        0..2usize,
        0..4usize,
        proptest::option::weighted(0.8, 0..3u8),
        any::<bool>(),
        proptest::bool::weighted(0.2),
    );
    let path = proptest::option::weighted(0.9, 0..ARGUMENTS.len());
    (what, path, proptest::option::of(0..2usize), 0..2usize, 0..2600i64).prop_map(
        |((server, act, definition, destructive, carries_values), path, chat, workspace, now)| {
            WORLD.with(|world| Request {
                server: world.servers[server],
                action: action(act),
                definition: match definition {
                    None => Definition::Changed,
                    Some(2) => Definition::Unbound(digest(0)),
                    Some(d) => Definition::Accepted(digest(d)),
                },
                claims_destructive: destructive,
                arguments: path.map(|path| Arc::new(arguments(path))),
                carries_values,
                chat: chat.map(|index| world.chats[index]),
                workspace: world.workspaces[workspace],
                now: at(now),
            })
        },
    )
}

/// The same policy written as plain sentences, one after the other, with nothing shared with the engine.
fn reference(request: &Request, rules: &[Rule]) -> Decision {
    let conditions = |rule: &Rule| -> Vec<(bool, bool)> {
        let known = request.arguments.as_deref();
        let row = known.and_then(|known| (0..ARGUMENTS.len()).find(|index| arguments(*index) == *known));
        let met = |wanted: &Condition| {
            let which = (0..CONDITIONS)
                .find(|index| condition(*index) == *wanted)
                .unwrap();
            row.map_or((false, true), |row| ARGUMENTS[row].1[which])
        };
        rule.when.iter().map(met).collect()
    };
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
        .filter(|rule| conditions(rule).iter().all(|(_, may)| *may))
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
        if !conditions(rule).iter().all(|(surely, _)| *surely) {
            continue;
        }
        if rule.action == Action::Sample && !matches!(rule.reach, Reach::Chat(_)) {
            continue;
        }
        let quarter = rule.last_used.unwrap_or(rule.made) + (90 * 24).hours();
        let stale = !request.action.opens_server() && request.now >= quarter;
        let ended = rule.expires.is_some_and(|end| request.now >= end);
        if rule.bound_to != Some(now_defined) || stale || ended || request.now < rule.made {
            continue;
        }
        allowed |= !request.claims_destructive || matches!(rule.reach, Reach::Chat(_));
    }
    if allowed && !request.carries_values {
        Decision::Allow
    } else {
        Decision::Ask
    }
}

/// The verdict names its reasons, floors first and rules by their ids, and only those that decided.
#[test]
fn a_verdict_names_exactly_what_decided_it() {
    let request = WORLD.with(|world| Request {
        server: world.servers[0],
        action: action(1),
        definition: Definition::Accepted(digest(0)),
        claims_destructive: false,
        arguments: None,
        carries_values: false,
        chat: Some(world.chats[0]),
        workspace: world.workspaces[0],
        now: at(1),
    });
    let allow = |reach| Rule {
        id: RuleId::new(),
        server: request.server,
        action: request.action.clone(),
        decision: Decision::Allow,
        when: vec![],
        bound_to: Some(digest(0)),
        reach,
        made_in: None,
        made: at(0),
        expires: None,
        last_used: None,
    };
    let because = |rule: &Rule| Because::Rule {
        rule: rule.id,
        scope: rule.reach.scope(),
    };
    let chat = allow(Reach::Chat(request.chat.unwrap()));
    let wide = [
        allow(Reach::Everywhere),
        allow(Reach::Workspace(request.workspace)),
    ];
    let [first, second] = &wide;
    let both = evaluate(&request, [second, first]);
    assert_eq!(both.because, [because(first), because(second)]);
    assert_eq!(evaluate(&request, []).because, [Because::Unruled]);

    let destructive = Request {
        claims_destructive: true,
        ..request.clone()
    };
    let floor = |floor| Because::Floor { floor };
    let asked = evaluate(&destructive, &wide);
    assert_eq!(asked.because, [floor(Floor::ClaimsDestructive)]);
    let allowed = evaluate(&destructive, wide.iter().chain([&chat]));
    assert_eq!(
        (allowed.decision, allowed.because),
        (Decision::Allow, vec![because(&chat)])
    );

    let carrying = Request {
        carries_values: true,
        ..request.clone()
    };
    let asked = evaluate(&carrying, wide.iter().chain([&chat]));
    assert_eq!(
        (asked.decision, asked.because),
        (Decision::Ask, vec![floor(Floor::CarriesValues)])
    );

    let refusal = Rule::refusal(request.server, request.action.clone(), at(0));
    let changed = Request {
        definition: Definition::Changed,
        ..request.clone()
    };
    let denied = evaluate(&changed, [&refusal, &chat]);
    assert_eq!(
        denied.because,
        [floor(Floor::DefinitionChanged), because(&refusal)]
    );
}

/// How many random worlds the tests try; `make differential` asks for a million.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("VESTIBULE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(20_000))]
    #[test]
    fn the_engine_decides_as_the_sentences_say(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8)
    ) {
        let verdict = evaluate(&request, &rules);
        prop_assert_eq!(verdict.decision, reference(&request, &rules));
        prop_assert!(!verdict.because.is_empty());
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

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
