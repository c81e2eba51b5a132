//! Which part of a chat a summary can stand for, and what is left out where there is none.

use serde_json::Map;
use vestibule_protocol::ChatId;

use super::*;
use crate::view::{CallBody, CallState, ContentView, ResultView, TextState};

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

pub(crate) fn user(text: &str) -> Arc<EntryView> {
    entry(EntryBody::User {
        text: text.into(),
        attachments: vec![],
    })
}

pub(crate) fn said(text: &str) -> Arc<EntryView> {
    entry(EntryBody::Assistant {
        text: text.into(),
        reasoning: String::new(),
        model: "m".into(),
        scripted: false,
        state: TextState::Done,
        usage: None,
    })
}

pub(crate) fn answered(id: &str, text: &str) -> Arc<EntryView> {
    let result = ResultView {
        content: vec![ContentView::Text { text: text.into() }],
        structured: None,
        structured_stored: None,
        failed: false,
        misfits: vec![],
        unchecked: None,
        cut_bytes: 0,
        model_cut_bytes: 0,
        choice: None,
    };
    entry(EntryBody::Call(CallBody {
        imported: false,
        call: id.into(),
        called_as: "notes__read".into(),
        server: None,
        server_name: "notes".into(),
        tool: "read".into(),
        arguments: Map::new(),
        edited: false,
        as_text: false,
        because: vec![],
        state: CallState::Answered {
            result,
            elapsed_ms: 1,
        },
    }))
}

fn summary(up_to: EntryId, used: bool) -> Arc<EntryView> {
    entry(EntryBody::Compaction(Compaction::Summarized(ChatSummary {
        summary: "Earlier.".into(),
        up_to,
        before_tokens: 2,
        after_tokens: 1,
        used,
        edited: false,
        usage: None,
    })))
}

/// Four hundred tokens or more.
fn long() -> String {
    "A word and another. ".repeat(100)
}

/// A message with two rounds of calls and an answer.
fn chat() -> Vec<Arc<EntryView>> {
    let words = long();
    vec![
        user("Read it."),
        said("First."),
        answered("c1", &words),
        answered("c2", &words),
        said("Second."),
        answered("c3", &words),
        said(&words),
    ]
}

#[test]
fn a_summary_ends_before_a_round_and_leaves_the_newest_one() {
    let entries = chat();
    let all = ReadPart::of(&entries);
    let older = |room| all.older(room).map(|older| older.entries.len());
    assert_eq!(older(3_600), Some(4), "the second round and the answer are kept");
    assert_eq!(older(900), Some(6), "the answer is kept however long it is");
    assert_eq!(older(100_000), None, "all of it is new");
    assert!(
        ReadPart::of(&entries[..2]).older(900).is_none(),
        "too little is old"
    );
}

#[test]
fn a_summary_stands_for_what_was_before_and_the_users_message_goes_along() {
    let mut entries = chat();
    entries.push(summary(entries[3].id, true));
    let part = ReadPart::of(&entries);
    assert_eq!((part.summary, part.entries.len()), (Some("Earlier."), 4));
    assert_eq!(part.message.map(|message| message.id), Some(entries[0].id));
    let messages = part.messages(&HashMap::new(), &LeftOut::default());
    assert!(matches!(&messages[0], ModelMessage::User { text } if text.ends_with("\n| Earlier.")));
    assert!(matches!(&messages[1], ModelMessage::User { text } if text == "Read it."));
    // One that is taken back, or whose last entry is in another branch, stands for nothing.
    for other in [summary(entries[3].id, false), summary(EntryId::new(), true)] {
        let mut entries = chat();
        entries.push(other);
        assert!(ReadPart::of(&entries).summary.is_none());
    }
}

#[test]
fn the_oldest_results_are_left_out_first_and_never_the_users_words() {
    let mut entries = chat();
    entries.extend([user(&long()), said("Third."), answered("c4", &long())]);
    let left_out = |over, step| {
        let left_out = LeftOut::oldest(&entries, over, step, 0);
        let places = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| left_out.has(entry.id));
        places.map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(left_out(1, 1), [2]);
    assert_eq!(left_out(1, 700), [2, 3], "in steps");
    assert_eq!(left_out(600, 1), [2, 3]);
    assert_eq!(left_out(1_450, 1), [2, 3, 5, 9]);
    assert_eq!(
        left_out(u64::MAX / 2, 1),
        [2, 3, 5, 6, 9],
        "words of the newest turn stay"
    );
}
