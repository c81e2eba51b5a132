//! Muted questions: sent to both windows, also when a time is over, and taken back from
//! either. Muting itself is an answer and comes from the consent window alone.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch::Receiver;
use vestibule_consent::InboxSnapshot;
use vestibule_policy::{Muted, RequestKind};
use vestibule_protocol::ServerId;

use super::Host;
use crate::view::{HostEvent, MutedView, Problem};

/// The longest wait until what is muted is looked at again; a computer that slept may have passed the time.
const LOOK: Duration = Duration::from_secs(60);

impl Host {
    /// Asks questions of this kind again.
    ///
    /// # Errors
    /// When that could not be written down; they are asked all the same.
    pub async fn server_unmute(&self, server: ServerId, asking: RequestKind) -> Result<(), Problem> {
        Ok(self.0.gate.questions().unmute(server, asking).await?)
    }

    pub(super) fn muted(&self) -> Vec<MutedView> {
        let view = |muted: Muted| {
            let face = self.0.servers.get(muted.server).ok()?.face();
            Some(MutedView {
                server: muted.server,
                name: face.name,
                asking: muted.asking,
                until_ms: muted.until.map(Timestamp::as_millisecond),
            })
        };
        self.0
            .gate
            .questions()
            .muted()
            .into_iter()
            .filter_map(view)
            .collect()
    }

    /// Tells the main window what is muted, whenever that changes.
    pub(super) fn tell_of_muted(&self) {
        let host = self.clone();
        let mut snapshots = self.0.inbox.snapshots();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            let mut told = host.muted();
            while closing
                .run_until_cancelled(mutes_change(&told, &mut snapshots))
                .await
                == Some(true)
            {
                let muted = host.muted();
                if muted != told {
                    told.clone_from(&muted);
                    host.0.events.tell(HostEvent::Muted { muted });
                }
            }
        });
    }
}

/// Waits until a mute may have begun or ended. False once the inbox is closed.
async fn mutes_change(muted: &[MutedView], snapshots: &mut Receiver<Arc<InboxSnapshot>>) -> bool {
    tokio::select! {
        () = tokio::time::sleep(until_next(muted)) => true,
        changed = snapshots.changed() => changed.is_ok(),
    }
}

/// How long until one of these is over.
fn until_next(muted: &[MutedView]) -> Duration {
    let now = Timestamp::now().as_millisecond();
    let next = muted.iter().filter_map(|one| one.until_ms).min();
    next.map_or(LOOK, |at| {
        let left = u64::try_from(at.saturating_sub(now)).unwrap_or(0);
        Duration::from_millis(left.saturating_add(1)).min(LOOK)
    })
}
