//! What an earlier run left in the middle.

use std::collections::HashSet;

use vestibule_protocol::EntryId;
use vestibule_store::StoreError;

use super::{Transcript, view};
use crate::tasks;
use crate::view::{CallState, Compaction, EntryBody, TextState};

impl Transcript {
    /// Marks what an earlier run left in the middle, so that nothing looks as if it still went on.
    pub(crate) async fn close_interrupted(&self) -> Result<(), StoreError> {
        self.store.resume_branches().await?;
        let tasks = self.followed_tasks().await;
        let open = ["streaming", "deciding", "waiting", "running", "task"];
        for record in self.store.entries_where_state(&open).await? {
            let Some(mut entry) = view(record) else { continue };
            match &mut entry.body {
                EntryBody::Assistant { state, .. } => *state = TextState::Interrupted,
                EntryBody::Call(call) => {
                    let is_task = matches!(call.state, CallState::Task { .. });
                    if is_task && tasks.as_ref().is_none_or(|tasks| tasks.contains(&entry.id)) {
                        continue;
                    }
                    let sent = is_task || matches!(call.state, CallState::Running { .. });
                    call.state = CallState::Interrupted { sent };
                }
                EntryBody::Compaction(compaction) => *compaction = Compaction::Stopped,
                EntryBody::User { .. }
                | EntryBody::BuiltInCall(_)
                | EntryBody::ToolsLeftOut { .. }
                | EntryBody::Failure { .. } => {}
            }
            self.keep(&entry).await?;
        }
        Ok(())
    }

    /// The entries whose tasks are followed in this run; `None` where that cannot be read.
    async fn followed_tasks(&self) -> Option<HashSet<EntryId>> {
        match self.store.tasks().await {
            Ok(rows) => {
                let usable = rows.iter().filter(|row| tasks::record(row).is_some());
                Some(usable.map(|row| row.entry).collect())
            }
            Err(error) => {
                tracing::error!(%error, "failed to load the tasks of earlier runs");
                None
            }
        }
    }
}
