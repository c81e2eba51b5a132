//! What is done is what was agreed to.
use serde_json::json;
use vestibule_consent::{CallTool, Permit};

fn changed(permit: Permit<CallTool>) -> Permit<CallTool> {
    permit.effect().arguments.insert("city".into(), json!("Bergen"));
    permit
}

fn main() {}
