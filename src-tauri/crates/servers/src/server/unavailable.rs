//! Why nothing can be sent to a server, as the error for what was to be sent.

use vestibule_app_protocol::{Problem, ServerProblem};

use super::handle::ServerHandle;
use super::state::ServerSnapshot;

impl ServerHandle {
    /// The error for what cannot be sent because the server is not connected.
    pub(crate) fn not_connected(&self) -> Problem {
        let server = self.name();
        self.reconnecting()
            .unwrap_or(Problem::Server(ServerProblem::ServerNotRunning { server }))
    }

    /// Waits until the server is stopped or removed, or has failed for good, and returns the error for what can then not be
    /// sent.
    pub async fn ended(&self) -> Problem {
        let mut snapshots = self.follow();
        tokio::select! {
            () = self.removed().cancelled() => {}
            // The sender is in this handle, so it is never gone.
            _ = snapshots.wait_for(ServerSnapshot::has_ended) => {}
        }
        self.not_connected()
    }

    /// The error for what cannot be sent although the tools are on offer, because the server is reconnecting.
    pub fn reconnecting(&self) -> Option<Problem> {
        self.read(|snapshot| {
            snapshot.is_reconnecting().then(|| {
                Problem::Server(ServerProblem::ServerReopening {
                    server: snapshot.record.name.clone(),
                })
            })
        })
    }
}
