//! Entries that are not at their end, as the events so far show them. A model's words are joined, so that a fast
//! model costs a window one event in 16 ms and not one for each word.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use vestibule_protocol::{ChatId, EntryId};

use crate::view::EventStream;
use crate::view::{EntryBody, EntryView, HostEvent, TextState};

/// How long words wait for those that follow: about one frame of a screen.
const JOINED: Duration = Duration::from_millis(16);

/// The growing entries of all chats. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(super) struct GrowingEntries {
    events: EventStream,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// As the events so far show them.
    entries: HashMap<EntryId, EntryView>,
    /// What was said since the last event. An entry is in it only while its next event is due.
    untold: HashMap<EntryId, UntoldWords>,
}

struct UntoldWords {
    chat: ChatId,
    text: String,
    reasoning: String,
}

impl GrowingEntries {
    pub(super) fn new(events: EventStream) -> Self {
        Self {
            events,
            state: Arc::default(),
        }
    }

    /// Tells that a chat shows another branch.
    pub(super) fn branch(&self, chat: ChatId) {
        self.events.tell(HostEvent::Branch { chat });
    }

    /// Tells of a new entry.
    pub(super) fn begin(&self, entry: &EntryView) {
        self.events.tell_after(|| {
            // From its first moment on, so that no reader finds later words on disk and is then told them again.
            if is_growing(&entry.body) {
                self.state().entries.insert(entry.id, entry.clone());
            }
            Some(HostEvent::Entry {
                entry: entry.clone(),
                added: true,
            })
        });
    }

    /// Tells of an entry that is on disk as it is. The event has all its words, also those not told yet.
    pub(super) fn end(&self, entry: &EntryView) {
        self.events.tell_after(|| {
            let mut state = self.state();
            state.entries.remove(&entry.id);
            state.untold.remove(&entry.id);
            Some(HostEvent::Entry {
                entry: entry.clone(),
                added: false,
            })
        });
    }

    /// Tells of an entry that is not on disk as it is.
    pub(super) fn show(&self, entry: &EntryView) {
        self.events.tell_after(|| {
            let mut state = self.state();
            state.entries.insert(entry.id, entry.clone());
            state.untold.remove(&entry.id);
            Some(HostEvent::Entry {
                entry: entry.clone(),
                added: false,
            })
        });
    }

    /// Tells of more words within 16 ms.
    pub(super) fn grow(&self, entry: &EntryView, text: &str, reasoning: &str) {
        let mut state = self.state();
        if let Some(untold) = state.untold.get_mut(&entry.id) {
            untold.text.push_str(text);
            untold.reasoning.push_str(reasoning);
            return;
        }
        let words = UntoldWords {
            chat: entry.chat,
            text: text.to_owned(),
            reasoning: reasoning.to_owned(),
        };
        state.untold.insert(entry.id, words);
        drop(state);
        let (growing, entry) = (self.clone(), entry.id);
        tokio::spawn(async move {
            tokio::time::sleep(JOINED).await;
            growing.tell_words(entry);
        });
    }

    /// The number of the last event, and the growing entries as the events up to it show them.
    pub(super) fn now(&self) -> (u64, HashMap<EntryId, EntryView>) {
        self.events.at_once(|| self.state().entries.clone())
    }

    fn tell_words(&self, entry: EntryId) {
        self.events.tell_after(|| {
            let mut state = self.state();
            let UntoldWords {
                chat,
                text,
                reasoning,
            } = state.untold.remove(&entry)?;
            if let Some(growing) = state.entries.get_mut(&entry) {
                add_words(&mut growing.body, &text, &reasoning);
            }
            Some(HostEvent::Words {
                chat,
                entry,
                text,
                reasoning,
            })
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one insert or remove, so a panic elsewhere leaves the maps whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds words to an answer; other entries have none.
pub(super) fn add_words(body: &mut EntryBody, more: &str, more_reasoning: &str) {
    if let EntryBody::Assistant { text, reasoning, .. } = body {
        text.push_str(more);
        reasoning.push_str(more_reasoning);
    }
}

fn is_growing(body: &EntryBody) -> bool {
    matches!(
        body,
        EntryBody::Assistant {
            state: TextState::Streaming,
            ..
        }
    )
}

#[cfg(test)]
mod tests;
