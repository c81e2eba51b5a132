//! Summaries that stand for earlier messages of a chat, as the user changes them, takes them back and uses them again.

use vestibule_chat_tools::estimate::tokens;
use vestibule_protocol::EntryId;

use super::Host;
use super::chat_turns::check_length;
use crate::view::{ChatSummary, Compaction, EntryBody, InputProblem, Problem};

impl Host {
    /// Changes the text of a summary. The model reads it from the next request on.
    ///
    /// # Errors
    /// When the text is empty or too long, there is no such summary, the chat is busy, or it could not be kept.
    pub async fn summary_edit(&self, entry: EntryId, text: String) -> Result<(), Problem> {
        check_length(&text)?;
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(Problem::Input(InputProblem::Gone));
        }
        self.change_summary(entry, |summary| {
            summary.edited |= summary.summary != text;
            let after = summary.after_tokens + tokens(&text);
            summary.after_tokens = after.saturating_sub(tokens(&summary.summary));
            summary.summary = text;
        })
        .await
    }

    /// Sends a summary in place of the messages it stands for, or the messages again. While one is not sent, the oldest
    /// results are left out of requests that are too long, and no other summary is written until the chat has grown.
    ///
    /// # Errors
    /// When there is no such summary, the chat is busy, or it could not be kept.
    pub async fn summary_use(&self, entry: EntryId, used: bool) -> Result<(), Problem> {
        if used {
            self.check_stands_for_entries(entry).await?;
        }
        self.change_summary(entry, |summary| summary.used = used).await
    }

    /// Refuses a summary whose last entry is not in the branch that is shown, as one that came with a file of chats.
    async fn check_stands_for_entries(&self, entry: EntryId) -> Result<(), Problem> {
        let entry = self.entry(entry).await?;
        let branch = self.0.transcript.entries(entry.chat).await?;
        match entry.body {
            EntryBody::Compaction(Compaction::Summarized(summary))
                if branch.iter().any(|one| one.id == summary.up_to) =>
            {
                Ok(())
            }
            _ => Err(Problem::Input(InputProblem::Gone)),
        }
    }

    async fn change_summary(
        &self,
        entry: EntryId,
        change: impl FnOnce(&mut ChatSummary),
    ) -> Result<(), Problem> {
        let chat = self.entry(entry).await?.chat;
        self.occupy(chat)?;
        let changed = self.change_idle_summary(entry, change).await;
        self.vacate(chat).await;
        changed
    }

    /// The same once no turn can change the chat.
    async fn change_idle_summary(
        &self,
        entry: EntryId,
        change: impl FnOnce(&mut ChatSummary),
    ) -> Result<(), Problem> {
        let mut entry = self.entry(entry).await?;
        let EntryBody::Compaction(Compaction::Summarized(summary)) = &mut entry.body else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        change(summary);
        self.0.transcript.put(&mut entry).await?;
        Ok(())
    }

    /// Deletes the summaries of the branch that is shown that stand for a message and are not among its answers, which go
    /// with it.
    pub(super) async fn delete_summaries_of(&self, message: EntryId) -> Result<(), Problem> {
        let chat = self.entry(message).await?.chat;
        let entries = self.0.transcript.entries(chat).await?;
        let place = |id: EntryId| entries.iter().position(|entry| entry.id == id);
        let at = place(message).ok_or(Problem::Input(InputProblem::Gone))?;
        for (number, entry) in entries.iter().enumerate().skip(at + 1).rev() {
            let EntryBody::Compaction(Compaction::Summarized(summary)) = &entry.body else {
                continue;
            };
            if place(summary.up_to).is_some_and(|last| last >= at) {
                let next = entries.get(number + 1).map(|entry| entry.id);
                self.0.transcript.delete_exchange(chat, entry.id, next).await?;
            }
        }
        Ok(())
    }
}
