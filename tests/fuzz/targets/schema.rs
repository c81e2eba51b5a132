//! Any JSON as a schema: it is refused or built, and what is built checks anything without ending the process.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Value, json};
use vestibule_schema::Schema;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return Corpus::Reject;
    };
    if let Ok(schema) = Schema::build(&value) {
        for instance in [Value::Null, json!({}), json!([[], 1, "a"]), json!({"a": {"b": [1, 2.5, "c"]}}), value] {
            let _ = schema.check(instance, true);
        }
    }
    Corpus::Keep
});
