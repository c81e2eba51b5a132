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
