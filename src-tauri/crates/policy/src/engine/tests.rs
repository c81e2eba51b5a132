//! The engine against a naive reading of the same sentences, and the properties a user relies on.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};

use super::*;
use crate::{Action, Condition, Digest, Places, Test};

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

/// Whether a condition surely holds, and whether it may: yes, no, or not known for want of where a link leads.
type Met = (bool, char);
const NO: Met = (false, 'n');
const MAY: Met = (false, 'y');
const YES: Met = (true, 'y');
const OPEN: Met = (false, 'u');

/// Arguments, where their paths are known to lead, and what is to be said of each condition below.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    [Met; CONDITIONS],
);
const ARGUMENTS: [Row; 17] = [
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
const CONDITIONS: usize = 7;

fn arguments(index: usize) -> Value {
    serde_json::from_str(ARGUMENTS[index].0).unwrap()
}

fn resolved(index: usize) -> Places {
    let known = ARGUMENTS[index].1.iter();
    Places {
        resolved: known
            .map(|(text, place)| ((*text).into(), (*place).into()))
            .collect(),
        ..Places::default()
    }
}

fn condition(index: usize) -> Condition {
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
fn conditions(request: &Request, rule: &Rule) -> Vec<Met> {
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
fn reference(request: &Request, rules: &[Rule]) -> Decision {
    let speaks = |rule: &&Rule| {
        let here = match rule.reach {
            Reach::Chat(chat) => Some(chat) == request.chat,
            Reach::Workspace(workspace) => workspace == request.workspace,
            Reach::Everywhere => true,
        };
        rule.server == request.server && rule.action == request.action && here
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

/// The verdict names its reasons, floors first and rules by their ids, and only those that decided.
#[test]
fn a_verdict_names_exactly_what_decided_it() {
    let request = WORLD.with(|world| Request {
        server: world.servers[0],
        action: action(1),
        definition: DefinitionState::Accepted(digest(0)),
        claims_destructive: false,
        arguments: None,
        carries_values: false,
        flow_unchecked: false,
        written_as_text: false,
        places: Places::default(),
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
    let floor = |floor| Because::Guardrail { guardrail: floor };
    let asked = evaluate(&destructive, &wide);
    assert_eq!(asked.because, [floor(Guardrail::ClaimsDestructive)]);
    let allowed = evaluate(&destructive, wide.iter().chain([&chat]));
    assert_eq!(
        (allowed.decision, allowed.because),
        (Decision::Allow, vec![because(&chat)])
    );

    let with_places = |own_data, unchecked| Request {
        places: Places {
            own_data,
            unchecked,
            ..Places::default()
        },
        ..request.clone()
    };
    let carrying = Request {
        carries_values: true,
        ..request.clone()
    };
    let uncompared = Request {
        flow_unchecked: true,
        ..request.clone()
    };
    let quoted = Request {
        written_as_text: true,
        ..request.clone()
    };
    for (raised, why) in [
        (quoted, Guardrail::WrittenAsText),
        (carrying, Guardrail::CarriesValues),
        (uncompared, Guardrail::TooMuchToCheck),
        (with_places(true, false), Guardrail::OwnData),
        (with_places(false, true), Guardrail::PathsUnchecked),
    ] {
        let asked = evaluate(&raised, wide.iter().chain([&chat]));
        assert_eq!((asked.decision, asked.because), (Decision::Ask, vec![floor(why)]));
    }

    let secret = Condition {
        at: "/path".into(),
        is: Test::Under("/secret".into()),
    };
    let unless_secret = Rule {
        when: vec![secret],
        ..Rule::refusal(request.server, request.action.clone(), at(0))
    };
    let named = Request {
        arguments: Some(Arc::new(json!({"path": "/home/link"}))),
        ..request.clone()
    };
    let asked = evaluate(&named, [&chat, &unless_secret]);
    assert_eq!(
        (asked.decision, asked.because),
        (Decision::Ask, vec![floor(Guardrail::PathsUnchecked)])
    );

    let refusal = Rule::refusal(request.server, request.action.clone(), at(0));
    let changed = Request {
        definition: DefinitionState::Changed,
        ..request.clone()
    };
    let denied = evaluate(&changed, [&refusal, &chat]);
    assert_eq!(
        denied.because,
        [floor(Guardrail::DefinitionChanged), because(&refusal)]
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

    #[test]
    fn a_condition_more_never_allows_more(
        request in any_request(), mut rules in prop::collection::vec(any_rule(), 1..8),
        of in any::<prop::sample::Index>(), extra in 0..CONDITIONS
    ) {
        let of = of.index(rules.len());
        rules[of].decision = Decision::Allow;
        let before = evaluate(&request, &rules).decision;
        rules[of].when.push(condition(extra));
        prop_assert!(evaluate(&request, &rules).decision >= before);
    }

    #[test]
    fn knowing_less_of_the_disk_never_allows_more(
        request in any_request(), rules in prop::collection::vec(any_rule(), 0..8)
    ) {
        let blind = Request { places: Places { resolved: Default::default(), ..request.places.clone() }, ..request.clone() };
        let allows = |request: &Request| evaluate(request, &rules).decision == Decision::Allow;
        prop_assert!(!allows(&blind) || allows(&request));
    }

    /// A wider root holds wherever a narrower one does, whatever the text and wherever it leads.
    #[test]
    fn a_wider_folder_holds_wherever_a_narrower_one_does(text in "(/(a|b|\\.\\.|\\.|%)){0,4}", end in "(/(a|b)){0,4}") {
        let arguments = json!({ "path": text });
        let mut places = Places::default();
        places.resolved.insert(text, end);
        let under = |root: &str| Condition { at: "/path".into(), is: Test::Under(root.into()) };
        let holds = |root| under(root).surely_holds(&arguments, &places);
        prop_assert!(!holds("/a/b") || holds("/a"));
        prop_assert!(!holds("/a") || holds("/"));
    }

    /// One more value in a list lets a permission hold no longer, never again.
    #[test]
    fn one_value_more_never_satisfies_a_permission(mut items in prop::collection::vec(0..6usize, 1..4), extra in 0..6usize) {
        let values = [
            json!({"path": "/a/b"}), json!({"path": "/b"}), json!({"uri": "/a"}), json!("/a/b"), json!({"path": null}), json!([])
        ];
        let list = |items: &[usize]| json!({ "files": items.iter().map(|item| values[*item].clone()).collect::<Vec<_>>() });
        let holds = |arguments: &Value| condition(5).surely_holds(arguments, &Places::as_written(arguments));
        let before = holds(&list(&items));
        items.push(extra);
        prop_assert!(before || !holds(&list(&items)));
    }
}
