//! Branches of chats: a message that is sent again with another text, an answer that is given once more, and the branch
//! that is shown. What a model is sent, and what its calls are compared with, is the branch that is shown. Calls of a
//! new branch are decided by the rules as they are then; a permission for this chat holds in all its branches.

use vestibule_protocol::{ChatId, EntryId};

use super::Host;
use super::chat_turns::check_length;
use super::files::FileEffect;
use crate::transcript;
use crate::view::{AttachmentView, EntriesPart, EntryBody, EntryView, InputProblem, Problem};

impl Host {
    /// Sends a message of the user once more with another text and what was attached to it, as a version of it; then
    /// the model's turn begins. What followed the message is kept.
    ///
    /// # Errors
    /// When the text is too long, there is no such message in the branch that is shown, the chat is busy, or the
    /// message could not be kept.
    pub async fn message_edit(&self, entry: EntryId, text: String) -> Result<(), Problem> {
        check_length(&text)?;
        let entry = self.entry(entry).await?;
        let EntryBody::User { attachments, .. } = entry.body else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        let stop = self.occupy(entry.chat)?;
        match self.add_edited(entry.chat, entry.id, text, attachments).await {
            Ok(()) => self.turn(entry.chat, None, stop),
            Err(problem) => {
                self.vacate(entry.chat).await;
                return Err(problem);
            }
        }
        self.tell_of_chat(entry.chat).await
    }

    async fn add_edited(
        &self,
        chat: ChatId,
        of: EntryId,
        text: String,
        attachments: Vec<AttachmentView>,
    ) -> Result<(), Problem> {
        let files = self.record_files(chat, &attachments).await?;
        let body = EntryBody::User { text, attachments };
        self.0.transcript.add_version(chat, of, body).await?;
        FileEffect::finish_all(files).await;
        Ok(())
    }

    /// Lets the model answer the message before an entry once more. What followed the message is kept, and shown again
    /// where nothing comes of the new answer.
    ///
    /// # Errors
    /// When there is no such entry in the branch that is shown or no message before it, or the chat is busy.
    pub async fn answer_regenerate(&self, entry: EntryId) -> Result<(), Problem> {
        let entry = self.entry(entry).await?;
        let stop = self.occupy(entry.chat)?;
        match self.end_after_message(&entry).await {
            Ok(()) => self.turn(entry.chat, None, stop),
            Err(problem) => {
                self.vacate(entry.chat).await;
                return Err(problem);
            }
        }
        self.tell_of_chat(entry.chat).await
    }

    /// Shows the branch of an entry, down to the newest of its ends.
    ///
    /// # Errors
    /// When there is no such entry, or the chat is busy.
    pub async fn branch_show(&self, entry: EntryId) -> Result<(), Problem> {
        let entry = self.entry(entry).await?;
        self.occupy(entry.chat)?;
        let shown = self.0.transcript.show_branch(entry.chat, entry.id).await;
        self.vacate(entry.chat).await;
        Ok(shown?)
    }

    /// Deletes a message of the user with all its answers, and the summaries that stand for it. What was said after them
    /// stays, and so do other versions of the message. Tasks of deleted calls are given up. The ledger keeps its digests.
    ///
    /// # Errors
    /// When there is no such message in the branch that is shown, the chat is busy, or it could not be deleted.
    pub async fn message_delete(&self, entry: EntryId) -> Result<(), Problem> {
        let entry = self.entry(entry).await?;
        if !is_message(&entry) {
            return Err(Problem::Input(InputProblem::Gone));
        }
        self.occupy(entry.chat)?;
        let deleted = async {
            self.delete_summaries_of(entry.id).await?;
            self.delete_exchange(&entry).await
        };
        let deleted = deleted.await;
        self.vacate(entry.chat).await;
        deleted
    }

    async fn delete_exchange(&self, message: &EntryView) -> Result<(), Problem> {
        let (chat, transcript) = (message.chat, &self.0.transcript);
        let mut position = message.position;
        let next = loop {
            let page = transcript.page(chat, EntriesPart::After { position }).await?;
            let next = page.entries.iter().find(|entry| is_message(entry));
            match page.entries.last() {
                Some(last) if next.is_none() && page.later => position = last.position,
                _ => break next.map(|next| next.id),
            }
        };
        transcript.delete_exchange(chat, message.id, next).await?;
        // The rows with the buttons of these tasks are gone.
        self.0.followed.cancel_deleted(chat).await;
        Ok(())
    }

    pub(super) async fn entry(&self, entry: EntryId) -> Result<EntryView, Problem> {
        let record = self.0.store.entry(entry).await?;
        let found = record.and_then(transcript::view);
        found.ok_or(Problem::Input(InputProblem::Gone))
    }

    /// Ends the branch of a chat after the last message of the user before an entry of it.
    async fn end_after_message(&self, entry: &EntryView) -> Result<(), Problem> {
        let around = EntriesPart::Around { entry: entry.id };
        let mut page = self.0.transcript.page(entry.chat, around).await?;
        page.entries.retain(|other| other.position <= entry.position);
        loop {
            if let Some(message) = page.entries.iter().rev().find(|entry| is_message(entry)) {
                return Ok(self.0.transcript.end_branch(entry.chat, message.id).await?);
            }
            let Some(first) = page.entries.first().filter(|_| page.earlier) else {
                return Err(Problem::Input(InputProblem::Gone));
            };
            let before = EntriesPart::Before {
                position: first.position,
            };
            page = self.0.transcript.page(entry.chat, before).await?;
        }
    }
}

fn is_message(entry: &EntryView) -> bool {
    matches!(entry.body, EntryBody::User { .. })
}
