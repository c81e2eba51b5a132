//! What servers ask of the user: each request of the stream becomes a question in the one inbox, in a task of its own, so
//! that nothing here can hold up the stream. Every request gets exactly one answer; one that is not shown
//! because too many wait gets the one its kind has for "not now", whichever limit it met. A question goes when
//! the server takes its request back, when the session ends, or when the call it belongs to is over; closing the
//! application answers "cancel" first and waits until that was said. Only `session` knows how an answer travels.

mod elicitation;
mod limiter;
mod link;
mod model_problem;
mod roots;
mod sampling;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::{OwnedMutexGuard, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_consent::{Cause, Gate, ServerSummary};
use vestibule_protocol::ServerId;
use vestibule_session::{Responder, ServerRequest, ServerRequestKind, SessionHandle, TimeoutPause};
use vestibule_transport::browser::Browser;

pub use limiter::MAX_REQUESTS;
use limiter::{RequestLimiter, RequestSlot};
pub use link::LinkRequest;
pub use model_problem::model_problem;
pub use sampling::budget::{Prices, USUAL_BUDGET};
pub use sampling::{SamplingContext, UserModels};
use vestibule_folders::Folders;
use vestibule_servers::{
    CallContext, ClientRequest, ClientRequestBody, IncomingRequest, ServerHandle, Servers,
};

use elicitation::visits::Visits;
use elicitation::{form, url};

/// How long answers are waited for when the application closes.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The code of a refusal for reasons of our own. The protocol has no better one.
const INTERNAL: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;
/// The refusal of an answer that could not be written down.
const NOT_KEPT: &str = "the answer could not be kept, so it was not given";

/// Where requests of servers are dealt with. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct ClientFeatures(Arc<Shared>);

struct Shared {
    gate: Arc<Gate>,
    tasks: TaskTracker,
    closing: CancellationToken,
    limiter: RequestLimiter,
    /// One at a time of each server, where that is enough; with the round in which it was asked last.
    turns: Mutex<HashMap<ServerId, Arc<tokio::sync::Mutex<u64>>>>,
    /// Counts up each time a server's folders were asked about.
    rounds: AtomicU64,
    visits: Visits,
    browser: Browser,
    servers: Servers,
    folders: Folders,
    sampling: SamplingContext,
}

/// A request with everything it takes to answer it. What a server asks stops the clocks of its calls: the time the user
/// takes is not the server's.
struct AcceptedRequest {
    face: ServerSummary,
    server: ServerHandle,
    session: SessionHandle,
    /// The call it belongs to; `None` where there is none, or where that is not known.
    context: Option<CallContext>,
    session_over: CancellationToken,
    reply: Responder,
    _hold: TimeoutPause,
    _slot: RequestSlot,
}

/// What came of work for a server.
enum Wanted<T> {
    Done(T),
    /// The answer is no longer needed: the request was withdrawn, or the session is over.
    Withdrawn,
    /// What gave occasion to it is over, or the application closes; the server still waits.
    Over,
}

impl AcceptedRequest {
    /// The place in a chat it comes from.
    fn cause(&self) -> Option<Cause> {
        self.context.as_ref().and_then(|context| context.cause.clone())
    }
}

impl ClientFeatures {
    pub fn new(
        gate: Arc<Gate>,
        browser: Browser,
        servers: Servers,
        folders: Folders,
        sampling: SamplingContext,
    ) -> Self {
        Self(Arc::new(Shared {
            gate,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            limiter: RequestLimiter::default(),
            turns: Mutex::default(),
            rounds: AtomicU64::new(0),
            visits: Visits::default(),
            browser,
            servers,
            folders,
            sampling,
        }))
    }

    /// Reads the stream of requests until every server has ended.
    pub fn follow(&self, mut requests: mpsc::UnboundedReceiver<ClientRequest>) {
        let features = self.clone();
        tokio::spawn(async move {
            let closed = features.0.servers.closed();
            while let Some(Some(request)) = closed.run_until_cancelled(requests.recv()).await {
                let span = request.span.clone();
                span.in_scope(|| features.handle(request));
            }
        });
    }

    fn handle(&self, ClientRequest { server, body, .. }: ClientRequest) {
        match body {
            ClientRequestBody::Request(request) => self.take(server, request),
            ClientRequestBody::TurnedAway { kind, times } => self.turned_away(&server, kind, times),
            ClientRequestBody::UrlCompleted { elicitation_id } => {
                self.0.visits.complete(server.id(), &elicitation_id);
            }
            ClientRequestBody::VisitPages(pages) => {
                let features = self.clone();
                let visits = async move { url::visit_all(&features, &server, pages).await };
                self.0.tasks.spawn(visits.in_current_span());
            }
        }
    }

    /// The client capabilities that are declared to servers. Only what is handled here.
    pub fn declared() -> Value {
        json!({
            "roots": { "listChanged": true },
            "sampling": { "tools": {} },
            "elicitation": { "form": {}, "url": {} },
        })
    }

    /// Counts requests of a server that were answered "not now" without being looked at.
    fn turned_away(&self, server: &ServerHandle, kind: ServerRequestKind, times: u32) {
        let (asking, action) = counted_as(kind);
        self.0
            .gate
            .questions()
            .count_turned_away(server.id(), asking, action, times);
    }

    /// Takes a request and returns at once.
    fn take(&self, server: ServerHandle, incoming: IncomingRequest) {
        if incoming.reply.is_cancelled() {
            // It was withdrawn before it was looked at.
            return;
        }
        let kind = incoming.request.kind();
        let Some(slot) = self.0.limiter.take(server.id(), incoming.request.bytes()) else {
            self.turned_away(&server, kind, 1);
            return kind.answer_not_now(incoming.reply);
        };
        let (request, asking) = accept(server, incoming, slot);
        let features = self.clone();
        let mut work = Box::pin(async move { features.answer(request, asking).await });
        // The first step is done here, before the next request is heard: questions come into the inbox in the order
        // in which they were asked, and what is too much is answered without a task, however tasks are scheduled.
        if (&mut work).now_or_never().is_none() {
            self.0.tasks.spawn(work.in_current_span());
        }
    }

    async fn answer(&self, request: ServerRequest, asking: AcceptedRequest) {
        match request {
            ServerRequest::ElicitForm(form) => form::elicit(self, asking, &form).await,
            ServerRequest::ElicitUrl(page) => url::page(self, asking, page).await,
            ServerRequest::ListRoots => roots::roots(self, asking).await,
            ServerRequest::CreateMessage(params) => {
                sampling::request::sample(self, asking, params.as_raw()).await;
            }
        }
    }

    /// Lets everything that waits be answered, for as long as that takes within reason.
    pub async fn close(&self) {
        self.0.closing.cancel();
        self.0.tasks.close();
        if tokio::time::timeout(LAST_WORDS, self.0.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("left requests of servers unanswered at shutdown");
        }
    }

    /// Runs `work` until its answer is no longer needed. Its future is dropped then, which withdraws the
    /// question it asks.
    async fn while_wanted<T>(&self, asking: &AcceptedRequest, work: impl Future<Output = T>) -> Wanted<T> {
        tokio::select! {
            biased;
            done = work => Wanted::Done(done),
            () = asking.reply.cancelled() => Wanted::Withdrawn,
            () = call_over(asking.context.as_ref()) => Wanted::Over,
            () = self.0.closing.cancelled() => Wanted::Over,
        }
    }

    /// Waits until no other request of this server is dealt with; for those of which one at a time is enough.
    async fn turn_of(&self, server: ServerId) -> OwnedMutexGuard<u64> {
        let turn = {
            let mut turns = self.0.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.entry(server).or_default().clone()
        };
        turn.lock_owned().await
    }
}

/// A request that gets an answer of its own, with what it takes to answer it.
fn accept(
    server: ServerHandle,
    incoming: IncomingRequest,
    slot: RequestSlot,
) -> (ServerRequest, AcceptedRequest) {
    let asking = AcceptedRequest {
        face: server.face(),
        server,
        context: incoming.context,
        session_over: incoming.session_over,
        reply: incoming.reply,
        _hold: incoming.session.pause_timeouts(),
        session: incoming.session,
        _slot: slot,
    };
    (incoming.request, asking)
}

/// Waits until the call is over. Without one it waits forever.
async fn call_over(context: Option<&CallContext>) {
    match context {
        Some(context) => context.over().await,
        None => std::future::pending().await,
    }
}

/// What requests of a kind are counted as, and what the ledger calls them.
fn counted_as(kind: ServerRequestKind) -> (vestibule_policy::RequestKind, &'static str) {
    use vestibule_policy::RequestKind;
    match kind {
        ServerRequestKind::Form => (RequestKind::Form, "form.send"),
        ServerRequestKind::Page => (RequestKind::Page, "page.open"),
        ServerRequestKind::Roots => (RequestKind::Roots, "roots.share"),
        ServerRequestKind::Sampling => (RequestKind::Sampling, "sampling.run"),
    }
}
