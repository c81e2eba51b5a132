//! Replies in their vendors' form: kept with the entry of their round, read again for the model they came from.
//! They go from the store to that model and nowhere else; no event carries them.

use std::collections::HashMap;

use vestibule_models::NativeReply;
use vestibule_protocol::EntryId;
use vestibule_store::{NativeReplyRow, StoreError};

use super::Turn;

impl Turn {
    /// What this model wrote earlier in the chat, by entry. Replies of other models are not among them.
    pub(super) async fn native_replies(&self) -> Result<HashMap<EntryId, NativeReply>, StoreError> {
        let Some(origin) = &self.model.origin else {
            return Ok(HashMap::new());
        };
        let rows = self.store.native_replies(self.chat, origin).await?;
        let read = |row: NativeReplyRow| Some((row.entry, NativeReply::from_json(row.reply)?));
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Keeps what the model wrote in a round.
    pub(super) async fn keep_native_reply(
        &self,
        entry: EntryId,
        reply: &NativeReply,
    ) -> Result<(), StoreError> {
        let Some(origin) = self.model.origin.clone() else {
            return Ok(());
        };
        let reply = reply.to_json();
        let row = NativeReplyRow { entry, origin, reply };
        self.store.put_native_reply(&row).await
    }
}
