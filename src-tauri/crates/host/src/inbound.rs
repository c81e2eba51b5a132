//! What servers ask of the person: each request becomes a question in the one inbox, in a task of its own, so that
//! nothing here can hold up the connection it came over. Every request gets exactly one answer; one that is not shown
//! because too many wait gets the one its kind has for "not now", whichever limit it met. A question goes when
//! the server takes its request back, when the session ends, or when the call it belongs to is over; closing the
//! application answers "cancel" first and waits until that was said. Only `session` knows how an answer travels.

mod form;
mod load;
mod occasion;
mod page;
mod roots;
mod sample;
mod visits;

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use vestibule_consent::{Cause, EffectOutcome, Gate, Receipt, ServerFace};
use vestibule_protocol::ServerId;
use vestibule_session::{Responder, ServerRequest, ServerRequestKind, SessionHandle, TimeoutPause};

use vestibule_transport::browser::Browser;

use load::Load;
pub(crate) use load::MOST as MOST_UNDER_WAY;
pub(crate) use occasion::{Occasion, Occasions, UnderWay};
pub(crate) use page::{Ended, PageToVisit};
use visits::Visits;

use crate::registry::Registry;

/// How long answers are waited for when the application closes.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The code of a refusal for reasons of our own. The protocol has no better one.
const INTERNAL: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;

/// Where requests of servers are dealt with. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct Inbound(Arc<Shared>);

struct Shared {
    gate: Arc<Gate>,
    tasks: TaskTracker,
    closing: CancellationToken,
    load: Load,
    /// One at a time of each server, where that is enough; with the round in which it was asked last.
    turns: Mutex<HashMap<ServerId, Arc<tokio::sync::Mutex<u64>>>>,
    /// Counts up each time a server's folders were asked about.
    rounds: AtomicU64,
    visits: Visits,
    browser: Browser,
}

/// Who asks, and because of what.
pub(crate) struct Asker {
    pub(crate) face: ServerFace,
    pub(crate) session: SessionHandle,
    pub(crate) registry: Registry,
    /// Is cancelled when the session has ended.
    pub(crate) session_over: CancellationToken,
    /// The one call the server is working on; `None` where there is none, or where it can not be told which.
    pub(crate) occasion: Option<Occasion>,
}

/// A request with everything it takes to answer it. What a server asks stops the clocks of its calls: the time a
/// person takes is not the server's.
struct Asking {
    face: ServerFace,
    session: SessionHandle,
    registry: Registry,
    occasion: Option<Occasion>,
    session_over: CancellationToken,
    reply: Responder,
    _hold: TimeoutPause,
    _place: load::Place,
}

/// What came of work for a server.
enum Wanted<T> {
    Done(T),
    /// Nobody waits for it any more: the request was withdrawn, or the session is over.
    Withdrawn,
    /// What gave occasion to it is over, or the application closes; the server still waits.
    Over,
}

impl Asking {
    /// The place in a chat it comes from.
    fn cause(&self) -> Option<Cause> {
        self.occasion.as_ref().and_then(|occasion| occasion.cause.clone())
    }
}

impl Inbound {
    pub(crate) fn new(gate: Arc<Gate>, browser: Browser) -> Self {
        Self(Arc::new(Shared {
            gate,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            load: Load::default(),
            turns: Mutex::default(),
            rounds: AtomicU64::new(0),
            visits: Visits::default(),
            browser,
        }))
    }

    /// What servers are told that they may ask. Only what is dealt with here.
    pub(crate) fn declared() -> Value {
        json!({
            "roots": { "listChanged": true },
            "sampling": { "tools": {} },
            "elicitation": { "form": {}, "url": {} },
        })
    }

    /// A server says that a visit to a page is over.
    pub(crate) fn visit_complete(&self, server: ServerId, visit: &str) {
        self.0.visits.complete(server, visit);
    }

    /// Counts requests of a server that were answered "not now" without being looked at.
    pub(crate) fn turned_away(&self, server: ServerId, kind: ServerRequestKind, times: u32) {
        let (asking, action) = counted_as(kind);
        self.0.gate.count_turned_away(server, asking, action, times);
    }

    /// Takes a request and returns at once.
    pub(crate) fn take(&self, asker: Asker, request: ServerRequest, reply: Responder) {
        if reply.is_cancelled() {
            // It was withdrawn before it was heard.
            return;
        }
        let kind = request.kind();
        let Some(place) = self.0.load.take(asker.face.id, request.bytes()) else {
            self.turned_away(asker.face.id, kind, 1);
            return kind.answer_not_now(reply);
        };
        let asking = Asking {
            face: asker.face,
            registry: asker.registry,
            occasion: asker.occasion,
            session_over: asker.session_over,
            reply,
            _hold: asker.session.pause_timeouts(),
            session: asker.session,
            _place: place,
        };
        let inbound = self.clone();
        let mut work = Box::pin(async move {
            match request {
                ServerRequest::ElicitForm(form) => inbound.elicit(asking, &form).await,
                ServerRequest::ElicitUrl(page) => inbound.page(asking, page).await,
                ServerRequest::ListRoots => inbound.roots(asking).await,
                ServerRequest::CreateMessage(params) => inbound.sample(asking, &params).await,
            }
        });
        // The first step is done here, before the next request is heard: questions come into the inbox in the order
        // in which they were asked, and what is too much is answered without a task, however tasks are scheduled.
        if (&mut work).now_or_never().is_none() {
            self.0.tasks.spawn(work.in_current_span());
        }
    }

    /// Lets everything that waits be answered, for as long as that takes within reason.
    pub(crate) async fn close(&self) {
        self.0.closing.cancel();
        self.0.tasks.close();
        if tokio::time::timeout(LAST_WORDS, self.0.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("left requests of servers unanswered at shutdown");
        }
    }

    /// Does `work` for as long as somebody wants it. Its future is dropped when nobody does, which withdraws the
    /// question it asks.
    async fn while_wanted<T>(&self, asking: &Asking, work: impl Future<Output = T>) -> Wanted<T> {
        let over = async {
            match &asking.occasion {
                Some(occasion) => occasion.over().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            done = work => Wanted::Done(done),
            () = asking.reply.cancelled() => Wanted::Withdrawn,
            () = over => Wanted::Over,
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

    /// Writes how a permitted answer ended.
    async fn end(&self, receipt: Receipt, outcome: EffectOutcome) {
        if let Err(error) = self.0.gate.record_outcome(receipt, outcome).await {
            tracing::error!(%error, "failed to record a sent answer in the ledger");
        }
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
