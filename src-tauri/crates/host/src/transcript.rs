//! The entries of chats while they are being written. An entry is on disk before a window gets it as saved;
//! the words of a model that is still speaking are shown as they come and written to disk a few times a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{EntryRecord, Store, StoreError};

use crate::view::EventStream;
use crate::view::{CallState, EntriesView, EntryBody, EntryView, HostEvent, TextState};

/// Chats' entries: on disk, and in memory while they grow.
#[derive(Clone)]
pub(crate) struct Transcript {
    store: Store,
    events: EventStream,
    growing: Arc<Mutex<HashMap<EntryId, EntryView>>>,
}

impl Transcript {
    pub(crate) fn new(store: Store, events: EventStream) -> Self {
        Self {
            store,
            events,
            growing: Arc::default(),
        }
    }

    /// Adds an entry: on disk, then on screen.
    pub(crate) async fn add(&self, chat: ChatId, body: EntryBody) -> Result<EntryView, StoreError> {
        let id = EntryId::new();
        let at = Timestamp::now();
        let position = self.store.append_entry(chat, id, at, json(&body)).await?;
        let entry = EntryView {
            id,
            chat,
            position,
            at_ms: at.as_millisecond(),
            body,
        };
        self.events.tell_after(|| {
            // From its first moment on, so that no reader finds later words on disk and is then told them again.
            if is_growing(&entry.body) {
                self.growing().insert(entry.id, entry.clone());
            }
            Some(HostEvent::Entry { entry: entry.clone() })
        });
        Ok(entry)
    }

    /// Replaces an entry's body: on disk, then on screen.
    pub(crate) async fn put(&self, entry: &EntryView) -> Result<(), StoreError> {
        self.store.update_entry(entry.id, json(&entry.body)).await?;
        self.events.tell_after(|| {
            self.growing().remove(&entry.id);
            Some(HostEvent::Entry { entry: entry.clone() })
        });
        Ok(())
    }

    /// Replaces an entry's body on screen only: progress that is not needed after a restart.
    pub(crate) fn show(&self, entry: &EntryView) {
        self.events.tell_after(|| {
            self.growing().insert(entry.id, entry.clone());
            Some(HostEvent::Entry { entry: entry.clone() })
        });
    }

    /// Adds words to an entry on screen; [`Self::keep`] writes them.
    pub(crate) fn grow(&self, entry: &mut EntryView, text: &str, reasoning: &str) {
        add(&mut entry.body, text, reasoning);
        self.events.tell_after(|| {
            self.growing()
                .entry(entry.id)
                .and_modify(|growing| add(&mut growing.body, text, reasoning))
                .or_insert_with(|| entry.clone());
            let (text, reasoning) = (text.to_owned(), reasoning.to_owned());
            Some(HostEvent::Words {
                chat: entry.chat,
                entry: entry.id,
                text,
                reasoning,
            })
        });
    }

    /// Writes a growing entry to disk as far as it is, without a new event.
    pub(crate) async fn keep(&self, entry: &EntryView) -> Result<(), StoreError> {
        self.store.update_entry(entry.id, json(&entry.body)).await
    }

    /// The entries of a chat, the growing ones as they are at this moment.
    pub(crate) async fn entries(&self, chat: ChatId) -> Result<EntriesView, StoreError> {
        let (seq, mut growing) = self.events.at_once(|| self.growing().clone());
        let records = self.store.entries(chat).await?;
        let entries = records
            .into_iter()
            .filter_map(|record| match growing.remove(&record.id) {
                Some(entry) => Some(entry),
                None => view(record),
            })
            .collect();
        Ok(EntriesView { seq, entries })
    }

    /// Marks what an earlier run left in the middle, so that nothing looks as if it still went on.
    pub(crate) async fn close_interrupted(&self) -> Result<(), StoreError> {
        let open = ["streaming", "deciding", "waiting", "running"];
        for record in self.store.entries_where_state(&open).await? {
            let Some(mut entry) = view(record) else { continue };
            match &mut entry.body {
                EntryBody::Assistant { state, .. } => *state = TextState::Interrupted,
                EntryBody::Call(call) => {
                    let sent = matches!(call.state, CallState::Running { .. });
                    call.state = CallState::Interrupted { sent };
                }
                EntryBody::User { .. } | EntryBody::ToolsLeftOut { .. } | EntryBody::Failure { .. } => {}
            }
            self.keep(&entry).await?;
        }
        Ok(())
    }

    fn growing(&self) -> MutexGuard<'_, HashMap<EntryId, EntryView>> {
        // Each change is one insert or remove, so a panic elsewhere leaves the map whole.
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An entry as it was kept. One that this version cannot read is reported and left out, never overwritten.
pub(crate) fn view(record: EntryRecord) -> Option<EntryView> {
    let EntryRecord {
        id,
        chat,
        position,
        at,
        body,
    } = record;
    match serde_json::from_value(body) {
        Ok(body) => Some(EntryView {
            id,
            chat,
            position,
            at_ms: at.as_millisecond(),
            body,
        }),
        Err(error) => {
            tracing::error!(entry = %id, %error, "failed to read a stored transcript entry");
            None
        }
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

fn add(body: &mut EntryBody, more: &str, more_reasoning: &str) {
    if let EntryBody::Assistant { text, reasoning, .. } = body {
        text.push_str(more);
        reasoning.push_str(more_reasoning);
    }
}

fn json(body: &EntryBody) -> serde_json::Value {
    serde_json::to_value(body).expect("an entry is plain data")
}
