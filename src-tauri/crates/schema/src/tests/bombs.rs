//! Schemas and values that would stall or end a process that looks at them without measuring. H1, T7.

use serde_json::{Map, Value, json};

use crate::effort::{Effort, STEPS};
use crate::graph::Graph;
use crate::{Schema, Unchecked, patterns};

/// How a definition is made of a reference to the next.
type Join = fn(Value) -> Value;

/// `levels` definitions, each made of two of the next by `join`.
fn doubling(levels: usize, join: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for level in 0..levels {
        defs.insert(
            format!("d{level}"),
            join(json!({"$ref": format!("#/$defs/d{}", level + 1)})),
        );
    }
    defs.insert(format!("d{levels}"), json!({"type": "object"}));
    json!({"$ref": "#/$defs/d0", "$defs": defs})
}

fn chain(length: usize) -> Value {
    doubling(length, |next| next)
}

fn refusal(schema: &Value) -> Unchecked {
    Schema::build(schema)
        .err()
        .unwrap_or_else(|| panic!("it is built: {schema}"))
}

#[test]
fn references_that_double_are_refused_whichever_keyword_joins_them() {
    let joins: [(&str, Join); 10] = [
        ("allOf", |next| json!({"allOf": [next, next]})),
        ("anyOf", |next| json!({"anyOf": [next, next]})),
        ("oneOf", |next| json!({"oneOf": [next, next]})),
        ("if then", |next| json!({"if": next, "then": next})),
        ("if else", |next| json!({"if": next, "else": next})),
        (
            "nested allOf",
            |next| json!({"allOf": [{"allOf": [next]}, {"allOf": [next]}]}),
        ),
        ("not", |next| json!({"not": next, "$ref": next["$ref"]})),
        (
            "dependentSchemas",
            |next| json!({"dependentSchemas": {"a": next, "b": next}}),
        ),
        (
            "dependencies",
            |next| json!({"dependencies": {"a": next, "b": next}}),
        ),
        (
            "anyOf and $ref",
            |next| json!({"anyOf": [{"not": next}], "$ref": next["$ref"]}),
        ),
    ];
    for (what, join) in joins {
        assert_eq!(refusal(&doubling(40, join)), Unchecked::Multiplies, "{what}");
        assert!(
            Schema::build(&doubling(5, join)).is_ok(),
            "a few levels of {what} are fine"
        );
    }
}

/// `unevaluatedProperties` checks all that is beside it twice, so levels of it double without a second reference.
#[test]
fn unevaluated_properties_in_each_other_are_refused() {
    let schema = doubling(
        40,
        |next| json!({"allOf": [next], "unevaluatedProperties": false}),
    );
    assert_eq!(refusal(&schema), Unchecked::Multiplies);
}

#[test]
fn a_circle_that_consumes_nothing_of_the_value_is_refused() {
    let circles = [
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"properties": {"x": {"anyOf": [{"type": "null"}, {"$ref": "#/properties/x"}]}}}),
        json!({"$dynamicAnchor": "node", "if": {"$dynamicRef": "#node"}}),
        json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "not": {"$recursiveRef": "#"}}),
    ];
    for circle in circles {
        assert_eq!(refusal(&circle), Unchecked::Circular, "{circle}");
    }
}

#[test]
fn references_that_leave_the_schema_are_refused() {
    let schemas = [
        json!({"$ref": "http://127.0.0.1:9/schema.json"}),
        json!({"items": {"$ref": "file:///etc/passwd"}}),
        json!({"$ref": "#/$defs/missing"}),
        json!({"$ref": "#missing"}),
        json!({"$ref": "other.json#/$defs/a"}),
        // References inside of it are relative to its own address.
        json!({"$defs": {"a": {"$id": "https://example.com/a", "$ref": "#/$defs/b"}}, "$ref": "#/$defs/a"}),
    ];
    for schema in schemas {
        assert!(matches!(refusal(&schema), Unchecked::Outside { .. }), "{schema}");
    }
}

/// SCH-004, SCH-006, SCH-007.
#[test]
fn a_schema_that_is_too_large_is_refused_by_what_is_too_large() {
    let mut deep = json!({"type": "object"});
    for _ in 0..100 {
        deep = json!({"properties": {"a": deep}});
    }
    assert_eq!(refusal(&deep), Unchecked::TooDeep { levels: 64 });
    assert_eq!(refusal(&chain(501)), Unchecked::TooManyReferences { most: 500 });
    assert_eq!(
        refusal(&json!({"enum": vec![0; 10_001]})),
        Unchecked::TooManyParts { most: 10_000 }
    );
    let long = json!({"description": "x".repeat(256 * 1024 + 1)});
    assert_eq!(refusal(&long), Unchecked::TooLarge { kilobytes: 256 });
    assert!(
        Schema::build(&chain(400)).is_ok(),
        "a long chain takes stack and is fine"
    );
}

#[test]
fn a_pattern_that_compiles_to_megabytes_is_refused() {
    for pattern in [
        r"(?:\p{L}{100}){100}",
        r"\p{L}{100}",
        r"^(\w|\p{L}){1,60}$",
        "(?=a)b",
        r"(a)\1",
        "(((a{100}){100}){100})",
    ] {
        let found = refusal(&json!({"properties": {"a": {"pattern": pattern}}}));
        assert!(
            matches!(found, Unchecked::PatternRefused { .. }),
            "{pattern}: {found}"
        );
        let found = refusal(&json!({"patternProperties": {pattern: {}}}));
        assert!(
            matches!(found, Unchecked::PatternRefused { .. }),
            "{pattern} as a name: {found}"
        );
    }
}

#[test]
fn patterns_that_are_large_only_together_are_refused() {
    let many: Map<_, _> = (0..201)
        .map(|n| (format!("a{n}"), json!({"pattern": format!("^{n}$")})))
        .collect();
    assert_eq!(
        refusal(&json!({ "properties": many })),
        Unchecked::PatternsTooLarge
    );
    let large: Map<_, _> = (0..40)
        .map(|n| (format!("a{n}"), json!({"pattern": format!(r"{n}\p{{L}}{{4}}")})))
        .collect();
    assert_eq!(
        refusal(&json!({ "properties": large })),
        Unchecked::PatternsTooLarge
    );
    let same: Map<_, _> = (0..400)
        .map(|n| (format!("a{n}"), json!({"pattern": r"^\d{4}-\d{2}$"})))
        .collect();
    assert!(
        Schema::build(&json!({ "properties": same })).is_ok(),
        "one pattern in many places counts once"
    );
}

/// Patterns as tools have them.
#[test]
fn usual_patterns_are_small_enough() {
    for pattern in [
        r"^[\w.-]{1,64}$",
        r"^[A-Za-z0-9_-]{1,128}$",
        r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$",
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        r"^https?://[^\s/$.?#].[^\s]*$",
        r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
        r"^\S+$",
        r"^\p{Lu}",
    ] {
        let built = Schema::build(&json!({"pattern": pattern}));
        assert!(built.is_ok(), "{pattern}: {:?}", built.err());
    }
}

#[test]
fn an_explosive_expression_takes_linear_time() {
    let schema = Schema::build(&json!({"pattern": "^(a+)+$"})).unwrap();
    let checked = schema
        .check(json!(format!("{}b", "a".repeat(5000))), false)
        .unwrap();
    assert_eq!(checked.misfits.len(), 1);
}

/// Measured before: 4.4 s a result.
#[test]
fn a_value_that_is_too_large_for_its_schema_is_refused_before_it_is_checked() {
    let alternatives: Vec<Value> = (0..1_000).map(|n| json!({"const": n})).collect();
    let schema = Schema::build(&json!({"items": {"anyOf": alternatives}})).unwrap();
    let items: Vec<Value> = (0..10_000).map(|n| json!(format!("x{n}"))).collect();
    assert_eq!(schema.check(json!(items), false), Err(Unchecked::ValueTooLarge));
    assert_eq!(schema.check(json!([1, 2, 3]), false).unwrap().misfits.len(), 0);
}

/// Two references to itself for each part double with each level of the value, not of the schema.
#[test]
fn a_tree_that_doubles_with_the_depth_of_the_value_is_refused_for_a_deep_value() {
    let twice = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    let schema = Schema::build(&json!({"properties": {"a": twice}})).unwrap();
    let nested = |levels| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(schema.check(nested(5), false).unwrap().misfits.len(), 0);
    assert_eq!(schema.check(nested(60), false), Err(Unchecked::ValueTooLarge));
    assert_eq!(
        schema.check(nested(200), false),
        Err(Unchecked::TooDeep { levels: 128 })
    );
}

#[test]
fn a_long_text_is_refused_for_a_pattern_of_many_states() {
    let schema = Schema::build(&json!({"pattern": r"^[\p{L}x]{1,7}(a|b){500}$"})).unwrap();
    assert_eq!(
        schema.check(json!("ab".repeat(200_000)), false),
        Err(Unchecked::ValueTooLarge)
    );
    assert_eq!(schema.check(json!("ab"), false).unwrap().misfits.len(), 1);
}

/// A result of ten thousand rows is usual, and checked.
#[test]
fn usual_values_are_far_from_the_limit() {
    let row = json!({"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string", "pattern": "^[a-z]+$"},
        "tag": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "required": ["id", "name"], "additionalProperties": false});
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array", "items": row}}});
    let rows: Vec<Value> = (0..10_000)
        .map(|id| json!({"id": id, "name": "anna", "tag": null}))
        .collect();
    let value = json!({ "rows": rows });
    let graph = Graph::read(&schema, &patterns::measure(&schema).unwrap()).unwrap();
    let mut effort = Effort::default();
    effort.spend_check(&graph, &value).unwrap();
    assert!(effort.spent() < STEPS * 3 / 4, "{}", effort.spent());
    let schema = Schema::build(&schema).unwrap();
    assert_eq!(schema.check(value, false).unwrap().misfits.len(), 0);
}
