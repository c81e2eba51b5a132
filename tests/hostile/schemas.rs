//! Schemas that would stall or exhaust whatever checks against them. H1, T7, T11. Whatever one server lists, the calls of
//! another are checked, asked and answered as always.

use std::collections::BTreeMap;
use std::process::Stdio;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use vestibule_host::view::{CallBody, CallProblem, CallState, Problem, Unchecked};
use vestibule_tests::{Scene, Turn, program, records, results, soon, text_result, tool};

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

/// How a call ends that reaches no server.
async fn ended(street: &Street, turn: Turn) -> CallBody {
    street.model.will(turn);
    street.model.will(Turn::words("I see."));
    street.scene.say(street.chat, "Go.").await;
    Scene::calls(&street.scene.finished(street.chat).await)
        .pop()
        .unwrap()
}

fn taking(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "inputSchema": schema })
}

/// Whether a reason is the one that a schema is refused for.
type IsExpected = fn(&Unchecked) -> bool;

/// Schemas that are refused, by the name of their tool.
fn bombs() -> BTreeMap<&'static str, (Value, IsExpected)> {
    let patterns: Map<_, _> = (0..40)
        .map(|n| {
            (
                format!("a{n}"),
                json!({ "pattern": format!(r"(?:\p{{L}}{{100}}){{{n}}}") }),
            )
        })
        .collect();
    let multiplies: IsExpected = |why| *why == Unchecked::Multiplies;
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
    let shown = street.scene.host.server_tools(street.server);
    assert_eq!(shown.len(), tools.len());
    for shown in shown {
        match (bombs.get(shown.name.as_str()), &shown.unchecked_arguments) {
            (Some((_, is)), Some(why)) => assert!(is(why), "{}: {why}", shown.name),
            (None, None) => assert_eq!(shown.name, "read"),
            other => panic!("{}: {:?}", shown.name, other.1),
        }
    }
    // Each call used to begin up to 33 checks without an end; 32 of them switched checking off for every server.
    let nulls: Map<_, _> = (0..16).map(|n| (format!("n{n}"), Value::Null)).collect();
    let nulls = Value::Object(nulls).to_string();
    let names: Vec<String> = bombs.keys().map(|name| format!("notes__{name}")).collect();
    let ids: Vec<String> = (0..24).map(|number| format!("call{number}")).collect();
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

/// What no limit of ours foresees is ended by the system: the process that checks can use neither more processor time nor
/// more memory than that, also when the application is gone.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test looks at the process itself")]
async fn the_process_that_checks_is_limited_by_the_system() {
    let mut process = Command::new(program("vestibule-driver"))
        .args(["worker", "limits", vestibule_schema::ROLE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
    let job = vestibule_schema::job_line("{}", None);
    input.write_all(job.as_bytes()).await.unwrap();
    soon("the process answers", output.next_line())
        .await
        .unwrap()
        .unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id().unwrap())).unwrap();
    let soft = |name: &str| -> u64 {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..]
            .split_whitespace()
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!((1..=3).contains(&soft("Max cpu time")), "{limits}");
    assert_eq!(soft("Max address space"), 1024 * 1024 * 1024);
    assert_eq!(soft("Max core file size"), 0);
    drop(input);
    assert!(
        soon("the process ends with its input", process.wait())
            .await
            .unwrap()
            .success()
    );
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
    street.others_are_unharmed().await;
    street.close().await;
}

/// Arguments that cannot be checked end the call before anything is asked; the model and the user read why.
#[tokio::test]
async fn arguments_that_are_too_large_for_their_schema_are_never_asked_about() {
    let alternatives: Vec<Value> = (0..1_000).map(|n| json!({ "const": n })).collect();
    let schema = json!({ "type": "object", "properties": { "all": { "items": { "anyOf": alternatives } } } });
    let mut street = Street::with(&[taking("choose", &schema), tool("read")]).await;
    let items: Vec<String> = (0..10_000).map(|n| format!("x{n}")).collect();
    let call = ended(
        &street,
        Turn::call("one", "notes__choose", json!({ "all": items })),
    )
    .await;
    let CallState::Failed {
        problem: Problem::Call(CallProblem::ArgumentsUnchecked { reason }),
    } = &call.state
    else {
        panic!("{:?}", call.state)
    };
    assert_eq!(*reason, Unchecked::ValueTooLarge);
    let asked = records(&street.scene.store).await;
    assert!(asked.iter().all(|record| record.object != "choose"), "{asked:?}");
    let told = loop {
        let told = results(&street.model.asked().await);
        if !told.is_empty() {
            break told;
        }
    };
    assert!(told[0].1.contains("too large to check"), "{told:?}");
    street.others_are_unharmed().await;
    street.it_still_works().await;
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
    let shown = ended(&street, Turn::call("one", "notes__grow", wrong)).await;
    let CallState::Failed {
        problem: Problem::Call(CallProblem::ArgumentsInvalid { errors }),
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
