//! The engine against a naive reading of the same sentences, and the properties a user relies on.

mod world;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_protocol::RuleId;

use super::*;
use crate::{Condition, Places, Test};
use world::*;

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
