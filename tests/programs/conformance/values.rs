//! What a person fills in: the default where there is one, else the first thing that fits. It reads as much of JSON
//! Schema as the suite's own tools and forms use, and looks nothing up.

use serde_json::{Map, Value, json};

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
        "string" => text(schema),
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

fn text(schema: &Value) -> Value {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("email") => "someone@example.com",
        Some("uri") => "https://example.com/",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        _ => "text",
    };
    json!(text)
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
