//! Summaries that stand for earlier messages of a chat, as the user changes them, takes them back and uses them again.

use std::collections::HashMap;
use std::iter::successors;

use vestibule_chat_tools::estimate::tokens;
use vestibule_protocol::EntryId;
use vestibule_store::BranchEntry;

use super::Host;
use super::chat_turns::check_length;
use crate::transcript;
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

    /// Deletes the summaries of all branches that stand for a message of the branch that is shown.
    pub(super) async fn delete_summaries_of(&self, message: EntryId) -> Result<(), Problem> {
        let chat = self.entry(message).await?.chat;
        let entries = self.0.store.chat_branches(chat).await?;
        let is_shown = |entry: &BranchEntry| entry.shown && entry.record.id == message;
        if !entries.iter().any(is_shown) {
            return Err(Problem::Input(InputProblem::Gone));
        }
        for summary in summaries_of(message, entries) {
            self.0.transcript.splice_out(chat, summary).await?;
        }
        Ok(())
    }
}

/// The summaries among the entries of a chat that stand for a message.
fn summaries_of(message: EntryId, entries: Vec<BranchEntry>) -> Vec<EntryId> {
    let parents: HashMap<EntryId, Option<EntryId>> = entries
        .iter()
        .map(|entry| (entry.record.id, entry.record.parent))
        .collect();
    let follows = |entry: EntryId, earlier: EntryId| {
        let line = successors(Some(entry), |entry| parents.get(entry).copied().flatten());
        // A damaged file may have a circle of parents.
        line.take(parents.len()).any(|entry| entry == earlier)
    };
    let records = entries.into_iter().map(|entry| entry.record);
    records
        .filter(|record| record.body["kind"] == "compaction")
        .filter_map(transcript::view)
        .filter(|entry| match &entry.body {
            EntryBody::Compaction(Compaction::Summarized(summary)) => {
                follows(entry.id, summary.up_to) && follows(summary.up_to, message)
            }
            _ => false,
        })
        .map(|entry| entry.id)
        .collect()
}
