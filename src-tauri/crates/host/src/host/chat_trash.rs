//! Where the user keeps a chat: at the top of the list, put away, or in the trash, from which it comes back or is deleted
//! for ever. What is deleted for ever is in no file of the database; backups and databases that a backup replaced are left
//! alone. The ledger keeps that calls were made, their tools and times, and salted digests whose salts are deleted.

use jiff::Timestamp;
use vestibule_protocol::ChatId;

use super::Host;
use crate::view::Problem;

impl Host {
    /// Keeps a chat at the top of the list, or no longer.
    ///
    /// # Errors
    /// When the chat is gone or the change could not be kept.
    pub async fn chat_pin(&self, chat: ChatId, pinned: bool) -> Result<(), Problem> {
        self.0.store.pin_chat(chat, pinned).await?;
        self.tell_of_chat(chat).await
    }

    /// Puts a chat away, or brings it back to the list. It is searched all the same.
    ///
    /// # Errors
    /// When the chat is gone or the change could not be kept.
    pub async fn chat_archive(&self, chat: ChatId, archived: bool) -> Result<(), Problem> {
        self.0.store.archive_chat(chat, archived).await?;
        self.tell_of_chat(chat).await
    }

    /// Stops a chat and moves it to the trash, or brings it back as it was.
    ///
    /// # Errors
    /// When the chat is gone or the change could not be kept.
    pub async fn chat_trash(&self, chat: ChatId, trashed: bool) -> Result<(), Problem> {
        if trashed {
            self.stop_all_of(chat);
        }
        let at = trashed.then(Timestamp::now);
        self.0.store.trash_chat(chat, at).await?;
        self.tell_of_chat(chat).await
    }

    /// Deletes a chat with everything in it, so that none of its words is in a file. A temporary chat ends so.
    ///
    /// # Errors
    /// When it could not be deleted. [`vestibule_store::StoreError::Busy`] where another program reads the database: the
    /// chat is gone then, and its words may be in the log beside the database until that is emptied.
    pub async fn chat_delete(&self, chat: ChatId) -> Result<(), Problem> {
        let deleted = self.delete_chat(chat).await;
        if chat.is_temporary() {
            return deleted;
        }
        self.leave_no_word(deleted).await
    }

    /// Deletes all chats in the trash with everything in them. One that is brought back meanwhile stays.
    ///
    /// # Errors
    /// As for [`Self::chat_delete`]; those that were deleted before stay so.
    pub async fn trash_empty(&self) -> Result<(), Problem> {
        let deleted = self.delete_trashed_chats().await;
        self.leave_no_word(deleted).await
    }

    async fn delete_trashed_chats(&self) -> Result<(), Problem> {
        for chat in self.0.store.chats().await? {
            if chat.trashed.is_some() && self.0.store.delete_trashed_chat(chat.id).await? {
                self.stop_all_of(chat.id);
                self.forget_deleted(chat.id).await?;
            }
        }
        Ok(())
    }

    /// Fills the search again and empties the log of the database, also where a deletion failed: a part of it may be
    /// done.
    async fn leave_no_word(&self, deleted: Result<(), Problem>) -> Result<(), Problem> {
        self.index_chats();
        let emptied = self.0.store.truncate_log().await;
        deleted?;
        Ok(emptied?)
    }

    /// Stops the turn of a chat and the tasks of its calls, those of earlier runs too.
    fn stop_all_of(&self, chat: ChatId) {
        self.chat_stop(chat);
        self.0.followed.cancel_chat(chat);
    }

    async fn delete_chat(&self, chat: ChatId) -> Result<(), Problem> {
        self.stop_all_of(chat);
        self.0.store.delete_chat(chat).await?;
        self.forget_deleted(chat).await
    }

    /// Forgets in this run what belongs to a chat that is deleted.
    async fn forget_deleted(&self, chat: ChatId) -> Result<(), Problem> {
        self.0.transcript.forget(chat);
        self.0.prepared.forget(chat);
        self.0.gate.rules().forget_chat(chat);
        self.forget_switched_off(chat);
        self.forget_queue(chat);
        self.forget_import(chat);
        for attachment in self.0.attachments.drop_chat(chat) {
            self.unwatch(&attachment);
        }
        self.tell_of_chat_gone(chat).await
    }
}
