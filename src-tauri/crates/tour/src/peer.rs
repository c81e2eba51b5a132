//! The way to the client: notifications, and requests that wait for an answer.
//!
//! A request is parked with a guard. When the caller is dropped (the call was cancelled, the server ends) or has
//! waited too long, the guard forgets the request and cancels it at the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::rpc;

/// How long a user may think about what this server asks.
const PATIENCE: Duration = Duration::from_secs(600);
/// The most questions that wait at once.
const MOST_WAITING: usize = 64;

type PeerAnswer = Result<Value, Value>;

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The client answered with an error; its message.
    Refused(String),
    /// No answer came in time.
    TimedOut,
    /// The connection is over, or too many questions wait already.
    Gone,
}

/// A cheap handle; all clones speak to the same client.
#[derive(Clone)]
pub(crate) struct Peer {
    outbox: mpsc::Sender<Value>,
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<PeerAnswer>>>>,
    next: Arc<AtomicU64>,
}

impl Peer {
    pub(crate) fn new(outbox: mpsc::Sender<Value>) -> Self {
        Self {
            outbox,
            waiting: Arc::default(),
            next: Arc::new(AtomicU64::new(1)),
        }
    }

    /// Sends a message as it is. It is dropped when the client is gone.
    pub(crate) async fn send(&self, message: Value) {
        let _ = self.outbox.send(message).await;
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.send(rpc::notification(method, &params)).await;
    }

    /// Asks the client and waits for its answer.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Result<Value, NoAnswer> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        {
            let mut waiting = self.waiting();
            if waiting.len() >= MOST_WAITING {
                return Err(NoAnswer::Gone);
            }
            waiting.insert(id, answer);
        }
        let parked = PendingReply { peer: self, id };
        self.send(rpc::request(id, method, &params)).await;
        let answer = tokio::time::timeout(PATIENCE, answered).await;
        drop(parked);
        match answer {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error))) => Err(NoAnswer::Refused(message(&error))),
            Ok(Err(_)) => Err(NoAnswer::Gone),
            Err(_) => Err(NoAnswer::TimedOut),
        }
    }

    /// Hands an answer to its caller. An answer without a caller is ignored.
    pub(crate) fn answered(&self, id: &Value, answer: PeerAnswer) {
        let waiter = id.as_u64().and_then(|id| self.waiting().remove(&id));
        if let Some(waiter) = waiter {
            // The waiter may have been dropped this very moment; then its guard has nothing left to withdraw.
            let _ = waiter.send(answer);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<PeerAnswer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct PendingReply<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for PendingReply<'_> {
    fn drop(&mut self) {
        if self.peer.waiting().remove(&self.id).is_some() {
            let params = json!({ "requestId": self.id, "reason": "the request was cancelled by the client" });
            // A full outbox means a client that reads nothing: it would not read this either.
            let _ = self
                .peer
                .outbox
                .try_send(rpc::notification("notifications/cancelled", &params));
        }
    }
}

fn message(error: &Value) -> String {
    let text = error["message"].as_str().unwrap_or("no reason given");
    text.chars().take(300).collect()
}
