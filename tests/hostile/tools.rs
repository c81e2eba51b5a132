//! Listings that are too long, too large, or harmful to read.

use serde_json::{Map, Value, json};
use vestibule_host::view::{CallState, ContentView};
use vestibule_tests::{tool, tool_names};

use crate::Street;

fn named(names: impl IntoIterator<Item = String>) -> Vec<Value> {
    names.into_iter().map(|name| tool(&name)).collect()
}

#[tokio::test]
async fn of_five_thousand_tools_the_first_are_kept_and_the_rest_is_counted() {
    let mut tools = vec![tool("read")];
    tools.extend(named((1..5000).map(|number| format!("tool{number}"))));
    let mut street = Street::with(&tools).await;
    street.offers_all_tools().await;
    let view = street.scene.ready(street.server).await;
    assert_eq!(view.tool_count, 512);
    street
        .logged("only the first 512 tools were kept; at least 4488 more were left out")
        .await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    let names = tool_names(&street.model.asked().await);
    // More than 128 tools make OpenAI refuse the request, and `read_result` may have to be one of them.
    assert_eq!(names.len(), 127);
    assert!(
        names.contains(&"other__find".to_owned()),
        "the tool of the other server is among them: {names:?}"
    );
    assert!(names.iter().all(|name| name.len() <= 64));
    street.close().await;
}

#[tokio::test]
async fn a_broken_tool_costs_itself_and_not_the_others() {
    let mut street = Street::with(&[
        json!({ "description": "no name", "inputSchema": { "type": "object" } }),
        json!({ "name": "no-schema" }),
        json!({ "name": 7, "inputSchema": { "type": "object" } }),
        json!({ "name": "odd-schema", "inputSchema": "anything" }),
        json!("not even an object"),
        tool("read"),
        tool("read"),
        json!({ "name": "large", "description": "d".repeat(1024 * 1024), "inputSchema": { "type": "object" } }),
    ])
    .await;
    let names: Vec<_> = street
        .scene
        .host
        .server_tools(street.server)
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert!(names.contains(&"read".to_owned()), "{names:?}");
    assert!(!names.contains(&"large".to_owned()), "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "read").count(), 1);
    street.logged("another of the tools has the same name").await;
    street
        .logged("the tool \"large\" is left out: its definition has")
        .await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// SCH-004, SCH-006, SCH-007: a schema that would hang or end us is not built; the tool can be called, and the log says
/// that its arguments are not checked.
#[tokio::test]
async fn a_schema_that_would_harm_is_not_used_and_that_is_said() {
    let mut defs = Map::new();
    // As long as a listing's limit on one tool lets it be.
    for link in 0..1_500 {
        defs.insert(
            format!("d{link}"),
            json!({ "$ref": format!("#/$defs/d{}", link + 1) }),
        );
    }
    defs.insert("d1500".into(), json!({ "type": "object" }));
    let chain = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": defs });
    let remote = json!({ "type": "object", "$ref": "http://127.0.0.1:9/schema.json" });
    let looking =
        json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "^(?=(a+)+)$" } } });
    let with = |name: &str, schema: &Value| json!({ "name": name, "inputSchema": schema });
    let mut street = Street::with(&[
        with("read", &chain),
        with("remote", &remote),
        with("looking", &looking),
    ])
    .await;
    for name in ["read", "remote", "looking"] {
        street
            .logged(&format!("the arguments of \"{name}\" are not checked"))
            .await;
    }
    // The chain alone is so long that the model would look for its tools.
    street.offers_all_tools().await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A message that nests deeper than any message needs is not read at all; what was listed before still stands.
#[tokio::test]
async fn a_listing_that_nests_too_deeply_is_passed_over() {
    let mut deep = json!({ "type": "object" });
    for _ in 0..100 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    let mut street = Street::new().await;
    street
        .puppet
        .change(&[json!({ "name": "read", "inputSchema": deep })])
        .await;
    street.logged("passed over").await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A chain of 20,000 references does not fit into a definition of a tool at all.
#[tokio::test]
async fn a_chain_of_twenty_thousand_references_costs_its_own_tool() {
    let mut defs = Map::new();
    for link in 0..20_000 {
        defs.insert(
            format!("d{link}"),
            json!({ "$ref": format!("#/$defs/d{}", link + 1) }),
        );
    }
    let chain =
        json!({ "name": "chain", "inputSchema": { "type": "object", "$ref": "#/$defs/d0", "$defs": defs } });
    let mut street = Street::with(&[chain, tool("read")]).await;
    street.logged("the tool \"chain\" is left out").await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// Pages that lead in a circle, and a list that never ends.
#[tokio::test]
async fn a_listing_that_goes_in_a_circle_is_left() {
    let mut street = Street::new().await;
    street
        .puppet
        .notify("notifications/tools/list_changed", json!({}))
        .await;
    for _ in 0..2 {
        let list = street.puppet.hear("tools/list").await;
        street
            .puppet
            .answer(&list, json!({ "tools": [tool("read")], "nextCursor": "round" }))
            .await;
    }
    street.logged("go round in a circle").await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// HO-001: Names that only look alike, or that another server has, stay apart; text from a server stays text.
/// Shows TL-013.
#[tokio::test]
async fn no_server_can_take_anothers_place_by_a_name() {
    let mut street = Street::with(&[
        tool("read"),
        tool("reаd"),
        tool("other__find"),
        tool("x\u{202e}y"),
    ])
    .await;
    street.it_still_works().await;
    let names = tool_names(&street.model.asked().await);
    let unique: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    assert!(names.contains(&"notes__other__find".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| name.is_ascii()), "{names:?}");
    street.others_are_unharmed().await;
    street.close().await;
}

/// HO-015: Pictures that are none, and kinds nobody knows, are named and not shown.
/// Shows TL-022.
#[tokio::test]
async fn content_that_could_do_something_is_only_named() {
    let mut street = Street::new().await;
    let call = street.call().await;
    let content = json!([
        { "type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zz4=" },
        { "type": "image", "mimeType": "image/png", "data": "not base64!" },
        { "type": "audio", "mimeType": "text/html", "data": "PGI+" },
        { "type": "video", "url": "https://example.com/x.mp4" },
        { "type": "resource_link", "uri": "javascript:alert(1)", "name": "click me" },
        { "type": "text", "text": "<img src=x onerror=alert(1)>" },
    ]);
    street.puppet.answer(&call, json!({ "content": content })).await;
    let shown = street.told().await;
    let CallState::Answered { result, .. } = &shown.state else {
        panic!("{shown:?}")
    };
    let named = result
        .content
        .iter()
        .filter(|part| matches!(part, ContentView::Other { .. }));
    assert_eq!(named.count(), 4, "{result:?}");
    assert!(matches!(&result.content[4], ContentView::Link { .. }));
    street.model.asked().await;
    street
        .puppet
        .notify("notifications/tools/list_changed", json!({}))
        .await;
    let list = street.puppet.hear("tools/list").await;
    street
        .puppet
        .answer(&list, json!({ "tools": [tool("read")] }))
        .await;
    street.others_are_unharmed().await;
    street.close().await;
}
