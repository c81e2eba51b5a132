mod bombs;
mod random;

use serde_json::{Value, json};

use crate::worker::LastSchema;
use crate::{Checked, Schema, Unchecked, job_line};

fn misfits(schema: &Value, value: Value) -> Vec<String> {
    Schema::build(schema)
        .unwrap()
        .check(value, false)
        .unwrap()
        .misfits
}

/// SCH-001: `prefixItems` is 2020-12, items as a list is draft 7.
#[test]
fn a_schema_is_read_in_its_own_dialect_and_else_as_2020_12() {
    let pair = json!([{"type": "string"}, {"type": "integer"}]);
    let newest = json!({ "prefixItems": pair });
    assert_eq!(misfits(&newest, json!(["a", "b"])).len(), 1);
    let draft = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": pair});
    assert_eq!(misfits(&draft, json!(["a", "b"])).len(), 1);
    assert!(misfits(&draft, json!(["a", 1])).is_empty());
}

/// SCH-002.
#[test]
fn an_unknown_dialect_is_refused_by_name() {
    let schema = json!({"$schema": "https://example.com/my-dialect", "type": "object"});
    let refusal = Schema::build(&schema).err().unwrap().to_string();
    assert!(refusal.contains("https://example.com/my-dialect"), "{refusal}");
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    let schema = json!({"type": "object", "properties": {"days": {"type": "integer", "maximum": 7}}, "required": ["city"]});
    assert_eq!(
        misfits(&schema, json!({"city": "Oslo", "days": 3})),
        Vec::<String>::new()
    );
    let found = misfits(&schema, json!({"days": 8})).join("; ");
    assert!(found.contains("/days") && found.contains("city"), "{found}");
}

#[test]
fn a_null_is_left_out_where_it_is_refused_and_the_member_is_optional() {
    let schema = json!({"type": "object", "properties": {
        "query": {"type": "string"}, "limit": {"type": "integer"}, "until": {"type": ["string", "null"]},
        "place": {"anyOf": [{"type": "string"}, {"enum": [1, 2]}]} }, "required": ["query"]});
    let schema = Schema::build(&schema).unwrap();
    let cases = [
        (
            json!({"query": "a", "limit": null, "place": null}),
            vec!["limit", "place"],
            0,
        ),
        // `until` may be null, and the schema says nothing of `more`.
        (json!({"query": "a", "until": null, "more": null}), vec![], 0),
        (json!({"query": null, "limit": null}), vec!["limit"], 1),
        (json!({"query": "a", "limit": "none"}), vec![], 1),
    ];
    for (value, dropped, misfits) in cases {
        let checked = schema.check(value.clone(), true).unwrap();
        assert_eq!(checked.dropped, dropped, "{value}");
        assert_eq!(checked.misfits.len(), misfits, "{value}");
        assert!(schema.check(value, false).unwrap().dropped.is_empty());
    }
}

/// Every refused `null` is left out, also where there are more of them than misfits are listed.
#[test]
fn sixteen_refused_nulls_are_left_out() {
    let names: Vec<String> = (0..16).map(|number| format!("m{number}")).collect();
    let properties: serde_json::Map<_, _> = names
        .iter()
        .map(|name| (name.clone(), json!({"type": "string"})))
        .collect();
    let value: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), Value::Null)).collect();
    let schema = Schema::build(&json!({ "properties": properties })).unwrap();
    let checked = schema.check(Value::Object(value), true).unwrap();
    assert_eq!((checked.dropped.len(), checked.misfits.len()), (16, 0));
}

/// Real tools describe trees, unions and linked lists. All of these are checked.
#[test]
fn a_schema_that_refers_to_itself_through_its_parts_is_checked() {
    let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
        "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}} }}}});
    let expression = json!({"$defs": {"e": {"anyOf": [{"type": "number"}, {"type": "object", "properties": {
        "left": {"$ref": "#/$defs/e"}, "right": {"$ref": "#/$defs/e"} }, "required": ["left", "right"]}]}},
        "$ref": "#/$defs/e"});
    let list = json!({"$id": "https://example.com/list", "properties": {"next": {"$ref": "#"}, "of": {"type": "string"}}});
    let anchored = json!({"$dynamicAnchor": "node", "properties": {"child": {"$dynamicRef": "#node"}, "n": {"type": "integer"}}});
    let mut deep = json!({"name": "leaf"});
    let mut sum = json!(1);
    for _ in 0..20 {
        deep = json!({"name": "node", "children": [deep, {"name": "leaf"}]});
        sum = json!({"left": sum, "right": 2});
    }
    assert!(misfits(&tree, deep.clone()).is_empty());
    deep["children"][0]["children"][1]["name"] = json!(7);
    assert_eq!(misfits(&tree, deep).len(), 1);
    assert!(misfits(&expression, sum).is_empty());
    assert_eq!(misfits(&list, json!({"next": {"next": {"of": 1}}})).len(), 1);
    assert_eq!(
        misfits(&anchored, json!({"child": {"child": {"n": "x"}}})).len(),
        1
    );
}

#[test]
fn references_by_anchor_pointer_and_own_address_are_followed() {
    let schema = json!({"$id": "https://example.com/s", "properties": {
        "a": {"$ref": "#word"}, "b": {"$ref": "#/$defs/a~1b%20c"}, "c": {"$ref": "https://example.com/s#word"}},
        "$defs": {"w": {"$anchor": "word", "type": "string"}, "a/b c": {"type": "string"}}});
    assert_eq!(misfits(&schema, json!({"a": 1, "b": 2, "c": 3})).len(), 3);
}

#[test]
fn the_line_of_a_job_is_what_the_process_reads() {
    let schema = json!({"properties": {"a": {"type": "string"}}}).to_string();
    let job = |line: &str| crate::worker::job(line, &mut LastSchema::default());
    let built = job(&job_line(&schema, None));
    assert_eq!(built, Ok(Checked::default()));
    let checked = job(&job_line(&schema, Some((r#"{"a":null}"#, true)))).unwrap();
    assert_eq!(checked.dropped, ["a"]);
    let broken = job("{\"schema\":");
    assert!(matches!(broken, Err(Unchecked::Failed { .. })), "{broken:?}");
}

#[test]
fn each_value_is_checked_against_the_schema_of_its_own_job() {
    let of = |kind: &str| json!({ "properties": { "a": { "type": kind } } }).to_string();
    let (text, number) = (of("string"), of("number"));
    let mut last = LastSchema::default();
    let mut misfits = |schema: &str, value: &str| {
        let checked = crate::worker::job(&job_line(schema, Some((value, false))), &mut last);
        checked.map(|checked| checked.misfits.len())
    };
    assert_eq!(misfits(&text, r#"{"a":"x"}"#), Ok(0));
    assert_eq!(misfits(&text, r#"{"a":1}"#), Ok(1));
    assert_eq!(misfits(&number, r#"{"a":"x"}"#), Ok(1));
    assert!(misfits(r#"{"type":"nothing"}"#, "1").is_err());
    assert_eq!(misfits(&number, r#"{"a":1}"#), Ok(0));
}
