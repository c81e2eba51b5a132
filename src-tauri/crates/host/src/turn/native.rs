//! Replies in their vendors' form: kept with the entry of their round, read again for the model they came from.
//! They go from the store to that model and nowhere else; no event carries them.

use std::collections::HashMap;

use vestibule_models::NativeReply;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{NativeReplyRow, ReplyOrigin, Store, StoreError};

/// The replies of one model in one chat.
pub(super) struct NativeReplies<'a> {
    pub(super) store: &'a Store,
    pub(super) chat: ChatId,
    /// `None` for a model without a form of its own.
    pub(super) origin: Option<&'a ReplyOrigin>,
}

impl NativeReplies<'_> {
    /// What this model wrote earlier in the chat, by entry. Replies of other models are not among them.
    pub(super) async fn read(&self) -> Result<HashMap<EntryId, NativeReply>, StoreError> {
        let Some(origin) = self.origin else {
            return Ok(HashMap::new());
        };
        let rows = self.store.native_replies(self.chat, origin).await?;
        let read = |row: NativeReplyRow| Some((row.entry, NativeReply::from_json(row.reply)?));
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Keeps what the model wrote in a round. On disk with the end of its entry.
    pub(super) async fn keep(&self, entry: EntryId, reply: &NativeReply) -> Result<(), StoreError> {
        let Some(origin) = self.origin.cloned() else {
            return Ok(());
        };
        let reply = reply.to_json();
        let row = NativeReplyRow { entry, origin, reply };
        self.store.unflushed().put_native_reply(&row).await
    }
}
