//! Whether a server over HTTP is still there. Nothing on such a wire says that a server has gone, so it is asked
//! every now and then, and at once after an exchange that brought no answer. Whatever it answers, an error included,
//! is a sign of life. Servers on other wires are asked by the session itself, in its own time; no server by both.

use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use vestibule_protocol::ServerId;
use vestibule_session::{CallError, SessionHandle};

use super::Registry;
use super::sign_in::Unsent;
use crate::problem_from::IntoProblem;
use crate::view::Problem;

/// How often a server is asked that nobody needs right now.
const EVERY: Duration = Duration::from_secs(15);
/// The pause before it is asked once more.
const AGAIN: Duration = Duration::from_secs(2);

/// What was noticed about a session that is on.
pub(super) enum Noticed {
    /// The server is not to be reached any more.
    Gone(Problem),
    /// It demands a sign-in.
    Challenged(vestibule_session::Challenge),
}

/// Asks until the server does not answer, and says so.
pub(super) async fn watch(
    registry: &Registry,
    server: ServerId,
    session: SessionHandle,
    doubt: &Notify,
    tell: mpsc::Sender<Noticed>,
) {
    let ask = || ask(registry, server, &session);
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = doubt.notified() => {}
        }
        let mut sign = ask().await;
        if let Sign::Silent(_) = sign {
            tokio::time::sleep(AGAIN).await;
            sign = ask().await;
        }
        let noticed = match sign {
            Sign::Alive => continue,
            Sign::Silent(problem) | Sign::Gone(problem) => Noticed::Gone(problem),
            Sign::Challenged(challenge) => Noticed::Challenged(challenge),
        };
        // Nobody listens any more where the session has ended meanwhile.
        let _ = tell.send(noticed).await;
        return;
    }
}

enum Sign {
    Alive,
    /// Nothing was heard; it may have been a moment's trouble.
    Silent(Problem),
    Gone(Problem),
    Challenged(vestibule_session::Challenge),
}

async fn ask(registry: &Registry, server: ServerId, session: &SessionHandle) -> Sign {
    match registry.authorized(server, false, || session.ping()).await {
        Ok(()) => Sign::Alive,
        Err(Unsent::SignIn(challenge)) if challenge.status == 401 => Sign::Challenged(challenge),
        Err(Unsent::Call(CallError::NotAnswered(failure))) => match failure.status {
            Some(status) if status < 500 => Sign::Alive,
            _ if failure.unsent => Sign::Gone((*failure).into_problem()),
            _ => Sign::Silent((*failure).into_problem()),
        },
        // A server that takes its time may be busy with a call; the session's own end is told by the session; and a
        // renewal that fails says nothing of the server.
        Err(_) => Sign::Alive,
    }
}
