//! Temporary chats, in a database with the same tables that is only in memory. It is begun with the first of them. The
//! id of a chat, and of an entry, says where it is, so that nothing of a temporary chat reaches the file, also not what is
//! written after the chat was closed.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::OnceCell;
use vestibule_protocol::{ChatId, EntryId};

use crate::worker::StoreWorker;
use crate::{Store, StoreError, file};

/// Where something of a chat is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChatPlace {
    File,
    Memory,
}

impl ChatPlace {
    /// The place of a setting: that of the chat whose id its key ends with, after a dot.
    pub(crate) fn of_setting(key: &str) -> Self {
        let id = key.rsplit_once('.').and_then(|(_, id)| id.parse().ok());
        id.map_or(Self::File, |chat: ChatId| chat.into())
    }

    fn new(is_temporary: bool) -> Self {
        if is_temporary { Self::Memory } else { Self::File }
    }
}

impl From<ChatId> for ChatPlace {
    fn from(chat: ChatId) -> Self {
        Self::new(chat.is_temporary())
    }
}

impl From<EntryId> for ChatPlace {
    fn from(entry: EntryId) -> Self {
        Self::new(entry.is_temporary())
    }
}

/// The database of temporary chats, which clones share.
#[derive(Clone, Default)]
pub(crate) struct TemporaryChats(Arc<OnceCell<StoreWorker>>);

impl TemporaryChats {
    async fn worker(&self) -> Result<&StoreWorker, StoreError> {
        let start = || async { StoreWorker::start("store-temporary", file::open_memory()?, ()) };
        self.0.get_or_try_init(start).await
    }

    /// Ends all of them; what is kept later is refused.
    pub(crate) async fn close(&self) {
        if let Some(worker) = self.0.get() {
            worker.close().await;
        }
    }
}

impl Store {
    /// Writes where this chat or entry is kept.
    pub(crate) async fn write_at<T: Send + 'static>(
        &self,
        place: impl Into<ChatPlace>,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match place.into() {
            ChatPlace::File => self.write(job).await,
            ChatPlace::Memory => self.temporary().worker().await?.call(job).await,
        }
    }

    /// Changes something where this chat or entry is kept, in a transaction that it may share. A change of the file is
    /// queued by this call; see [`crate::worker::StoreWorker::change`].
    pub(crate) fn change_at<P, T, C>(
        &self,
        place: P,
        change: C,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<P, T, C>
    where
        P: Into<ChatPlace>,
        T: Send + 'static,
        C: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let store = self.clone();
        let queued = match place.into() {
            ChatPlace::File => Ok(self.change(change)),
            ChatPlace::Memory => Err(change),
        };
        async move {
            match queued {
                Ok(queued) => queued.await,
                Err(change) => {
                    let worker = store.temporary().worker().await?;
                    worker.change(store.flush(), change).await
                }
            }
        }
    }

    /// Changes something of the temporary chats, where there are any.
    pub(crate) async fn change_temporary(
        &self,
        change: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        match self.temporary().0.get() {
            Some(worker) => worker.change(self.flush(), change).await,
            None => Ok(()),
        }
    }

    /// Reads where this chat or entry is kept.
    pub(crate) async fn read_at<T: Send + 'static>(
        &self,
        place: impl Into<ChatPlace>,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match place.into() {
            ChatPlace::File => self.read(job).await,
            ChatPlace::Memory => self.temporary().worker().await?.call(job).await,
        }
    }

    /// Reads rows of the file, then those of temporary chats.
    pub(crate) async fn read_all<T: Send + 'static>(
        &self,
        job: fn(&mut Connection) -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = self.read(job).await?;
        if let Some(worker) = self.temporary().0.get() {
            rows.extend(worker.call(job).await?);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_of_a_temporary_chat_is_kept_in_memory_alone() {
        let (usual, temporary) = (ChatId::new(), ChatId::temporary());
        for (key, place) in [
            ("settings".to_owned(), ChatPlace::File),
            ("draft.new".to_owned(), ChatPlace::File),
            (format!("draft.{usual}"), ChatPlace::File),
            (format!("draft.{temporary}"), ChatPlace::Memory),
        ] {
            assert_eq!(ChatPlace::of_setting(&key), place, "{key}");
        }
    }
}
