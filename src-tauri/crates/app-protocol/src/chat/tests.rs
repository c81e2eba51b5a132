//! What a stored entry of a chat keeps to.

use serde_json::json;

use super::*;

#[test]
fn a_compaction_is_stored_with_its_state() {
    let summarized = json!({ "kind": "compaction", "state": "summarized", "summary": "Hei", "up_to": EntryId::new(),
        "before_tokens": 9, "after_tokens": 2, "used": true, "edited": false });
    let failed = json!({ "reason": "failed", "problem": { "problem": "model_cut" } });
    let shortened = json!({ "kind": "compaction", "state": "shortened", "why": failed });
    let running = json!({ "kind": "compaction", "state": "running" });
    for stored in [summarized, shortened, running] {
        let body: EntryBody = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&body).unwrap(), stored);
    }
}

/// As version 0.1 stored them.
#[test]
fn entries_of_before_are_read() {
    let said = json!({ "kind": "assistant", "text": "Hei", "reasoning": "", "model": "m", "scripted": false,
        "state": "done" });
    let called = json!({ "kind": "call", "call": "c1", "called_as": "notes__read", "server": null,
        "server_name": "notes", "tool": "read", "arguments": {}, "edited": false, "because": [],
        "state": "interrupted" });
    let mut called_now = called.clone();
    // An entry of before does not say whether its call was sent, so it may have been.
    called_now["sent"] = json!(true);
    for (stored, written) in [(said.clone(), said), (called, called_now)] {
        let body: EntryBody = serde_json::from_value(stored).unwrap();
        assert_eq!(serde_json::to_value(&body).unwrap(), written);
    }
}
