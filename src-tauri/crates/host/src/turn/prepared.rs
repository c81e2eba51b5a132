//! The messages of a long chat, made while the user writes. To make them takes as long as all else that the host does
//! for a request, since each text of the chat is copied for the library.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use vestibule_models::{ModelMessage, NativeReply};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{ReplyOrigin, Store, StoreError};

use super::history;
use super::left_out::LeftOut;
use super::native::NativeReplies;
use super::read_part::ReadPart;
use crate::view::{EntryBody, EntryView, TextState};

/// Shorter chats are not worth it: their messages are made in less than a millisecond.
const LEAST_ENTRIES: usize = 200;
/// How long they are kept for a message that does not come.
const KEPT: Duration = Duration::from_secs(60);

/// The messages of the chat in which the user writes. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(crate) struct PreparedMessages(Arc<Mutex<Option<Prepared>>>);

struct Prepared {
    made: Instant,
    chat: ChatId,
    /// The model whose replies are in its vendor's form.
    origin: Option<ReplyOrigin>,
    /// How many of its replies in the chat are in that form.
    natives: usize,
    entries: Vec<Arc<EntryView>>,
    messages: Vec<ModelMessage>,
}

impl PreparedMessages {
    /// Makes the messages of a branch for the model that the chat has, and keeps them for a while.
    pub(crate) async fn make(
        &self,
        store: &Store,
        chat: ChatId,
        origin: Option<ReplyOrigin>,
        entries: Vec<Arc<EntryView>>,
    ) -> Result<(), StoreError> {
        if entries.len() < LEAST_ENTRIES || !are_final(&entries) {
            return Ok(());
        }
        let replies = NativeReplies {
            store,
            chat,
            origin: origin.as_ref(),
        };
        let natives = replies.read().await?;
        let made = Instant::now();
        *self.prepared() = Some(Prepared {
            made,
            chat,
            origin,
            natives: natives.len(),
            messages: history::messages(&entries, &natives, &LeftOut::default()),
            entries,
        });
        let own = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(KEPT).await;
            if let Some(own) = own.upgrade().map(Self) {
                own.prepared().take_if(|prepared| prepared.made == made);
            }
        });
        Ok(())
    }

    /// The messages of a branch: those that were made before, with the one that the user wrote since. `None` where
    /// anything else changed.
    pub(super) fn take(
        &self,
        chat: ChatId,
        origin: Option<&ReplyOrigin>,
        entries: &[Arc<EntryView>],
        natives: &HashMap<EntryId, NativeReply>,
    ) -> Option<Vec<ModelMessage>> {
        let prepared = self.prepared().take_if(|prepared| prepared.chat == chat)?;
        let (new, before) = entries.split_last()?;
        let is_same = matches!(new.body, EntryBody::User { .. })
            && prepared.origin.as_ref() == origin
            && prepared.natives == natives.len()
            && prepared.entries.len() == before.len()
            && std::iter::zip(&prepared.entries, before).all(|(one, other)| Arc::ptr_eq(one, other));
        if !is_same {
            return None;
        }
        let mut messages = prepared.messages;
        messages.extend(history::messages(
            std::slice::from_ref(new),
            natives,
            &LeftOut::default(),
        ));
        Some(messages)
    }

    /// Keeps nothing of a chat that is deleted.
    pub(crate) fn forget(&self, chat: ChatId) {
        self.prepared().take_if(|prepared| prepared.chat == chat);
    }

    fn prepared(&self) -> MutexGuard<'_, Option<Prepared>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a message of the user after these entries changes nothing of their messages: no summary stands for some of
/// them, and the last answer is not one that the model is to continue.
fn are_final(entries: &[Arc<EntryView>]) -> bool {
    let is_open = entries.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::User { .. } => Some(false),
        EntryBody::Assistant { state, .. } if *state != TextState::Interrupted => {
            Some(*state == TextState::Length)
        }
        _ => None,
    });
    ReadPart::of(entries).summary.is_none() && is_open != Some(true)
}

#[cfg(test)]
mod tests;
