//! Which schemas are forms, and which answers fit them.

use serde_json::{Map, Value, json};

use super::*;

fn read(schema: &str) -> Result<Form, NoForm> {
    Form::read("Where to?", schema)
}

/// A form with one field, which is required.
fn one(field: Value) -> Result<Form, NoForm> {
    let schema = json!({ "type": "object", "properties": { "it": field }, "required": ["it"] });
    read(&schema.to_string())
}

mod check;
mod read;
mod secrets;
