//! Files with faults: what is wrong is left out with its reason, the rest is read, and nothing panics or hangs.

use proptest::prelude::*;

use super::*;

fn own(entries: &Value) -> String {
    json!({ "format": "vestibule-chats", "version": 1, "chats": [{ "title": "T", "created": 1, "updated": 2,
        "entries": entries }] })
    .to_string()
}

fn said(id: &str, parent: Value) -> Value {
    json!({ "id": id, "parent": parent, "at": 1, "body": { "kind": "user", "text": id, "attachments": [] } })
}

#[test]
fn circles_lost_parents_and_doubled_ids_are_left_out_and_counted() {
    let file = own(&json!([
        said("a", Value::Null),
        said("b", json!("a")),
        said("a", json!("b")),
        said("c", json!("d")),
        said("d", json!("e")),
        said("e", json!("c")),
        said("f", json!("f")),
        said("g", json!("nowhere")),
        said("h", json!("g")),
    ]));
    let (chat, read) = read_one(&file);
    assert_eq!(shown(&chat), ["you: a", "you: b"]);
    assert_eq!(
        faults(&read),
        [
            (ChatPartFault::IdTaken, 1),
            (ChatPartFault::ParentMissing, 2),
            (ChatPartFault::ParentCircle, 4)
        ]
    );
}

#[test]
fn an_entry_that_cannot_be_read_leaves_those_after_it() {
    let (chat, read) = read_one(&own(&json!([
        said("a", Value::Null),
        { "id": "b", "parent": "a", "at": 1, "body": { "kind": "hologram" } },
        { "id": "c", "parent": "b", "at": 1, "body": { "kind": "user" } },
        said("d", json!("c")),
        { "id": 7, "parent": "d", "at": 1, "body": {} },
        "nothing",
        said("e", json!("d")),
    ])));
    assert_eq!(shown(&chat), ["you: a", "you: d", "you: e"]);
    assert_eq!(faults(&read), [(ChatPartFault::EntryUnreadable, 4)]);
    let detail = &read.left_out.lines().0[0].detail;
    assert!(detail.contains("hologram"), "{detail}");
}

#[test]
fn an_entry_with_a_wrong_time_or_none_leaves_those_after_it() {
    let mut timeless = said("b", json!("a"));
    timeless["at"] = json!(1.5);
    let no_time = json!({ "id": "c", "parent": "b", "body": { "kind": "user", "text": "c" } });
    let no_body = json!({ "id": "d", "parent": "c", "at": 1 });
    let (chat, read) = read_one(&own(&json!([
        said("a", Value::Null),
        timeless,
        no_time,
        no_body,
        said("e", json!("d")),
    ])));
    assert_eq!(shown(&chat), ["you: a", "you: e"]);
    assert_eq!(faults(&read), [(ChatPartFault::EntryUnreadable, 3)]);
}

#[test]
fn a_chat_that_cannot_be_read_leaves_the_others() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let good = r#"{"title":"Good","created":1,"updated":2,"entries":[{"id":"a","parent":null,"at":1,"body":
        {"kind":"user","text":"a","attachments":[]}}]}"#;
    let unreadable = vec![(ChatPartFault::ChatUnreadable, 1)];
    let empty = (ChatPartFault::ChatEmpty, 1);
    let odd = [
        ("7".to_owned(), unreadable.clone()),
        ("{}".to_owned(), unreadable),
        (
            r#"{"created":1,"updated":2,"entries":[]}"#.to_owned(),
            vec![empty],
        ),
        (
            format!(r#"{{"created":1,"updated":2,"entries":{deep}}}"#),
            vec![(ChatPartFault::EntryUnreadable, 1), empty],
        ),
    ];
    for (odd, left_out) in odd {
        let file = format!(r#"{{"format":"vestibule-chats","version":1,"chats":[{odd},{good}]}}"#);
        let (chat, read) = read_one(&file);
        assert_eq!(chat.title, "Good");
        assert_eq!(faults(&read), left_out, "{odd:.60}");
    }
}

#[test]
fn arguments_that_nest_too_deep_to_be_stored_are_left_out() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let call = |levels| {
        format!(
            r#"[{{"id":"a","parent":null,"at":1,"body":{{"kind":"call","call":"c","called_as":"a","server":null,
            "server_name":"s","tool":"t","arguments":{{"x":{}}},"edited":false,"because":[],"state":"deciding"}}}},
            {{"id":"b","parent":"a","at":1,"body":{{"kind":"user","text":"b","attachments":[]}}}}]"#,
            nested(levels)
        )
    };
    let file = |levels| {
        let entries = call(levels);
        format!(
            r#"{{"format":"vestibule-chats","version":1,"chats":[{{"created":1,"updated":2,"entries":{entries}}}]}}"#
        )
    };
    assert_eq!(read_one(&file(90)).0.entries.len(), 2);
    for levels in [110, 125, 5000] {
        let (chat, read) = read_one(&file(levels));
        assert_eq!(shown(&chat), ["you: b"], "{levels}");
        assert_eq!(read.left_out.lines().0.len(), 1);
    }
}

#[test]
fn times_of_the_future_and_before_1970_are_brought_into_bounds() {
    for (at, is) in [(i64::MAX, NOW), (i64::MIN, 0), (NOW + 1, NOW)] {
        let file = json!({ "format": "vestibule-chats", "version": 1, "chats": [{ "created": at, "updated": at,
            "entries": [{ "id": "a", "parent": null, "at": at, "body": { "kind": "user", "text": "a" } }] }] });
        let (chat, _) = read_one(&file.to_string());
        assert_eq!(
            (chat.created_ms, chat.updated_ms, chat.entries[0].at_ms),
            (is, is, is)
        );
    }
}

#[test]
fn files_of_other_kinds_are_named_as_such() {
    let not_json = [
        "",
        "hello",
        "{\"format\":",
        "[1,",
        "{\"format\":\"vestibule-chats\"}}",
    ];
    for text in not_json {
        assert!(matches!(read(text), Err(Unreadable::NotJson(_))), "{text}");
    }
    let unknown = [
        "[]",
        "[1, 2]",
        "{}",
        "7",
        "null",
        r#"{"format":"vestibule-rules","version":1}"#,
        r#"{"format":"vestibule-chats","version":1}"#,
        r#"{"format":"vestibule-chats","version":0,"chats":[]}"#,
        r#"{"format":7}"#,
    ];
    for text in unknown {
        assert_eq!(read(text), Err(Unreadable::UnknownForm), "{text}");
    }
    let newer = r#"{"format":"vestibule-chats","version":2,"chats":"in another form"}"#;
    assert_eq!(read(newer), Err(Unreadable::Newer(2)));
}

#[test]
fn many_chats_with_faults_make_a_bounded_list() {
    let chats: Vec<Value> = (0..500)
        .map(|number| json!({ "title": number.to_string() }))
        .collect();
    let file = json!({ "format": "vestibule-chats", "version": 1, "chats": chats });
    let read = read(&file.to_string()).unwrap();
    let (lines, more) = read.left_out.lines();
    assert_eq!((lines.len(), more), (100, 400));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-e]{0,2}".prop_map(Value::from),
        prop_oneof![
            Just("text"),
            Just("user"),
            Just("assistant"),
            Just("tool"),
            Just("call"),
            Just("tool_use")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((member(), inner), 0..5).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// Names that the readers look for.
fn member() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "id",
        "parent",
        "at",
        "body",
        "kind",
        "text",
        "message",
        "author",
        "role",
        "content",
        "content_type",
        "parts",
        "recipient",
        "uuid",
        "sender",
        "type",
        "input",
        "name",
        "parent_message_uuid",
        "attachments",
        "create_time",
    ])
}

proptest! {
    /// A fault of one member never keeps the chat beside it from being read.
    #[test]
    fn whatever_is_in_a_file_it_is_read_or_listed(
        entries in prop::collection::vec(any_json(), 0..12),
        form in 0..3,
    ) {
        let mapping: serde_json::Map<String, Value> =
            entries.iter().enumerate().map(|(number, entry)| (number.to_string(), entry.clone())).collect();
        let file = match form {
            0 => own(&json!(entries)),
            1 => json!([{ "mapping": mapping }]).to_string(),
            _ => json!([{ "chat_messages": entries }]).to_string(),
        };
        let read = read(&file).unwrap();
        for chat in &read.chats {
            check_tree(chat);
        }
        let empty = read.chats.is_empty();
        prop_assert!(!empty || !read.left_out.lines().0.is_empty());
    }

    /// Whatever follows whatever, each entry comes after the one it follows, none twice, and one branch is shown.
    #[test]
    fn any_links_make_a_tree(links in prop::collection::vec((0..14usize, prop::option::of(0..14usize)), 1..14)) {
        let entries: Vec<Value> = links.iter().map(|(id, parent)| {
            said(&id.to_string(), parent.map_or(Value::Null, |parent| json!(parent.to_string())))
        }).collect();
        let read = read(&own(&json!(entries))).unwrap();
        let kept = read.chats.first().map_or(0, |chat| { check_tree(chat); chat.entries.len() });
        let left_out: u32 = faults(&read).iter().filter(|(fault, _)| *fault != ChatPartFault::ChatEmpty)
            .map(|(_, count)| count).sum();
        prop_assert_eq!(kept + left_out as usize, links.len());
    }
}

fn check_tree(chat: &FileChat) {
    let mut parents = vec![];
    for (number, entry) in chat.entries.iter().enumerate() {
        assert!(entry.parent.is_none_or(|parent| parent < number));
        if entry.shown {
            // The shown entries are one line from a root.
            assert_eq!(entry.parent, parents.last().copied());
            parents.push(number);
        }
    }
    assert!(!parents.is_empty());
    let last = parents.last().copied();
    assert!(
        chat.entries
            .iter()
            .all(|entry| entry.parent.is_none() || entry.parent != last)
    );
}
