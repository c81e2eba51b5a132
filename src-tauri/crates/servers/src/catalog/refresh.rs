//! Lists again what a server reports as changed. One listing at a time, and a few at once: a server that reports a
//! thousand changes while one is under way is listed once more, and one that reports a change after each listing is
//! listed at intervals. In tasks of their own, because a listing waits for the server, and the server
//! may be waiting for its next event to be handled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_session::SessionHandle;

use super::pace::TokenBucket;
use super::{definitions, features};
use crate::auth::retry::sign_in_needed;
use crate::call::tool::sign_in_demanded;
use crate::open::session::NotOpen;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{LogSource, Problem, ServerProblem};

/// How many listings a server can cause at once.
const BURST: u32 = 5;
/// The interval in which it can cause one more.
const EVERY: Duration = Duration::from_secs(5);

/// Requests to list again. Each kind waits at most once; all clones are one.
#[derive(Clone)]
pub(crate) struct RefreshRequests {
    tools: mpsc::Sender<()>,
    features: mpsc::Sender<()>,
    /// Whether the next listing of the features asks for a sign-in that the server wants.
    asks: Arc<AtomicBool>,
}

/// The requests of one session, in the order in which they came.
pub(crate) struct RefreshQueue {
    tools: mpsc::Receiver<()>,
    features: mpsc::Receiver<()>,
    asks: Arc<AtomicBool>,
}

/// The two ends for one session.
pub(crate) fn channel() -> (RefreshRequests, RefreshQueue) {
    let (tools, wanted_tools) = mpsc::channel(1);
    let (features, wanted_features) = mpsc::channel(1);
    let asks = Arc::<AtomicBool>::default();
    let queue = RefreshQueue {
        tools: wanted_tools,
        features: wanted_features,
        asks: asks.clone(),
    };
    let requests = RefreshRequests {
        tools,
        features,
        asks,
    };
    (requests, queue)
}

impl RefreshRequests {
    pub(crate) fn tools(&self) {
        // A full queue holds the same request already.
        let _ = self.tools.try_send(());
    }

    pub(crate) fn features(&self) {
        let _ = self.features.try_send(());
    }

    /// The user wants the features listed, and signs in where the server wants that first.
    pub(crate) fn features_with_sign_in(&self) {
        self.asks.store(true, Ordering::Relaxed);
        self.features();
    }
}

/// Lists the features now, and everything whenever it is requested, until the session is over.
pub(crate) fn spawn(
    server: &ServerHandle,
    session: &SessionHandle,
    queue: RefreshQueue,
    over: &CancellationToken,
) {
    let tools = tools_when_requested(server.clone(), session.clone(), queue.tools);
    let features = features_when_requested(server.clone(), session.clone(), queue.features, queue.asks);
    let tasks = &server.context().tasks;
    tasks.spawn(over.clone().run_until_cancelled_owned(tools).in_current_span());
    tasks.spawn(over.clone().run_until_cancelled_owned(features).in_current_span());
}

async fn tools_when_requested(
    server: ServerHandle,
    session: SessionHandle,
    mut requests: mpsc::Receiver<()>,
) {
    let mut pace = TokenBucket::new(BURST, EVERY);
    while requests.recv().await.is_some() {
        tokio::time::sleep(pace.take(Instant::now())).await;
        // In a box of its own, which is gone while nothing is requested.
        match Box::pin(definitions::list(&server, &session)).await {
            // The session ends in both cases, which says more.
            Err(NotOpen::Failed(Problem::Server(ServerProblem::ServerEnded { .. }))) => {}
            Err(NotOpen::Challenged(challenge)) if challenge.status == 401 => {
                sign_in_demanded(&server, &challenge);
            }
            Err(NotOpen::Failed(problem)) => not_listed(&server, problem),
            Err(NotOpen::Challenged(challenge)) => not_listed(&server, sign_in_needed(&server, &challenge)),
            Ok(()) | Err(NotOpen::EndedByProbe | NotOpen::Refused(_) | NotOpen::Stopped) => {}
        }
    }
}

/// The session is up, and one listing was refused or got no answer.
fn not_listed(server: &ServerHandle, problem: Problem) {
    let text = format!("its tools could not be listed: {problem}");
    server.note(LogSource::Host, Some("error".into()), &text);
    definitions::show_listing_problem(server, problem);
}

async fn features_when_requested(
    server: ServerHandle,
    session: SessionHandle,
    mut requests: mpsc::Receiver<()>,
    asks: Arc<AtomicBool>,
) {
    Box::pin(features::restore_log_level(&server, &session)).await;
    Box::pin(features::watch_again(&server, &session)).await;
    let mut pace = TokenBucket::new(BURST, EVERY);
    Box::pin(features::list(&server, &session, false)).await;
    while requests.recv().await.is_some() {
        tokio::time::sleep(pace.take(Instant::now())).await;
        let ask = asks.swap(false, Ordering::Relaxed);
        Box::pin(features::list(&server, &session, ask)).await;
    }
}
