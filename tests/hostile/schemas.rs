//! Schemas that would stall or exhaust whatever checks against them. H1, T7, T11. Whatever one server lists, the calls of
//! another are checked, asked and answered as always.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use vestibule_host::view::{CallState, Problem, Unchecked};
use vestibule_tests::{Scene, Turn, records, text_result, tool};

use crate::Street;

/// Forty definitions, each made of two of the next: 2^40 steps in some 200 values.
fn doubling(join: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for level in 0..40 {
        defs.insert(
            format!("d{level}"),
            join(json!({ "$ref": format!("#/$defs/d{}", level + 1) })),
        );
    }
    defs.insert("d40".into(), json!({ "type": "object" }));
    json!({ "type": "object", "$ref": "#/$defs/d0", "$defs": defs })
}

fn taking(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "inputSchema": schema })
}

/// What a tool refuses to be checked against, by its name.
fn bombs() -> BTreeMap<&'static str, (Value, fn(&Unchecked) -> bool)> {
    let patterns: Map<_, _> = (0..40)
        .map(|n| {
            (
                format!("a{n}"),
                json!({ "pattern": format!(r"(?:\p{{L}}{{100}}){{{n}}}") }),
            )
        })
        .collect();
    let multiplies: fn(&Unchecked) -> bool = |why| *why == Unchecked::Multiplies;
    BTreeMap::from([
        (
            "if_then",
            (doubling(|next| json!({ "if": next, "then": next })), multiplies),
        ),
        (
            "all_of",
            (
                doubling(|next| json!({ "allOf": [{ "allOf": [next] }, { "allOf": [next] }] })),
                multiplies,
            ),
        ),
        (
            "unevaluated",
            (
                doubling(|next| json!({ "allOf": [next], "unevaluatedProperties": false })),
                multiplies,
            ),
        ),
        (
            "circle",
            (json!({ "type": "object", "anyOf": [{ "$ref": "#" }] }), |why| {
                *why == Unchecked::Circular
            }),
        ),
        (
            "patterns",
            (json!({ "type": "object", "properties": patterns }), |why| {
                matches!(why, Unchecked::PatternRefused { .. })
            }),
        ),
        (
            "network",
            (
                json!({ "type": "object", "$ref": "http://127.0.0.1:9/schema.json" }),
                |why| matches!(why, Unchecked::Outside { .. }),
            ),
        ),
    ])
}

#[tokio::test]
async fn after_the_worst_schemas_of_one_server_the_calls_of_another_work() {
    let bombs = bombs();
    let mut tools: Vec<Value> = bombs
        .iter()
        .map(|(name, (schema, _))| taking(name, schema))
        .collect();
    tools.push(tool("read"));
    let mut street = Street::with(&tools).await;
    for name in bombs.keys() {
        street
            .logged(&format!("the arguments of {name:?} are not checked"))
            .await;
    }
    for shown in street.scene.host.server_tools(street.server) {
        match (bombs.get(shown.name.as_str()), &shown.unchecked_arguments) {
            (Some((_, is)), Some(why)) => assert!(is(why), "{}: {why}", shown.name),
            (None, None) => assert_eq!(shown.name, "read"),
            other => panic!("{}: {:?}", shown.name, other.1),
        }
    }
    // As many calls as used to switch checking off for every server, with as many `null`s as are looked at.
    let nulls: Map<_, _> = (0..16).map(|n| (format!("n{n}"), Value::Null)).collect();
    let nulls = Value::Object(nulls).to_string();
    let names: Vec<String> = bombs.keys().map(|name| format!("notes__{name}")).collect();
    let ids: Vec<String> = (0..36).map(|number| format!("call{number}")).collect();
    let calls: Vec<_> = ids
        .iter()
        .zip(names.iter().cycle())
        .map(|(id, name)| (id.as_str(), name.as_str(), nulls.as_str()))
        .collect();
    street.model.will(Turn::calls(&calls));
    street.scene.say(street.chat, "Call all of them.").await;
    for _ in 0..calls.len() {
        let call = street.puppet.hear("tools/call").await;
        street.puppet.answer(&call, text_result("done")).await;
    }
    street.told().await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A reading of draft 7 compiles a text that is said to be an expression: a way to much work that no limit on the schema
/// foresees. The process that does it is ended; only that call fails, and nothing of it was asked.
#[tokio::test]
async fn a_check_that_does_not_end_is_ended_and_costs_only_its_own_call() {
    let schema = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": { "all": { "type": "array", "items": { "type": "string", "format": "regex" } } } });
    let mut street = Street::with(&[taking("compile", &schema), tool("read")]).await;
    let heavy: Vec<String> = (0..2_000)
        .map(|n| format!(r"(?:\p{{L}}{{50}}){{2}}{n}"))
        .collect();
    street
        .model
        .will(Turn::call("one", "notes__compile", json!({ "all": heavy })));
    street.model.will(Turn::words("I see."));
    street.scene.say(street.chat, "Compile.").await;
    let call = Scene::calls(&street.scene.finished(street.chat).await)
        .pop()
        .unwrap();
    let CallState::Failed {
        problem: Problem::ArgumentsUnchecked { reason },
    } = &call.state
    else {
        panic!("{:?}", call.state)
    };
    assert_eq!(*reason, Unchecked::Stopped);
    let asked = records(&street.scene.store).await;
    assert!(asked.iter().all(|record| record.object != "compile"), "{asked:?}");
    street.model.asked().await;
    street.model.asked().await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// Took 4.4 seconds a result before.
#[tokio::test]
async fn a_result_that_is_too_large_for_its_schema_is_shown_as_not_checked() {
    let alternatives: Vec<Value> = (0..1_000).map(|n| json!({ "const": n })).collect();
    let mut read = tool("read");
    read["outputSchema"] =
        json!({ "type": "object", "properties": { "all": { "items": { "anyOf": alternatives } } } });
    let mut street = Street::with(&[read]).await;
    let call = street.call().await;
    let items: Vec<String> = (0..10_000).map(|n| format!("x{n}")).collect();
    let result =
        json!({ "content": [{ "type": "text", "text": "ok" }], "structuredContent": { "all": items } });
    street.puppet.answer(&call, result).await;
    let shown = street.told().await;
    let CallState::Answered { result, .. } = &shown.state else {
        panic!("{shown:?}")
    };
    assert_eq!(result.unchecked, Some(Unchecked::ValueTooLarge));
    assert_eq!(result.misfits, Vec::<String>::new());
    street.model.asked().await;
    street.others_are_unharmed().await;
    street.close().await;
}

/// A definition of a usual size that describes a tree is checked, in its parts as well.
#[tokio::test]
async fn a_tool_that_takes_a_tree_is_checked() {
    let tree = json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/node" } }, "$defs": { "node": {
        "type": "object", "properties": { "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } } } });
    let mut street = Street::with(&[taking("grow", &tree), tool("read")]).await;
    let wrong = json!({ "root": { "children": [{ "children": [{ "name": 7 }] }] } });
    street.model.will(Turn::call("one", "notes__grow", wrong));
    street.scene.say(street.chat, "Grow.").await;
    let shown = street.told().await;
    let CallState::Failed {
        problem: Problem::ArgumentsInvalid { errors },
    } = &shown.state
    else {
        panic!("{shown:?}")
    };
    assert!(
        errors.join(";").contains("/root/children/0/children/0/name"),
        "{errors:?}"
    );
    street.others_are_unharmed().await;
    street.close().await;
}
