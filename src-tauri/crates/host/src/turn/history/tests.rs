//! What a model reads of a chat.

use super::*;
use serde_json::{Map, json};
use vestibule_protocol::ChatId;

fn entry(body: EntryBody) -> Arc<EntryView> {
    Arc::new(EntryView {
        id: EntryId::new(),
        chat: ChatId::new(),
        position: 0,
        at_ms: 0,
        versions: None,
        body,
    })
}

fn user(text: &str) -> Arc<EntryView> {
    entry(EntryBody::User {
        text: text.into(),
        attachments: vec![],
    })
}

fn assistant(text: &str, state: TextState) -> Arc<EntryView> {
    let text = text.to_owned();
    entry(EntryBody::Assistant {
        text,
        reasoning: String::new(),
        model: "m".into(),
        scripted: false,
        state,
        usage: None,
    })
}

fn call(id: &str, state: CallState) -> Arc<EntryView> {
    call_of("notes__add", id, state)
}

fn call_of(name: &str, id: &str, state: CallState) -> Arc<EntryView> {
    entry(EntryBody::Call(CallBody {
        call: id.into(),
        called_as: name.into(),
        server: None,
        server_name: "notes".into(),
        tool: "add".into(),
        arguments: Map::new(),
        edited: false,
        as_text: false,
        imported: false,
        because: vec![],
        state,
    }))
}

fn shape(entries: &[Arc<EntryView>]) -> Vec<String> {
    messages(entries, &HashMap::new(), &LeftOut::default())
        .into_iter()
        .map(|message| match message {
            ModelMessage::User { text } => format!("user {text}"),
            ModelMessage::UserParts { parts } => format!("user parts {}", parts.len()),
            ModelMessage::Assistant { text, calls, .. } => {
                let ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
                format!("assistant {text} [{}]", ids.join(","))
            }
            ModelMessage::ToolResult { call, failed, .. } => format!("result {call} {failed}"),
        })
        .collect()
}

#[test]
fn parallel_calls_stay_with_the_words_that_asked_for_them() {
    let refused = CallState::Refused {
        by: RefusedBy::Person,
        reason: None,
    };
    let entries = [
        user("hi"),
        assistant("let me see", TextState::Done),
        call("a", refused.clone()),
        call("b", refused.clone()),
        assistant("", TextState::Done),
        call("c", refused),
        assistant("done", TextState::Done),
    ];
    assert_eq!(
        shape(&entries),
        [
            "user hi",
            "assistant let me see [a,b]",
            "result a true",
            "result b true",
            "assistant  [c]",
            "result c true",
            "assistant done []"
        ]
    );
}

#[test]
fn what_broke_off_is_not_told_as_said() {
    let entries = [
        user("hi"),
        assistant("half a sen", TextState::Interrupted),
        user("go on"),
    ];
    assert_eq!(shape(&entries), ["user hi", "user go on"]);
}

/// The instruction is where it was when the answer was continued, so that the beginning of a request stays the same.
#[test]
fn an_answer_that_a_limit_ended_is_continued() {
    let go_on = format!("user {CONTINUE}");
    let first = [user("hi"), assistant("Once", TextState::Length)];
    assert_eq!(shape(&first), ["user hi", "assistant Once []", &go_on]);
    let broken = [&first[..], &[assistant("up", TextState::Interrupted)]].concat();
    assert_eq!(shape(&broken), shape(&first));
    let twice = [&broken[..], &[assistant("upon", TextState::Length)]].concat();
    assert_eq!(
        shape(&twice),
        [
            "user hi",
            "assistant Once []",
            &go_on,
            "assistant upon []",
            &go_on
        ]
    );
    let answered = [&twice[..], &[user("thanks")]].concat();
    assert_eq!(
        shape(&answered),
        [
            "user hi",
            "assistant Once []",
            &go_on,
            "assistant upon []",
            "user thanks"
        ]
    );
}

#[test]
fn a_call_left_open_by_a_crash_is_answered_all_the_same() {
    let entries = [
        user("hi"),
        assistant("", TextState::Done),
        call("a", CallState::Interrupted { sent: true }),
        user("and?"),
    ];
    assert_eq!(
        shape(&entries),
        ["user hi", "assistant  [a]", "result a true", "user and?"]
    );
}

#[test]
fn a_denial_reaches_the_model_in_the_persons_words() {
    let refused = CallState::Refused {
        by: RefusedBy::Person,
        reason: Some("wrong city".into()),
    };
    let told = messages(
        &[user("hi"), assistant("", TextState::Done), call("a", refused)],
        &HashMap::new(),
        &LeftOut::default(),
    );
    let Some(ModelMessage::ToolResult { parts, .. }) = told.last() else {
        panic!("{told:?}")
    };
    assert_eq!(
        parts,
        &[ResultPart::Text(
            "The user denied this call and says: wrong city".into()
        )]
    );
}

/// A vendor that took the name from its model refuses it in a request, and would refuse the chat for good.
#[test]
fn a_call_by_a_name_that_vendors_refuse_is_sent_by_one_that_they_take() {
    let native = json!({ "calls": ["a"], "message": { "role": "assistant", "content": [] } });
    let native = NativeReply::from_json(native);
    assert!(native.is_some());
    let failed = CallState::Interrupted { sent: false };
    for (called, sent, keeps_native) in [
        ("notes__add", "notes__add", true),
        ("multi_tool_use.parallel", "multi_tool_use_parallel", false),
        ("default_api:add", "default_api_add", false),
    ] {
        let words = assistant("", TextState::Done);
        let natives = HashMap::from_iter(native.clone().map(|native| (words.id, native)));
        let entries = [user("hi"), words, call_of(called, "a", failed.clone())];
        match &messages(&entries, &natives, &LeftOut::default())[1..] {
            [
                ModelMessage::Assistant { calls, native, .. },
                ModelMessage::ToolResult { name, call, .. },
            ] => {
                assert_eq!((calls[0].name.as_str(), name.as_str()), (sent, sent));
                assert_eq!((calls[0].id.as_str(), call.as_str()), ("a", "a"));
                assert_eq!(native.is_some(), keeps_native, "{called}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Claude may think and then say nothing. Its vendor refuses a chat in which a turn ends with a thought, for good.
#[test]
fn a_reply_of_thoughts_alone_is_not_sent_again() {
    let thought = json!({ "calls": [], "message": { "role": "assistant", "content": [] } });
    let thought = NativeReply::from_json(thought);
    assert!(thought.is_some());
    for said in ["", "\n"] {
        let silent = assistant(said, TextState::Done);
        let natives = HashMap::from_iter(thought.clone().map(|thought| (silent.id, thought)));
        let entries = [user("hi"), silent, user("hi?")];
        let told = messages(&entries, &natives, &LeftOut::default());
        assert!(
            matches!(&told[..], [ModelMessage::User { .. }, ModelMessage::User { .. }]),
            "{told:?}"
        );
    }
}
