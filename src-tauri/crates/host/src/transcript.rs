//! The entries of chats while they are being written. An entry is on disk before a window gets it as saved; one whose words
//! are still to come, or whose call is not decided, is written and not flushed by itself. The words of a model that is still
//! speaking are shown as they come and written a few times a second.

mod growing;
mod interrupted;
mod read_entries;

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_servers::stored_parts;
use vestibule_store::{
    EntriesFrom, EntryRecord, EntryVersions, ExpectedChange, NewBlob, Store, StoreError, TypedBody,
};

use self::growing::GrowingEntries;
use self::read_entries::ReadEntries;
use crate::view::EventStream;
use crate::view::{
    CallState, EntriesPart, EntriesView, EntryBody, EntryView, ResultView, TextState, VersionsView,
    stays_inline,
};

/// Chats' entries: on disk, and in memory while they grow.
#[derive(Clone)]
pub(crate) struct Transcript {
    store: Store,
    growing: GrowingEntries,
    read: ReadEntries,
}

impl Transcript {
    pub(crate) fn new(store: Store, events: EventStream) -> Self {
        Self {
            store,
            growing: GrowingEntries::new(events),
            read: ReadEntries::default(),
        }
    }

    /// Adds an entry at the end of the branch that a chat shows: on disk, then on screen.
    pub(crate) async fn add(&self, chat: ChatId, body: EntryBody) -> Result<EntryView, StoreError> {
        let mut added = self.add_all(chat, vec![body]).await?;
        added.pop().ok_or(StoreError::Closed)
    }

    /// Adds entries one after the other, all or none of them: on disk, then on screen.
    pub(crate) async fn add_all(
        &self,
        chat: ChatId,
        bodies: Vec<EntryBody>,
    ) -> Result<Vec<EntryView>, StoreError> {
        let at = Timestamp::now();
        let new: Vec<_> = bodies
            .iter()
            .map(|body| (EntryId::in_chat(chat), at, json(body)))
            .collect();
        let ids: Vec<_> = new.iter().map(|(id, ..)| *id).collect();
        let store = match bodies.iter().all(still_changes) {
            true => self.store.unflushed(),
            false => self.store.clone(),
        };
        let added = store.append_entries(chat, new).await?;
        let shown = ids.into_iter().zip(bodies).zip(added);
        let shown = shown.map(|((id, body), added)| {
            let entry = EntryView {
                id,
                chat,
                position: added.position,
                at_ms: at.as_millisecond(),
                versions: added.versions.map(versions),
                body,
            };
            self.growing.begin(&entry);
            entry
        });
        Ok(shown.collect())
    }

    /// Adds a message of the user in the same way, and gives the chat this title where it has none.
    pub(crate) async fn add_message(
        &self,
        chat: ChatId,
        body: EntryBody,
        title: String,
    ) -> Result<EntryView, StoreError> {
        let (id, at) = (EntryId::in_chat(chat), Timestamp::now());
        let added = self.store.append_entry_titled(chat, id, at, json(&body), title);
        let position = added.await?;
        let versions = self.store.versions(id).await?.map(versions);
        let entry = EntryView {
            id,
            chat,
            position,
            at_ms: at.as_millisecond(),
            versions,
            body,
        };
        self.growing.begin(&entry);
        Ok(entry)
    }

    /// Adds a version of an entry of this chat, with which the chat shows another branch.
    pub(crate) async fn add_version(
        &self,
        chat: ChatId,
        of: EntryId,
        body: EntryBody,
    ) -> Result<EntryView, StoreError> {
        let (id, at) = (EntryId::in_chat(chat), Timestamp::now());
        let position = self.store.append_version(of, id, at, json(&body)).await?;
        self.growing.branch(chat);
        let entry = EntryView {
            id,
            chat,
            position,
            at_ms: at.as_millisecond(),
            versions: self.store.versions(id).await?.map(versions),
            body,
        };
        self.growing.begin(&entry);
        Ok(entry)
    }

    /// Lets a chat show nothing after an entry of its branch.
    pub(crate) async fn end_branch(&self, chat: ChatId, entry: EntryId) -> Result<(), StoreError> {
        self.store.end_branch(entry).await?;
        self.growing.branch(chat);
        Ok(())
    }

    /// Lets a chat show the branch of an entry.
    pub(crate) async fn show_branch(&self, chat: ChatId, entry: EntryId) -> Result<(), StoreError> {
        if self.store.select_branch(entry).await? {
            self.growing.branch(chat);
        }
        Ok(())
    }

    /// Deletes an entry of a chat with all that follows it, except `next` and what follows that.
    pub(crate) async fn delete_exchange(
        &self,
        chat: ChatId,
        entry: EntryId,
        next: Option<EntryId>,
    ) -> Result<(), StoreError> {
        self.store.delete_exchange(entry, next).await?;
        self.growing.branch(chat);
        Ok(())
    }

    /// Deletes one entry of any branch of a chat. What follows it stays.
    pub(crate) async fn splice_out(&self, chat: ChatId, entry: EntryId) -> Result<(), StoreError> {
        self.store.splice_out(entry).await?;
        self.growing.branch(chat);
        Ok(())
    }

    /// Lets a chat show again what followed the end of its branch, where nothing was added there.
    pub(crate) async fn resume_branch(&self, chat: ChatId) -> Result<(), StoreError> {
        if self.store.resume_branch(chat).await? {
            self.growing.branch(chat);
        }
        Ok(())
    }

    /// Replaces an entry's body: on disk, then on screen. Large parts of a result are kept beside it.
    pub(crate) async fn put(&self, entry: &mut EntryView) -> Result<(), StoreError> {
        self.put_expected(entry, None).await
    }

    /// The same where the store expects it.
    pub(crate) async fn put_expected(
        &self,
        entry: &mut EntryView,
        expected: Option<ExpectedChange>,
    ) -> Result<(), StoreError> {
        let blobs = take_large_parts(&mut entry.body).await?;
        let written = self.store.update_entry_with(entry.id, &json(&entry.body), blobs);
        drop(expected);
        written.await?;
        self.growing.end(entry);
        Ok(())
    }

    /// Replaces the body of an entry without a result in the same way. It stands in the queue of the store when this
    /// returns, to be written with what is queued at the same time. The future gives back the entry.
    pub(crate) fn queue_put(
        &self,
        entry: EntryView,
    ) -> impl Future<Output = Result<EntryView, StoreError>> + Send + use<> {
        let written = self.store.queue_entry_update(entry.id, &json(&entry.body));
        let growing = self.growing.clone();
        async move {
            written.await?;
            growing.end(&entry);
            Ok(entry)
        }
    }

    /// Replaces an entry's body on screen only: progress that is not needed after a restart.
    pub(crate) fn show(&self, entry: &EntryView) {
        self.growing.show(entry);
    }

    /// Adds words to an entry on screen; [`Self::keep`] writes them.
    pub(crate) fn grow(&self, entry: &mut EntryView, text: &str, reasoning: &str) {
        growing::add_words(&mut entry.body, text, reasoning);
        self.growing.grow(entry, text, reasoning);
    }

    /// Writes a growing entry as far as it is, without a new event and without waiting for the disk.
    pub(crate) async fn keep(&self, entry: &EntryView) -> Result<(), StoreError> {
        let store = self.store.unflushed();
        store.update_entry(entry.id, json(&entry.body)).await
    }

    /// All entries of the branch that a chat shows, the growing ones as they are at this moment.
    pub(crate) async fn entries(&self, chat: ChatId) -> Result<Vec<Arc<EntryView>>, StoreError> {
        let (_, mut growing) = self.growing.now();
        let mut entries = self.read.read(&self.store, chat).await?;
        for entry in &mut entries {
            if let Some(grown) = growing.remove(&entry.id) {
                *entry = Arc::new(EntryView {
                    versions: None,
                    ..grown
                });
            }
        }
        Ok(entries)
    }

    /// Keeps nothing in memory of a chat that is deleted.
    pub(crate) fn forget(&self, chat: ChatId) {
        self.read.forget(chat);
    }

    /// A part of the branch that a chat shows, the growing ones as they are at this moment.
    pub(crate) async fn page(&self, chat: ChatId, part: EntriesPart) -> Result<EntriesView, StoreError> {
        let (seq, growing) = self.growing.now();
        let from = match part {
            EntriesPart::Newest => EntriesFrom::Newest,
            EntriesPart::Before { position } => EntriesFrom::Before(position),
            EntriesPart::After { position } => EntriesFrom::After(position),
            EntriesPart::Around { entry } => EntriesFrom::Around(entry),
        };
        let page = self.store.typed_entries_page(chat, from).await?;
        Ok(EntriesView {
            seq,
            entries: views(page.entries, page.versions, growing),
            earlier: page.earlier,
            later: page.later,
        })
    }
}

/// Whether the words of an entry are still to come, or its call is not decided.
fn still_changes(body: &EntryBody) -> bool {
    match body {
        EntryBody::Assistant { state, .. } => *state == TextState::Streaming,
        EntryBody::Call(call) => call.state == CallState::Deciding,
        EntryBody::User { .. }
        | EntryBody::BuiltInCall(_)
        | EntryBody::ToolsLeftOut { .. }
        | EntryBody::Compaction(_)
        | EntryBody::Failure { .. } => false,
    }
}

/// Entries as they were kept, those that grow as they are now.
fn views(
    records: Vec<EntryRecord<TypedBody<EntryBody>>>,
    mut others: HashMap<EntryId, EntryVersions>,
    mut growing: HashMap<EntryId, EntryView>,
) -> Vec<EntryView> {
    let entry = |record: EntryRecord<TypedBody<EntryBody>>| {
        let id = record.id;
        let entry = growing.remove(&id).or_else(|| typed_view(record))?;
        let versions = others.remove(&id).map(versions);
        Some(EntryView { versions, ..entry })
    };
    records.into_iter().filter_map(entry).collect()
}

fn versions(
    EntryVersions {
        at,
        of,
        before,
        after,
    }: EntryVersions,
) -> VersionsView {
    VersionsView {
        at,
        of,
        before,
        after,
    }
}

/// An entry as it was kept. One that this version cannot read is reported and left out, never overwritten.
pub(crate) fn view(record: EntryRecord) -> Option<EntryView> {
    typed_view(record.typed())
}

fn typed_view(record: EntryRecord<TypedBody<EntryBody>>) -> Option<EntryView> {
    let EntryRecord {
        id,
        chat,
        position,
        at,
        body,
        ..
    } = record;
    match body {
        Ok(body) => Some(EntryView {
            id,
            chat,
            position,
            at_ms: at.as_millisecond(),
            versions: None,
            body,
        }),
        Err(error) => {
            tracing::error!(entry = %id, %error, "failed to read a stored transcript entry");
            None
        }
    }
}

/// Takes the large parts out of an entry, on a thread of its own: decoding and hashing many megabytes takes a while.
async fn take_large_parts(body: &mut EntryBody) -> Result<Vec<NewBlob>, StoreError> {
    let long = stored_parts::result_of(body).filter(|result| !stays_inline(result));
    let Some(result) = long else {
        return Ok(vec![]);
    };
    let content = std::mem::take(&mut result.content);
    let structured = result.structured.take();
    let mut whole = ResultView {
        content,
        structured,
        ..result.clone()
    };
    let work = tokio::task::spawn_blocking(move || {
        let blobs = stored_parts::take_large_parts(&mut whole);
        (whole, blobs)
    });
    let (whole, blobs) = work.await.map_err(|_| StoreError::Closed)?;
    *result = whole;
    Ok(blobs)
}

fn json(body: &EntryBody) -> serde_json::Value {
    serde_json::to_value(body).expect("an entry is plain data")
}

#[cfg(test)]
mod tests;
