//! Whatever the schema and the value: the schema is refused, the value is refused, or both are within a number of steps
//! that is counted. The steps are counted here a second time, by a plain reading of the schema that knows no limits but a
//! count of its own.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::effort::{Effort, STEPS};
use crate::graph::Graph;
use crate::{Schema, patterns};

const NAMES: [&str; 4] = ["d0", "d1", "d2", "d3"];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(1)),
        Just(json!("ab")),
        Just(json!(true))
    ];
    leaf.prop_recursive(6, 64, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(select(&NAMES[..]), inner, 0..4).prop_map(object),
        ]
    })
}

fn object(members: std::collections::BTreeMap<&str, Value>) -> Value {
    members
        .into_iter()
        .map(|(name, member)| (name.to_owned(), member))
        .collect::<Map<_, _>>()
        .into()
}

fn subschema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "object"})),
        Just(json!({"type": ["string", "array"]})),
        Just(json!({"enum": [1, "ab", null]})),
        Just(json!({"pattern": "^a+$"})),
        Just(json!({"uniqueItems": true})),
        Just(json!(false)),
        select(&NAMES[..]).prop_map(|name| json!({"$ref": format!("#/$defs/{name}")})),
        select(&NAMES[..]).prop_map(|name| json!({"$dynamicRef": format!("#{name}")})),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let keyword = select(
            &[
                "not",
                "if",
                "items",
                "contains",
                "additionalProperties",
                "propertyNames",
            ][..],
        );
        let list = select(&["allOf", "anyOf", "oneOf", "prefixItems"][..]);
        prop_oneof![
            (keyword, inner.clone()).prop_map(|(keyword, one)| json!({ keyword: one })),
            (list, vec(inner.clone(), 1..3)).prop_map(|(keyword, all)| json!({ keyword: all })),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
            (
                inner.clone(),
                select(&["unevaluatedProperties", "unevaluatedItems"][..])
            )
                .prop_map(|(one, keyword)| json!({"allOf": [one], keyword: false})),
            btree_map(select(&NAMES[..]), inner.clone(), 1..3)
                .prop_map(|members| json!({"properties": object(members)})),
            btree_map(select(&NAMES[..]), inner, 1..3)
                .prop_map(|members| json!({"dependentSchemas": object(members)})),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    (subschema(), vec(subschema(), NAMES.len())).prop_map(|(root, defs)| {
        let defs = NAMES.iter().zip(defs).map(|(name, mut def)| {
            if let Some(members) = def.as_object_mut() {
                members.insert("$dynamicAnchor".into(), json!(name));
            }
            ((*name).to_owned(), def)
        });
        json!({"allOf": [root], "$defs": defs.collect::<Map<_, _>>()})
    })
}

/// Counts what a validator does that takes every branch and remembers nothing.
struct Plain<'s> {
    root: &'s Value,
    left: u64,
}

impl Plain<'_> {
    /// `None` where the count is used up.
    fn visit(&mut self, schema: &Value, value: &Value) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let Some(keywords) = schema.as_object() else {
            return Some(());
        };
        for (keyword, inner) in keywords {
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" => {
                    inner
                        .as_array()?
                        .iter()
                        .try_for_each(|one| self.visit(one, value))?;
                }
                "not" | "if" | "then" | "else" => self.visit(inner, value)?,
                "dependentSchemas" => {
                    inner
                        .as_object()?
                        .values()
                        .try_for_each(|one| self.visit(one, value))?;
                }
                "$ref" | "$dynamicRef" => {
                    let name = inner
                        .as_str()?
                        .trim_start_matches("#/$defs/")
                        .trim_start_matches('#')
                        .to_owned();
                    let root = self.root;
                    self.visit(&root["$defs"][name], value)?;
                }
                "properties" => {
                    for (name, one) in inner.as_object()? {
                        value
                            .get(name)
                            .into_iter()
                            .try_for_each(|member| self.visit(one, member))?;
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => {
                    value
                        .as_object()
                        .into_iter()
                        .flatten()
                        .try_for_each(|(_, member)| self.visit(inner, member))?;
                }
                "items" | "contains" | "unevaluatedItems" => {
                    value
                        .as_array()
                        .into_iter()
                        .flatten()
                        .try_for_each(|item| self.visit(inner, item))?;
                }
                _ => {}
            }
        }
        Some(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_random_schema_is_refused_or_checked_within_a_counted_number_of_steps(
        schema in schema(), value in value()
    ) {
        let Ok(graph) = patterns::measure(&schema).and_then(|known| Graph::read(&schema, &known)) else {
            return Ok(());
        };
        let mut effort = Effort::default();
        let is_within = effort.spend_check(&graph, &value).is_ok();
        let mut plain = Plain { root: &schema, left: STEPS };
        let counted = plain.visit(&schema, &value).map(|()| STEPS - plain.left);
        if is_within {
            let counted = counted.expect("a plain count ends where the estimate does");
            prop_assert!(counted <= effort.spent(), "{counted} > {}", effort.spent());
        }
        // What is admitted ends, and what is refused is refused with a reason.
        if let Ok(built) = Schema::build(&schema) {
            prop_assert_eq!(built.check(value, false).is_ok(), is_within);
        }
    }
}

fn cases() -> u32 {
    std::env::var("VESTIBULE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(2_000)
}
