//! Whether a server over HTTP still answers. Nothing on such a transport reports that a server has gone, so it is probed
//! at intervals, and at once after an exchange without an answer. Any answer counts, an error included. On other
//! transports the session sends pings to servers of the handshake era; no server gets both.

use std::time::Duration;

use tokio::sync::mpsc;
use vestibule_session::{CallError, Challenge, SessionHandle, Wire};

use super::handle::ServerHandle;
use crate::auth::retry::{Unsent, authorized};
use crate::problem_from::IntoProblem;
use vestibule_app_protocol::Problem;

/// How often an idle server is probed.
const EVERY: Duration = Duration::from_secs(15);
/// The pause before the second probe.
const AGAIN: Duration = Duration::from_secs(2);

/// What a probe found out about a connected server.
pub(crate) enum Liveness {
    /// The server cannot be reached any more.
    Gone(Problem),
    /// It demands a sign-in.
    Challenged(Challenge),
}

enum ProbeResult {
    Alive,
    /// No answer, which may be a short disturbance.
    Silent(Problem),
    Ended(Liveness),
}

/// Probes until the server no longer answers; at once whenever something arrives on `probe_now`.
pub(super) async fn watch(
    server: &ServerHandle,
    session: &SessionHandle,
    mut probe_now: mpsc::Receiver<()>,
) -> Liveness {
    if session.info().wire != Wire::Http {
        return std::future::pending().await;
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = probe_now.recv() => {}
        }
        match probe_patiently(server, session).await {
            ProbeResult::Alive => {}
            ProbeResult::Silent(problem) => return Liveness::Gone(problem),
            ProbeResult::Ended(liveness) => return liveness,
        }
    }
}

async fn probe(server: &ServerHandle, session: &SessionHandle) -> ProbeResult {
    match authorized(server, false, || session.ping()).await {
        Ok(()) => ProbeResult::Alive,
        Err(Unsent::SignIn(challenge)) if challenge.status == 401 => {
            ProbeResult::Ended(Liveness::Challenged(challenge))
        }
        Err(Unsent::Call(CallError::NotAnswered(failure))) => match failure.status {
            Some(status) if status < 500 => ProbeResult::Alive,
            _ if failure.unsent => ProbeResult::Ended(Liveness::Gone((*failure).into_problem())),
            _ => ProbeResult::Silent((*failure).into_problem()),
        },
        // A slow server may be busy with a call; the session reports its own end; and a token that cannot be renewed
        // does not mean that the server is gone.
        Err(_) => ProbeResult::Alive,
    }
}

/// Probes, and once more where the server is silent.
async fn probe_patiently(server: &ServerHandle, session: &SessionHandle) -> ProbeResult {
    let result = probe(server, session).await;
    if let ProbeResult::Silent(_) = result {
        tokio::time::sleep(AGAIN).await;
        return probe(server, session).await;
    }
    result
}
