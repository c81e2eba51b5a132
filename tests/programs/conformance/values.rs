//! What is filled in: the default where there is one, else the first thing that fits. Of a form's field that is what
//! its card says of it; of a tool's arguments it is what as much of JSON Schema says as the suite's own tools use.

use serde_json::{Map, Value, json};
use vestibule_consent::FieldKind;

/// What a user leaves or puts in a field.
pub(crate) fn value_of(field: &FieldKind) -> Value {
    match field {
        FieldKind::Text { default, format, .. } => match default {
            Some(text) => json!(text),
            None => json!(text_like(format.as_deref())),
        },
        FieldKind::Number {
            integer,
            minimum,
            default,
            ..
        } => number(default.or(*minimum).unwrap_or(1.0), *integer),
        FieldKind::Boolean { default } => json!(default.unwrap_or(true)),
        FieldKind::Choice { options, default } => {
            let first = options.first().map(|option| option.value.clone());
            json!(default.clone().or(first))
        }
        FieldKind::Choices { default, .. } => json!(default),
    }
}

fn number(number: f64, integer: bool) -> Value {
    if integer {
        #[expect(clippy::cast_possible_truncation, reason = "a form's whole numbers are exact")]
        let whole = number as i64;
        return json!(whole);
    }
    json!(number)
}

/// A value that fits a schema.
pub(crate) fn value_for(schema: &Value) -> Value {
    for said in ["default", "const"] {
        if let Some(value) = schema.get(said) {
            return value.clone();
        }
    }
    let first_of = |name: &str| {
        schema
            .get(name)
            .and_then(Value::as_array)
            .and_then(|all| all.first())
    };
    if let Some(first) = first_of("enum") {
        return first.clone();
    }
    if let Some(first) = first_of("oneOf").or_else(|| first_of("anyOf")) {
        return value_for(first);
    }
    match kind(schema) {
        "string" => json!(text_like(schema.get("format").and_then(Value::as_str))),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "array" => list(schema),
        "null" => Value::Null,
        _ => object(schema),
    }
}

/// The type, or the first of several.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or_default(),
        _ => "",
    }
}

fn text_like(format: Option<&str>) -> &'static str {
    match format {
        Some("email") => "someone@example.com",
        Some("uri") => "https://example.com/",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        _ => "text",
    }
}

fn list(schema: &Value) -> Value {
    let least = schema
        .get("minItems")
        .and_then(Value::as_u64)
        .unwrap_or(0)
        .min(16);
    let item = schema.get("items").map(value_for).unwrap_or(Value::Null);
    Value::Array((0..least).map(|_| item.clone()).collect())
}

fn object(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let filled: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.clone(), value_for(schema)))
        .collect();
    Value::Object(filled)
}
