//! A chat that is exported and imported is the same chat, and brings nothing along that could let something happen.

use serde_json::{Value, json};
use vestibule_app_protocol::{ChatSource, ContentView, EntryBody};

use super::*;
use crate::{CHATS_END, begin_chats, chat_json};

/// A chat with two versions of a message, calls, results, a picture, thoughts, attachments, a notice and a failure. An
/// entry between the second and the third was deleted, so their numbers in the database have a gap.
fn chat() -> FileChat {
    let attached = json!({
        "id": "0190d8a8-0000-7000-8000-000000000009", "server": "0190d8a8-0000-7000-8000-000000000001",
        "server_name": "notes", "from": { "from": "resource", "uri": "note://1", "name": "One" },
        "parts": [{ "role": null, "content": { "type": "text", "text": "one" } }], "cut_bytes": 0, "changed": false
    });
    let found = json!({ "kind": "built_in_call", "call": "call-2", "tool": "find_tools", "arguments": { "query": "read" },
        "outcome": { "end": "found", "tools": [{ "server": "0190d8a8-0000-7000-8000-000000000001",
            "server_name": "notes", "tool": "read" }] }, "words": "1 tool" });
    let read = json!({ "kind": "built_in_call", "call": "call-3", "tool": "read_result", "arguments": {},
        "outcome": { "end": "read", "server": "0190d8a8-0000-7000-8000-000000000001", "server_name": "notes",
            "tool": "read", "text": "milk" }, "words": "Bytes 0 to 4" });
    let left_out = json!({ "kind": "tools_left_out", "more": 0, "tools": [{ "server":
        "0190d8a8-0000-7000-8000-000000000001", "server_name": "notes", "tool": "big", "reason": { "why": "not_read",
        "detail": "too large" } }] });
    let failure = json!({ "kind": "failure", "problem": { "problem": "model_cut" }, "retryable": true });
    FileChat {
        id: "chat".into(),
        title: "Milk \"and\" 天气\u{202e}".into(),
        created_ms: 1_700_000_000_000,
        updated_ms: 1_700_000_900_000,
        entries: vec![
            entry("a", None, true, user("What is in my note?")),
            entry("b", Some(0), false, assistant("First answer", "")),
            entry("c", Some(0), true, assistant("", "I should look.")),
            entry("d", Some(2), true, rich_call()),
            entry("e", Some(3), true, body(found)),
            entry("f", Some(4), true, body(read)),
            entry(
                "g",
                Some(1),
                false,
                body(json!({ "kind": "user", "text": "", "attachments": [attached] })),
            ),
            entry("h", Some(5), true, body(left_out)),
            entry("i", Some(7), true, body(failure)),
            entry("j", None, false, user("Another beginning")),
        ],
    }
}

fn file(chats: &[FileChat]) -> String {
    let chats: Vec<String> = chats.iter().map(chat_json).collect();
    format!("{}{}{CHATS_END}", begin_chats(NOW), chats.join(",\n"))
}

#[test]
fn export_and_import_give_the_same_chat() {
    let chat = chat();
    let read = read(&file(&[chat.clone(), chat.clone()])).unwrap();
    assert_eq!((read.source, faults(&read)), (ChatSource::Vestibule, vec![]));
    for imported in &read.chats {
        assert_eq!(imported.digest(), chat.digest());
        assert_eq!(shown(imported), shown(&chat));
        assert_eq!(
            (imported.created_ms, imported.updated_ms),
            (chat.created_ms, chat.updated_ms)
        );
        let pictures = content_of(&imported.entries[3].body);
        assert_eq!(pictures, content_of(&rich_call()));
    }
    // Once more from what was imported.
    assert_eq!(read_one(&file(&read.chats[..1])).0.digest(), chat.digest());
}

/// A summary of a file would hide what the chat says from the model; an attached file has no server, here or there.
#[test]
fn a_summary_comes_back_unused_and_an_attached_file_without_a_server() {
    let summary = json!({ "kind": "compaction", "state": "summarized", "summary": "Milk.",
        "up_to": "0190d8a8-0000-7000-8000-000000000002", "before_tokens": 9000, "after_tokens": 100, "used": true,
        "edited": false });
    let attached = json!({ "id": "0190d8a8-0000-7000-8000-000000000009", "server": null, "server_name": "",
        "from": { "from": "file", "name": "a.txt", "bytes": 3 },
        "parts": [{ "role": null, "content": { "type": "text", "text": "one" } }], "cut_bytes": 0, "changed": false });
    let said = json!({ "kind": "user", "text": "", "attachments": [attached] });
    let chat = FileChat {
        entries: vec![
            entry("a", None, true, body(said)),
            entry("b", Some(0), true, body(summary)),
        ],
        ..chat()
    };
    let (imported, _) = read_one(&file(std::slice::from_ref(&chat)));
    assert_eq!(imported.digest(), chat.digest());
    let bodies: Vec<Value> = imported
        .entries
        .iter()
        .map(|entry| serde_json::to_value(&entry.body).unwrap())
        .collect();
    assert_eq!(bodies[0]["attachments"][0]["server"], Value::Null);
    assert_eq!(
        (&bodies[1]["summary"], &bodies[1]["used"]),
        (&json!("Milk."), &json!(false))
    );
    assert_ne!(bodies[1]["up_to"], json!("0190d8a8-0000-7000-8000-000000000002"));
}

#[test]
fn the_digest_tells_chats_apart() {
    let first = chat();
    let changes: [fn(&mut FileChat); 6] = [
        |chat| chat.title.push('!'),
        |chat| chat.entries[0].body = user("What is in my notes?"),
        |chat| chat.entries[9].parent = Some(8),
        |chat| chat.entries[9].at_ms += 1,
        |chat| chat.entries[9].shown = true,
        |chat| drop(chat.entries.pop()),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut other = chat();
        change(&mut other);
        assert_ne!(other.digest(), first.digest(), "{number}");
    }
}

#[test]
fn a_file_has_no_permission_and_no_id_of_a_server() {
    let text = file(&[chat()]);
    for secret in ["0190d8a8", "\"rule\"", "\"imported\""] {
        assert!(!text.contains(secret), "{secret}");
    }
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["format"], "vestibule-chats");
    assert_eq!(file["version"], 1);
    assert_eq!(file["chats"][0]["shown"], "i");
    assert_eq!(file["chats"][0]["entries"][3]["body"]["because"], json!([]));
    assert_eq!(file["chats"][0]["entries"][1]["body"]["usage"]["input"], 12);
}

#[test]
fn what_is_imported_is_marked_and_belongs_to_no_server() {
    let (imported, _) = read_one(&file(&[chat()]));
    let servers: Vec<Value> = imported
        .entries
        .iter()
        .filter_map(|entry| server_of(&entry.body))
        .collect();
    assert_eq!(
        servers.len(),
        5,
        "the attachment, the call, two of ours and the tool that was left out"
    );
    assert!(
        servers.iter().all(|server| *server == servers[0]),
        "one id for one name"
    );
    assert!(
        !servers[0].as_str().unwrap().starts_with("0190d8a8"),
        "another id than in the file"
    );
    let marks = imported.entries.iter().filter(|entry| match &entry.body {
        EntryBody::Call(call) => call.imported && call.because.is_empty(),
        EntryBody::BuiltInCall(call) => call.imported,
        _ => false,
    });
    assert_eq!(marks.count(), 3);
}

fn server_of(body: &EntryBody) -> Option<Value> {
    let body = serde_json::to_value(body).unwrap();
    let places = [
        "/server",
        "/attachments/0/server",
        "/outcome/server",
        "/outcome/tools/0/server",
        "/tools/0/server",
    ];
    places.iter().find_map(|place| body.pointer(place).cloned())
}

#[test]
fn calls_under_way_are_ended() {
    let states = [
        json!({ "state": "deciding" }),
        json!({ "state": "waiting", "question": "0190d8a8-0000-7000-8000-000000000009" }),
        json!({ "state": "running", "since_ms": 1, "progress": null }),
        json!({ "state": "task", "task": { "since_ms": 1, "asked_ms": null, "away": false, "needs_input": true,
            "words": null } }),
    ];
    for (state, sent) in states.into_iter().zip([false, false, true, true]) {
        let mut call = json!({ "kind": "call", "call": "c", "called_as": "a", "server": null, "server_name": "s",
            "tool": "t", "arguments": {}, "edited": false, "because": [] });
        call.as_object_mut()
            .unwrap()
            .extend(state.as_object().unwrap().clone());
        let text = json!({ "format": "vestibule-chats", "version": 1, "chats": [{ "created": 1, "updated": 2,
            "entries": [{ "id": "a", "parent": null, "at": 1, "body": call }] }] });
        let (chat, _) = read_one(&text.to_string());
        let body = serde_json::to_value(&chat.entries[0].body).unwrap();
        assert_eq!(
            (&body["state"], &body["sent"]),
            (&json!("interrupted"), &json!(sent)),
            "{state}"
        );
    }
}

#[test]
fn what_cannot_be_shown_safely_is_replaced() {
    let named = |part| match part {
        ContentView::Image { mime, .. } => ContentView::Other { kind: mime },
        other => other,
    };
    let read = crate::read_chats(&file(&[chat()]), NOW, &named).unwrap();
    let content = content_of(&read.chats[0].entries[3].body);
    assert_eq!(
        content[1],
        ContentView::Other {
            kind: "image/png".into()
        }
    );
}
