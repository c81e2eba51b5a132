//! Random rules and requests of a small world, and a naive reading of them that shares nothing with the engine.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};

use super::super::*;
use crate::{Action, Condition, Digest, Places, Test};

/// A small world, so that random rules and requests meet often.
pub(super) struct World {
    pub(super) servers: [ServerId; 2],
    pub(super) chats: [ChatId; 2],
    pub(super) workspaces: [WorkspaceId; 2],
}

thread_local! {
    pub(super) static WORLD: World = World {
        servers: [ServerId::new(), ServerId::new()],
        chats: [ChatId::new(), ChatId::new()],
        workspaces: [WorkspaceId::home(), WorkspaceId::new()],
    };
}

pub(super) fn at(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + hours.hours()
}

pub(super) fn action(index: usize) -> Action {
    match index {
        0 => Action::StartServer,
        1 => Action::ConnectServer,
        3 => Action::Sample,
        n => Action::CallTool {
            tool: format!("tool{n}"),
        },
    }
}

pub(super) fn digest(index: u8) -> Digest {
    Digest::of_tool(&json!(index))
}

/// Whether a condition surely holds, and whether it may: yes, no, or not known for want of where a link leads.
type Met = (bool, char);
pub(super) const NO: Met = (false, 'n');
pub(super) const MAY: Met = (false, 'y');
pub(super) const YES: Met = (true, 'y');
pub(super) const OPEN: Met = (false, 'u');

/// Arguments, where their paths are known to lead, and what is to be said of each condition below.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    [Met; CONDITIONS],
);
pub(super) const ARGUMENTS: [Row; 17] = [
    (
        r#"{"path": "/a/b"}"#,
        &[("/a/b", "/a/b")],
        [YES, YES, NO, NO, NO, NO, NO],
    ),
    (r#"{"path": "/a/b"}"#, &[], [MAY, YES, NO, NO, NO, NO, NO]),
    (
        r#"{"path": "/a/../b"}"#,
        &[("/a/../b", "/b")],
        [MAY, MAY, NO, NO, NO, NO, NO],
    ),
    (
        r#"{"path": "/b/c"}"#,
        &[("/b/c", "/b/c")],
        [NO, YES, NO, NO, NO, NO, NO],
    ),
    (r#"{"path": "/b/c"}"#, &[], [OPEN, YES, NO, NO, NO, NO, NO]),
    (
        r#"{"path": "/a/link"}"#,
        &[("/a/link", "/b/x")],
        [MAY, YES, NO, NO, NO, NO, NO],
    ),
    (
        r#"{"path": "/b/link"}"#,
        &[("/b/link", "/a/x")],
        [MAY, YES, NO, NO, NO, NO, NO],
    ),
    (r#"{"path": 5}"#, &[], [MAY, MAY, NO, NO, NO, NO, NO]),
    (r#"{}"#, &[], [NO, NO, NO, NO, NO, NO, NO]),
    (
        r#"{"to": "kari@ours.example", "n": 7}"#,
        &[],
        [NO, NO, NO, YES, YES, NO, NO],
    ),
    (
        r#"{"to": "x@evil.test, y@ours.example", "n": "7"}"#,
        &[],
        [NO, NO, NO, MAY, MAY, NO, NO],
    ),
    (
        r#"{"to": "x@evil.test", "n": 8}"#,
        &[],
        [NO, NO, NO, NO, NO, NO, NO],
    ),
    (
        r#"{"files": [{"path": "/a/b"}, {"uri": "/c"}]}"#,
        &[("/a/b", "/a/b")],
        [NO, NO, NO, NO, NO, MAY, NO],
    ),
    (
        r#"{"files": [{"path": "/a/b"}]}"#,
        &[("/a/b", "/a/b")],
        [NO, NO, NO, NO, NO, YES, NO],
    ),
    (
        r#"{"files": "/b", "url": "https://ours.org/"}"#,
        &[("/b", "/b")],
        [NO, NO, NO, NO, NO, MAY, YES],
    ),
    (
        r#"{"files": [{"path": "/b"}], "url": "https://ours.org.evil.org/"}"#,
        &[("/b", "/b")],
        [NO; CONDITIONS],
    ),
    (
        r#"{"files": [{"path": "/b"}], "url": "https://ours.org@evil.org/"}"#,
        &[],
        [NO, NO, NO, NO, NO, OPEN, MAY],
    ),
];
pub(super) const CONDITIONS: usize = 7;

pub(super) fn arguments(index: usize) -> Value {
    serde_json::from_str(ARGUMENTS[index].0).unwrap()
}

pub(super) fn resolved(index: usize) -> Places {
    let known = ARGUMENTS[index].1.iter();
    Places {
        resolved: known
            .map(|(text, place)| ((*text).into(), (*place).into()))
            .collect(),
        ..Places::default()
    }
}

pub(super) fn condition(index: usize) -> Condition {
    let (at, is) = match index {
        0 => ("/path", Test::Under("/a".into())),
        1 => ("/path", Test::Glob("/**".into())),
        2 => ("/path", Test::Equals(json!("never"))),
        3 => ("/to", Test::Mail(vec!["@ours.example".into()])),
        4 => ("/n", Test::Equals(json!(7))),
        5 => ("/files/*/path", Test::Under("/a".into())),
        _ => ("/url", Test::Host(vec!["ours.org".into()])),
    };
    Condition { at: at.into(), is }
}

pub(super) fn any_rule() -> impl Strategy<Value = Rule> {
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

pub(super) fn any_request() -> impl Strategy<Value = Request> {
    let rare = || proptest::bool::weighted(0.1);
    let what = (
        0..2usize,
        0..4usize,
        proptest::option::weighted(0.8, 0..3u8),
        any::<bool>(),
        [rare(), rare(), rare(), rare(), rare()],
    );
    let row = proptest::option::weighted(0.9, 0..ARGUMENTS.len());
    (what, row, proptest::option::of(0..2usize), 0..2usize, 0..2600i64).prop_map(
        |((server, act, definition, destructive, floors), row, chat, workspace, now)| {
            let [
                carries_values,
                flow_unchecked,
                written_as_text,
                own_data,
                unchecked,
            ] = floors;
            WORLD.with(|world| Request {
                server: world.servers[server],
                action: action(act),
                definition: match definition {
                    None => DefinitionState::Changed,
                    Some(2) => DefinitionState::Unbound(digest(0)),
                    Some(d) => DefinitionState::Accepted(digest(d)),
                },
                claims_destructive: destructive,
                arguments: row.map(|row| Arc::new(arguments(row))),
                carries_values,
                flow_unchecked,
                written_as_text,
                places: Places {
                    own_data,
                    unchecked,
                    ..row.map(resolved).unwrap_or_default()
                },
                chat: chat.map(|index| world.chats[index]),
                workspace: world.workspaces[workspace],
                now: at(now),
            })
        },
    )
}

/// What the table says of each condition of the rule, for the arguments of the request.
pub(super) fn conditions(request: &Request, rule: &Rule) -> Vec<Met> {
    let known = request.arguments.as_deref();
    let row = known.and_then(|known| {
        (0..ARGUMENTS.len())
            .find(|row| arguments(*row) == *known && resolved(*row).resolved == request.places.resolved)
    });
    let met = |wanted: &Condition| {
        let which = (0..CONDITIONS)
            .find(|index| condition(*index) == *wanted)
            .unwrap();
        row.map_or(MAY, |row| ARGUMENTS[row].2[which])
    };
    rule.when.iter().map(met).collect()
}

/// The same policy written as plain sentences, one after the other, with nothing shared with the engine.
pub(super) fn reference(request: &Request, rules: &[Rule]) -> Decision {
    let speaks = |rule: &&Rule| {
        let here = match rule.reach {
            Reach::Chat(chat) => Some(chat) == request.chat,
            Reach::Workspace(workspace) => workspace == request.workspace,
            Reach::Everywhere => true,
        };
        // A message to a model is asked each time.
        let decides = rule.action != Action::Sample;
        rule.server == request.server && rule.action == request.action && here && decides
    };
    if request.definition == DefinitionState::Changed {
        return Decision::Deny;
    }
    let refusals = || {
        rules
            .iter()
            .filter(speaks)
            .filter(|rule| rule.decision == Decision::Deny)
            .map(|rule| conditions(request, rule))
    };
    if refusals().any(|met| met.iter().all(|(_, may)| *may == 'y')) {
        return Decision::Deny;
    }
    let open = refusals().any(|met| met.iter().all(|(_, may)| *may != 'n'));
    let mut allowed = false;
    for rule in rules
        .iter()
        .filter(speaks)
        .filter(|rule| rule.decision == Decision::Allow)
    {
        let DefinitionState::Accepted(now_defined) = request.definition else {
            continue;
        };
        if !conditions(request, rule).iter().all(|(surely, _)| *surely) {
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
    let asked_anyway = request.carries_values
        || request.flow_unchecked
        || request.written_as_text
        || request.places.own_data
        || request.places.unchecked
        || open;
    if allowed && !asked_anyway {
        Decision::Allow
    } else {
        Decision::Ask
    }
}

/// How many random worlds the tests try; `make differential` asks for a million.
pub(super) fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("VESTIBULE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
