use std::time::Duration;

use vestibule_protocol::{ChatId, EntryId};

use super::{GrowingEntries, add_words};
use crate::view::EventStream;
use crate::view::{EntryBody, EntryView, Envelope, HostEvent, TextState};

fn answer() -> EntryView {
    EntryView {
        id: EntryId::new(),
        chat: ChatId::new(),
        position: 0,
        at_ms: 0,
        versions: None,
        body: EntryBody::Assistant {
            text: String::new(),
            reasoning: String::new(),
            model: "m".into(),
            scripted: false,
            state: TextState::Streaming,
            usage: None,
        },
    }
}

fn text_of(body: &EntryBody) -> &str {
    match body {
        EntryBody::Assistant { text, .. } => text,
        other => panic!("{other:?} is no answer"),
    }
}

/// Says more, as the transcript does.
fn say(growing: &GrowingEntries, entry: &mut EntryView, text: &str) {
    add_words(&mut entry.body, text, "");
    growing.grow(entry, text, "");
}

fn words_in(events: &mut tokio::sync::broadcast::Receiver<Envelope>) -> Vec<String> {
    let mut found = vec![];
    while let Ok(envelope) = events.try_recv() {
        if let HostEvent::Words { text, .. } = envelope.event {
            found.push(text);
        }
    }
    found
}

#[tokio::test(start_paused = true)]
async fn words_are_one_event_in_16_milliseconds_and_none_is_lost() {
    let stream = EventStream::default();
    let mut events = stream.follow();
    let growing = GrowingEntries::new(stream);
    let mut entry = answer();
    growing.begin(&entry);
    let began = tokio::time::Instant::now();
    for number in 0..1_000 {
        say(&growing, &mut entry, &format!("{number} "));
        say(&growing, &mut entry, "and ");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let most = began.elapsed().as_millis() / 16 + 1;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let told = words_in(&mut events);
    assert!(
        u128::try_from(told.len()).unwrap() <= most,
        "{} events, not {most}",
        told.len()
    );
    assert!(told.len() > 10);
    assert_eq!(told.concat(), text_of(&entry.body));
    assert_eq!(growing.now().1[&entry.id], entry);
}

#[tokio::test(start_paused = true)]
async fn a_reader_gets_no_word_that_an_event_is_still_to_add() {
    let growing = GrowingEntries::new(EventStream::default());
    let mut entry = answer();
    growing.begin(&entry);
    say(&growing, &mut entry, "later");
    let (before, entries) = growing.now();
    assert_eq!(text_of(&entries[&entry.id].body), "");
    tokio::time::sleep(Duration::from_millis(20)).await;
    let (after, entries) = growing.now();
    assert_eq!(text_of(&entries[&entry.id].body), "later");
    assert_eq!(after, before + 1);
}

#[tokio::test(start_paused = true)]
async fn words_that_the_last_event_of_an_entry_has_are_not_told_again() {
    let stream = EventStream::default();
    let mut events = stream.follow();
    let growing = GrowingEntries::new(stream);
    let mut entry = answer();
    growing.begin(&entry);
    say(&growing, &mut entry, "whole");
    growing.end(&entry);
    tokio::time::sleep(Duration::from_millis(40)).await;
    assert_eq!(words_in(&mut events), Vec::<String>::new());
    assert!(growing.now().1.is_empty());
}
