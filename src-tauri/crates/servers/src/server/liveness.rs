//! Whether a server over HTTP still answers. Nothing on such a transport reports that a server has gone, so it is probed
//! at intervals, and at once after a call that failed as it would then. Any answer counts, an error included, until a ping of
//! the session was answered with a result. From then on an error means that the server forgot the session: servers written
//! after the examples of the TypeScript SDK say so with 400 and not with 404. On other transports the session sends pings to
//! servers of the handshake era; no server gets both.

use std::time::Duration;

use tokio::sync::mpsc;
use vestibule_session::{CallError, Challenge, SessionHandle, SignInDemand, Wire};

use super::handle::ServerHandle;
use crate::auth::retry::{Unsent, authorized};
use crate::call::tool::sign_in_demanded;
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
    /// The server is there and no longer knows the session.
    Forgotten,
    /// It demands a sign-in.
    Challenged(Challenge),
}

enum ProbeResult {
    Answered,
    /// It may be there; nothing follows from what came back.
    Unknown,
    /// It refused a ping, and had answered one of this session before.
    Refused,
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
    // The modern era has no session that a server could forget.
    let can_forget = !session.info().revision.is_modern();
    let mut answers_pings = false;
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = probe_now.recv() => {}
        }
        match probe_patiently(server, session, answers_pings).await {
            ProbeResult::Answered => answers_pings = can_forget,
            ProbeResult::Unknown => {}
            ProbeResult::Refused => return Liveness::Forgotten,
            ProbeResult::Silent(problem) => return Liveness::Gone(problem),
            ProbeResult::Ended(liveness) => return liveness,
        }
    }
}

/// Settles a demand with which the server refused a message of the session itself: renews the token, and shows with a ping
/// that the server accepts it.
pub(super) async fn settle(server: &ServerHandle, session: &SessionHandle, demand: SignInDemand) {
    match authorized(server, false, |_| session.ping()).await {
        // An error response shows as well that the server accepts the token.
        Ok(()) | Err(Unsent::Call(CallError::Rpc(_))) => demand.settle(),
        Err(Unsent::SignIn(challenge)) => sign_in_demanded(server, &challenge),
        // A token that cannot be renewed now may be renewed later.
        Err(_) => {}
    }
}

/// Whether a call that ended so may show that its server is gone, or has forgotten the session.
pub(crate) fn is_reason_to_probe(error: &CallError) -> bool {
    match error {
        // It may be an error of the session, and not of the call.
        CallError::Rpc(_) => true,
        CallError::NotAnswered(failure) => !failure.too_large && matches!(failure.status, None | Some(400)),
        _ => false,
    }
}

async fn probe(server: &ServerHandle, session: &SessionHandle, answers_pings: bool) -> ProbeResult {
    match authorized(server, false, |_| session.ping()).await {
        Ok(()) => ProbeResult::Answered,
        Err(Unsent::SignIn(challenge)) if challenge.status == 401 => {
            ProbeResult::Ended(Liveness::Challenged(challenge))
        }
        Err(Unsent::Call(error)) => probe_failed(error, answers_pings),
        // A token that cannot be renewed does not mean that the server is gone.
        Err(_) => ProbeResult::Unknown,
    }
}

fn probe_failed(error: CallError, answers_pings: bool) -> ProbeResult {
    match error {
        CallError::Rpc(_) if answers_pings => ProbeResult::Refused,
        CallError::NotAnswered(failure) => match failure.status {
            Some(400) if answers_pings => ProbeResult::Refused,
            Some(status) if status < 500 => ProbeResult::Unknown,
            _ if failure.unsent => ProbeResult::Ended(Liveness::Gone((*failure).into_problem())),
            _ => ProbeResult::Silent((*failure).into_problem()),
        },
        // A slow server may be busy with a call, and the session reports its own end.
        _ => ProbeResult::Unknown,
    }
}

/// Probes, and once more after silence or a refusal, either of which may be a short disturbance.
async fn probe_patiently(server: &ServerHandle, session: &SessionHandle, answers_pings: bool) -> ProbeResult {
    let result = probe(server, session, answers_pings).await;
    if let ProbeResult::Silent(_) | ProbeResult::Refused = result {
        tokio::time::sleep(AGAIN).await;
        return probe(server, session, answers_pings).await;
    }
    result
}
