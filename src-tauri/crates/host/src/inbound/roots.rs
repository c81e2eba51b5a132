//! Roots: a server asks for its folders. It gets those that the user shares with it, each checked again at that moment.
//! Where nothing was decided yet the user is asked, and a denial is an empty list.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use vestibule_consent::{Denied, EffectOutcome};

use super::{Asking, INTERNAL, Inbound, Wanted};
use crate::folders::root;
use crate::view::Problem;

impl Inbound {
    pub(super) async fn roots(&self, asking: Asking) {
        match self.while_wanted(&asking, self.known(&asking)).await {
            Wanted::Done(Ok(folders)) => self.tell(asking, folders).await,
            Wanted::Done(Err(problem)) => {
                tracing::error!(%problem, "failed to answer roots/list");
                asking
                    .reply
                    .refuse(INTERNAL, "the folders cannot be read at the moment");
            }
            Wanted::Withdrawn | Wanted::Over => asking.reply.reply(&json!({ "roots": [] })),
        }
    }

    /// The folders to send: those shared before, or those the user shares now.
    async fn known(&self, asking: &Asking) -> Result<Vec<String>, Problem> {
        let server = asking.face.id;
        let folders = &self.0.folders;
        if !folders.is_decided(server).await? {
            let asked_before = self.0.rounds.load(Ordering::SeqCst);
            let mut turn = self.turn_of(server).await;
            // Requests that waited for this question asked the same and get the same answer.
            if *turn <= asked_before && !folders.is_decided(server).await? {
                folders.ask(&self.0.gate, &asking.face, asking.cause()).await?;
                *turn = self.0.rounds.fetch_add(1, Ordering::SeqCst) + 1;
            }
        }
        folders.tellable(server).await
    }

    async fn tell(&self, asking: Asking, folders: Vec<String>) {
        if folders.is_empty() {
            return asking.reply.reply(&json!({ "roots": [] }));
        }
        let permit = match self.0.gate.tell_roots(asking.face.id, folders).await {
            Ok(permit) => permit,
            Err(Denied::LedgerFailed(error)) => {
                tracing::error!(%error, "failed to record shared roots in the ledger");
                return asking
                    .reply
                    .refuse(INTERNAL, "the answer could not be kept, so it was not given");
            }
            Err(_) => return asking.reply.reply(&json!({ "roots": [] })),
        };
        let (told, receipt) = permit.spend();
        // A folder can be swapped for a link while the ledger is written, so the folders are checked again here.
        let there = self.0.folders.still_there(told.folders).await;
        let roots: Vec<Value> = there.iter().filter_map(|path| root(path)).collect();
        let answer = json!({ "roots": roots });
        asking.reply.reply(&answer);
        let outcome = EffectOutcome {
            ended: "sent",
            result: None,
            bytes: answer.to_string().len(),
            took: std::time::Duration::ZERO,
        };
        self.end(receipt, outcome).await;
        match self.0.folders.record_shared(told.server, there).await {
            Ok(changed) => {
                for server in changed {
                    if let Ok(server) = self.0.servers.get(server) {
                        server.roots_changed().await;
                    }
                }
            }
            Err(problem) => tracing::error!(%problem, "failed to persist which roots a server received"),
        }
    }
}
