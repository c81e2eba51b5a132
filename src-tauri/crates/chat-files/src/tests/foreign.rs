//! Chats of ChatGPT and Claude become chats with the same branches, words, calls and results.

use vestibule_app_protocol::ChatSource;

use super::*;

#[test]
fn a_conversation_of_chat_gpt_keeps_its_branches_calls_and_times() {
    let read = read(include_str!("chat_gpt.json")).unwrap();
    assert_eq!(read.source, ChatSource::ChatGpt);
    let chat = &read.chats[0];
    assert_eq!(
        (chat.title.as_str(), chat.created_ms, chat.updated_ms),
        ("Weather in Oslo", 1_700_000_000_250, 1_700_000_100_000)
    );
    let answered = "ChatGPT web_search {\"query\":\"oslo\"} answered [\"3 degrees\", \"rain\"]";
    let branch = [
        "you: How is it in Oslo?",
        "o3:  (I should look.)",
        answered,
        "o3: Cold and wet.",
    ];
    assert_eq!(shown(chat), branch);
    let other: Vec<_> = chat.entries.iter().filter(|entry| !entry.shown).collect();
    assert_eq!(
        (short(&other[0].body).as_str(), other[0].parent),
        ("gpt-4o: I cannot know.", Some(0))
    );
    assert_eq!(chat.entries[0].at_ms, 1_700_000_001_500);
    assert_eq!(
        shown(&read.chats[1]),
        ["ChatGPT python {\"text\":\"print(1)\"} answered [\"too slow\"]"]
    );
    let left_out = [(ChatPartFault::Instructions, 1), (ChatPartFault::FileMissing, 1)];
    assert_eq!(faults(&read), left_out);
}

#[test]
fn a_conversation_of_claude_keeps_its_branches_calls_and_files() {
    let read = read(include_str!("claude.json")).unwrap();
    assert_eq!(read.source, ChatSource::Claude);
    let chat = &read.chats[0];
    assert_eq!(
        (chat.title.as_str(), chat.created_ms),
        ("Plan a trip", 1_714_564_800_123)
    );
    assert_eq!(
        shown(chat),
        [
            "you: Plan it\n\nlist.txt:\n\ntent",
            "Claude: I look it up. (Which way?)",
            "Maps search_maps {\"q\":\"Bergen\"} answered [\"7 hours\"]",
            "Claude: Take the train.",
            "you: And then?",
        ]
    );
    let back = chat.entries.iter().find(|entry| !entry.shown).unwrap();
    assert_eq!(
        (short(&back.body).as_str(), back.parent),
        ("you: And back?", Some(3))
    );
    assert_eq!(shown(&read.chats[1]), ["you: Hello", "Claude: Good day"]);
    assert_eq!(faults(&read), [(ChatPartFault::FileMissing, 1)]);
}

#[test]
fn one_conversation_without_a_list_around_it_is_read() {
    let list: Vec<Value> = serde_json::from_str(include_str!("claude.json")).unwrap();
    assert_eq!(read_one(&list[0].to_string()).0.title, "Plan a trip");
}

#[test]
fn signatures_of_thoughts_are_not_taken() {
    let read = read(include_str!("claude.json")).unwrap();
    let bodies: Vec<Value> = read.chats[0]
        .entries
        .iter()
        .map(|entry| serde_json::to_value(&entry.body).unwrap())
        .collect();
    assert!(!Value::Array(bodies).to_string().contains("c2VjcmV0"));
}

/// A conversation of Claude with these messages.
fn claude(messages: &Value) -> String {
    json!([{ "name": "T", "chat_messages": messages }]).to_string()
}

/// The details of what is left out. Only the first of each reason is kept.
fn details(read: &ReadChats) -> Vec<&str> {
    let lines = read.left_out.lines().0.iter();
    lines.map(|line| line.detail.as_str()).collect()
}

/// A call of Claude with a result of these parts.
fn claude_result(parts: &Value) -> String {
    claude(&json!([{ "uuid": "m1", "sender": "assistant", "content": [
        { "type": "tool_use", "id": "t", "name": "web_search", "input": {} },
        { "type": "tool_result", "tool_use_id": "t", "name": "web_search", "content": parts }
    ] }]))
}

#[test]
fn what_a_web_search_of_claude_found_becomes_text() {
    let found = json!([
        { "type": "knowledge", "title": "Bergen", "url": "https://example.org/b", "metadata": { "type": "webpage_metadata" },
          "is_missing": false, "text": "It rains." },
        { "type": "knowledge", "title": "Oslo", "url": "", "is_missing": true, "text": null },
        { "type": "rich_content", "text": "7 hours" },
        "a word",
    ]);
    let (chat, read) = read_one(&claude_result(&found));
    let texts = r#"["Bergen\nhttps://example.org/b\nIt rains.", "Oslo", "7 hours", "a word"]"#;
    assert_eq!(shown(&chat), [format!("Claude web_search {{}} answered {texts}")]);
    assert!(faults(&read).is_empty(), "{:?}", read.left_out);
}

#[test]
fn parts_of_a_result_of_claude_with_nothing_to_show_are_listed() {
    let parts = json!([
        { "type": "text", "text": "See:" },
        { "type": "image", "file_uuid": "f-1" },
        { "type": "image", "source": { "media_type": "image/png", "data": "iVBORw0KGgo=" } },
        { "type": "hologram" },
        { "type": "knowledge", "title": "", "text": "" },
        7,
    ]);
    let (chat, read) = read_one(&claude_result(&parts));
    let content = content_of(&chat.entries[0].body);
    assert!(
        matches!(
            &content[..],
            [ContentView::Text { .. }, ContentView::Image { .. }]
        ),
        "{content:?}"
    );
    let left_out = [
        (ChatPartFault::FileMissing, 1),
        (ChatPartFault::EntryUnreadable, 3),
    ];
    assert_eq!(faults(&read), left_out);
    assert_eq!(details(&read), ["f-1", "type hologram"]);
}

#[test]
fn parts_of_a_users_message_of_claude_without_words_are_listed() {
    let parts = json!([
        { "type": "text", "text": "What is this?" },
        { "type": "image", "file_uuid": "f-2" },
        { "type": "voice_note" },
        { "type": "token_budget" },
    ]);
    let (chat, read) = read_one(&claude(
        &json!([{ "uuid": "a", "sender": "human", "content": parts }]),
    ));
    assert_eq!(shown(&chat), ["you: What is this?"]);
    let left_out = [
        (ChatPartFault::FileMissing, 1),
        (ChatPartFault::EntryUnreadable, 1),
    ];
    assert_eq!(faults(&read), left_out);
    assert_eq!(details(&read), ["f-2", "type voice_note"]);
}

#[test]
fn a_message_of_claude_that_cannot_be_read_leaves_those_after_it() {
    let linked = claude(&json!([
        { "uuid": "a", "sender": "human", "text": "a", "attachments": null, "files": null, "content": null },
        { "uuid": "b", "sender": "assistant", "text": 7, "parent_message_uuid": "a" },
        { "uuid": "c", "parent_message_uuid": "b" },
        { "uuid": "d", "sender": "human", "text": "d", "parent_message_uuid": "c" },
    ]));
    let in_line = claude(&json!([
        { "uuid": "a", "sender": "human", "text": "a" },
        { "uuid": "b", "sender": "assistant", "files": 7 },
        { "uuid": "c", "sender": ["human"] },
        { "uuid": "d", "sender": "human", "text": "d", "content": null },
    ]));
    for file in [linked, in_line] {
        let (chat, read) = read_one(&file);
        assert_eq!(shown(&chat), ["you: a", "you: d"]);
        assert_eq!(faults(&read), [(ChatPartFault::EntryUnreadable, 2)]);
    }
}

/// A conversation of ChatGPT with a message of the user before another.
fn chat_gpt(content: &Value, attachments: &Value) -> String {
    json!([{ "title": "T", "mapping": {
        "a": { "parent": null, "message": { "author": { "role": "user" }, "create_time": 1.0, "content": content,
            "metadata": { "attachments": attachments } } },
        "b": { "parent": "a", "message": { "author": { "role": "assistant" }, "create_time": 2.0,
            "content": { "content_type": "text", "parts": ["Read."] } } }
    } }])
    .to_string()
}

#[test]
fn files_of_a_message_of_chat_gpt_are_listed_by_name() {
    let nothing = json!({ "content_type": "text", "parts": [""] });
    let files = json!([
        { "id": "file-1", "name": "contract.pdf", "mime_type": "application/pdf" },
        { "id": "file-2", "name": "list.csv", "mimeType": "text/csv" },
        { "id": "file-3" },
    ]);
    let (chat, read) = read_one(&chat_gpt(&nothing, &files));
    assert_eq!(shown(&chat), ["ChatGPT: Read."]);
    assert_eq!(faults(&read), [(ChatPartFault::FileMissing, 3)]);
    assert_eq!(details(&read), ["contract.pdf"]);

    let picture = json!([{ "id": "file-4", "name": "map.png", "mimeType": "image/png" }]);
    let (_, read) = read_one(&chat_gpt(&nothing, &picture));
    assert_eq!(
        details(&read),
        ["map.png"],
        "it does not vanish without being listed"
    );
    let parts = json!({ "content_type": "multimodal_text", "parts": [
        { "content_type": "image_asset_pointer", "asset_pointer": "file-service://file-4" }, "See."] });
    let (_, read) = read_one(&chat_gpt(&parts, &picture));
    assert_eq!(
        faults(&read),
        [(ChatPartFault::FileMissing, 1)],
        "it is counted once"
    );
}
