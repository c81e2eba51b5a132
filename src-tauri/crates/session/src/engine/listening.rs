//! What a modern server tells of changes: one request that stays open, under whose id the changes come. When
//! other changes are wanted a second request takes its place and the first is given up once the second is
//! acknowledged, so that nothing is missed between. When the request ends although it is still wanted, it is
//! made again after a growing pause, or at once when a caller wants another resource watched; then everything is
//! announced as changed, because it is not known what was missed. Resources watched in a session are forgotten
//! with it: the next session subscribes to them again.

mod acknowledged;

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_protocol::modern::SubscriptionFilter;
use vestibule_transport::{Outgoing, OutgoingKind, RequestFailure};

use super::announce::Announcer;
use super::outbound::Outbound;
use super::params::{Cancelled, brief, read_params};
use super::pending::CancelNotice;
use crate::ask::standalone;
use crate::error::CallError;
use crate::message::ResourceWatch;

const LISTEN: &str = "subscriptions/listen";
/// The pause before the first renewal; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

#[derive(Default)]
pub(super) struct Subscriptions {
    wanted: SubscriptionFilter,
    /// At most two: the one in use, and the one that takes its place.
    streams: Vec<Stream>,
    watches: Vec<ResourceWatch>,
    renew_at: Option<Instant>,
    failures: u32,
    /// The last request was refused, and that was noted.
    refused_for_now: bool,
    /// Changes may have been missed.
    missed: bool,
}

struct Stream {
    id: i64,
    /// What was asked for.
    filter: SubscriptionFilter,
    acknowledged: bool,
    /// Until then an acknowledgement is waited for.
    patience: Instant,
}

impl Subscriptions {
    /// Whether this is the id of a listening request that lasts.
    pub(super) fn owns(&self, id: i64) -> bool {
        self.streams.iter().any(|stream| stream.id == id)
    }

    /// When to look again.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let waits = self.streams.iter().filter(|stream| !stream.acknowledged);
        waits.map(|stream| stream.patience).chain(self.renew_at).min()
    }

    fn awaits_acknowledgement(&self) -> bool {
        self.streams.iter().any(|stream| !stream.acknowledged)
    }

    /// Whether the server has agreed to tell of changes of this resource.
    fn is_watched(&self, uri: &str) -> bool {
        let mut acknowledged = self.streams.iter().filter(|stream| stream.acknowledged);
        acknowledged.any(|stream| stream.filter.resource_subscriptions.contains(uri))
    }

    /// Reports the state of these resources to the waiting callers. Subscriptions without a caller are dropped.
    fn settle(&mut self, concerned: &BTreeSet<String>, outcome: impl Fn(&str) -> Result<(), CallError>) {
        let settled = self
            .watches
            .extract_if(.., |watch| concerned.contains(&watch.uri));
        let (mut heard, mut unheard) = (BTreeSet::new(), BTreeSet::new());
        for watch in settled {
            let outcome = outcome(&watch.uri);
            match watch.reply.send(outcome) {
                Ok(()) => heard.insert(watch.uri),
                Err(_) => unheard.insert(watch.uri),
            };
        }
        for uri in unheard.difference(&heard) {
            self.wanted.resource_subscriptions.remove(uri);
        }
    }

    /// The pause before the next renewal: growing, and different for each client of a server.
    fn pause(&self) -> Duration {
        let doubled = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16));
        let pause = doubled.min(LONGEST_PAUSE);
        let chance = u32::from(RandomState::new().hash_one(0_u8).to_le_bytes()[0]);
        pause + pause * chance / (4 * 256)
    }

    /// The session is open: from now on these changes are wanted.
    pub(super) fn listen_for(&mut self, changes: SubscriptionFilter, outbound: &mut Outbound) {
        self.wanted = changes;
        self.listen(outbound);
    }

    pub(super) fn watch(&mut self, watch: ResourceWatch, outbound: &mut Outbound) {
        let wanted = &mut self.wanted.resource_subscriptions;
        if !wanted.contains(&watch.uri) && wanted.len() >= outbound.options.limits.watched {
            let reason = format!("{} resources are watched already", wanted.len());
            let _ = watch.reply.send(Err(CallError::NotSendable(reason)));
            return;
        }
        let is_new = wanted.insert(watch.uri.clone());
        // A request under way may take the place of one that has the resource, and not have it.
        let is_kept = !is_new || !self.awaits_acknowledgement();
        if is_kept && self.is_watched(&watch.uri) {
            let _ = watch.reply.send(Ok(()));
            return;
        }
        self.watches.push(watch);
        // A caller waits, so its request does not wait for the renewal. A failure makes the next pause longer all the same.
        self.renew_at = None;
        self.listen(outbound);
    }

    pub(super) fn unwatch(&mut self, uri: &str, outbound: &mut Outbound) {
        self.wanted.resource_subscriptions.remove(uri);
        self.watches.retain(|watch| watch.uri != uri);
        self.listen(outbound);
    }

    /// Makes what is asked for what is wanted, unless something about it is under way. A pause delays a new request, but
    /// not the end of the one in use once nothing is wanted.
    fn listen(&mut self, outbound: &mut Outbound) {
        if self.awaits_acknowledgement() {
            return;
        }
        if self.wanted.is_empty() {
            return self.end_streams_before(i64::MAX, outbound);
        }
        if self.renew_at.is_some() {
            return;
        }
        let wanted = self.wanted.clone();
        if self.streams.last().is_none_or(|stream| stream.filter != wanted) {
            self.open_stream(wanted, outbound);
        }
    }

    fn open_stream(&mut self, filter: SubscriptionFilter, outbound: &mut Outbound) {
        let id = outbound.fresh_id();
        let sent = listening_request(id, &filter, outbound).map(|outgoing| outbound.transport.send(outgoing));
        match sent {
            Some(Ok(())) => {
                let patience = Instant::now() + outbound.options.call_timeout;
                self.streams.push(Stream {
                    id,
                    filter,
                    acknowledged: false,
                    patience,
                });
                outbound.wake_by(patience);
            }
            // Too much waits to be read, or the end is near.
            Some(Err(_)) => self.renew_later(outbound),
            None => {}
        }
    }

    /// A stream takes over.
    fn in_use(&mut self, id: i64, outbound: &mut Outbound, announcer: &mut Announcer) {
        self.failures = 0;
        self.refused_for_now = false;
        self.end_streams_before(id, outbound);
        if std::mem::take(&mut self.missed) {
            self.announce_everything(announcer);
        }
        self.listen(outbound);
    }

    fn end_streams_before(&mut self, id: i64, outbound: &mut Outbound) {
        for ended in self.streams.extract_if(.., |stream| stream.id < id) {
            outbound.pending.remember(ended.id);
            outbound.give_up(
                ended.id,
                CancelNotice::Message,
                "these changes are no longer wanted",
            );
        }
    }

    /// The server ends a subscription by naming it; nothing else of ours it may cancel.
    pub(super) fn on_cancelled(
        &mut self,
        params: Option<RawJson<'_>>,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) {
        if let Some(Cancelled {
            request_id: RequestId::Number(id),
        }) = read_params(params)
            && self.owns(id)
        {
            // It may send the result as well.
            outbound.pending.remember(id);
            self.on_ended(id, Ok(()), outbound, announcer);
        }
    }

    /// A listening request has ended without being cancelled.
    pub(super) fn on_ended(
        &mut self,
        id: i64,
        outcome: Result<(), CallError>,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) {
        let Some(at) = self.streams.iter().position(|stream| stream.id == id) else {
            return;
        };
        let stream = self.streams.remove(at);
        if let Err(error) = &outcome
            && !stream.acknowledged
            && is_refusal_for_now(error)
        {
            self.on_refused_for_now(&stream, error, announcer);
        }
        match outcome {
            Err(error) if !stream.acknowledged && is_refusal(&error) => {
                self.on_refused(&stream, &error, outbound, announcer);
            }
            _ if self.streams.is_empty() => {
                self.missed = true;
                self.renew_later(outbound);
            }
            // The one that takes its place is still to be acknowledged; what changes until then is not reported.
            _ if stream.acknowledged => self.missed = true,
            // The one in use stays. A server that ends every new request unacknowledged would otherwise get the next
            // one at once.
            _ => {
                self.renew_later(outbound);
                self.listen(outbound);
            }
        }
    }

    /// A request that the server refused is not made again until something else is wanted.
    fn on_refused(
        &mut self,
        stream: &Stream,
        error: &CallError,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) {
        announcer.oddity(format!(
            "the server will not tell of changes: {}",
            brief(&error.to_string())
        ));
        let before = self.streams.last().map(|stream| stream.filter.clone());
        self.wanted = before.unwrap_or_default();
        self.settle(&stream.filter.resource_subscriptions, |_| Err(error.clone()));
        // The callers that are left came after the request was sent.
        let later = self.watches.iter().map(|watch| watch.uri.clone());
        self.wanted.resource_subscriptions.extend(later);
        self.listen(outbound);
    }

    /// A refused request that is made again after a pause, as one that was lost. Callers get a demand to sign in at once;
    /// any other refusal may pass while they wait.
    fn on_refused_for_now(&mut self, stream: &Stream, error: &CallError, announcer: &mut Announcer) {
        if !std::mem::replace(&mut self.refused_for_now, true) {
            announcer.oddity(format!(
                "the server does not tell of changes for now: {}",
                brief(&error.to_string())
            ));
        }
        if !matches!(error, CallError::NotAnswered(failure) if failure.challenge.is_some()) {
            return;
        }
        let concerned = &stream.filter.resource_subscriptions;
        let waiting = self.watches.iter().map(|watch| watch.uri.clone());
        let refused: BTreeSet<String> = waiting.filter(|uri| concerned.contains(uri)).collect();
        self.settle(&refused, |_| Err(error.clone()));
        self.wanted
            .resource_subscriptions
            .retain(|uri| !refused.contains(uri));
    }

    fn renew_later(&mut self, outbound: &mut Outbound) {
        let at = Instant::now() + self.pause();
        self.failures = self.failures.saturating_add(1);
        self.renew_at = Some(at);
        outbound.wake_by(at);
    }

    pub(super) fn on_due(&mut self, outbound: &mut Outbound, announcer: &mut Announcer) {
        let now = Instant::now();
        if self.renew_at.is_some_and(|at| at <= now) {
            self.renew_at = None;
            self.listen(outbound);
        }
        let overdue = |stream: &&mut Stream| !stream.acknowledged && stream.patience <= now;
        if let Some(stream) = self.streams.iter_mut().find(overdue) {
            // It may tell of changes all the same.
            stream.acknowledged = true;
            let id = stream.id;
            announcer.oddity("the server did not say whether it will tell of changes");
            self.in_use(id, outbound, announcer);
        }
    }
}

fn listening_request(id: i64, filter: &SubscriptionFilter, outbound: &Outbound) -> Option<Outgoing> {
    #[derive(Serialize)]
    struct Notifications<'a> {
        notifications: &'a SubscriptionFilter,
    }
    let own = Notifications {
        notifications: filter,
    };
    let (revision, wire) = (outbound.revision?, outbound.transport.wire());
    let (frame, headers) = standalone(id, LISTEN, Some(&own), revision, &outbound.options, wire).ok()?;
    let kind = OutgoingKind::Request {
        id: RequestId::Number(id),
        method: LISTEN.into(),
        opening: false,
        headers,
    };
    Some(Outgoing { frame, kind })
}

/// What a listening request without an answer ends with. An error of the protocol in the body of a refusal that may pass
/// does not make it a lasting one.
pub(super) fn error_of(failure: RequestFailure) -> CallError {
    if failure.status.is_some_and(may_pass) {
        CallError::NotAnswered(Box::new(failure))
    } else {
        failure.into()
    }
}

/// An answer that says no for as long as the session lasts, in contrast to one that was lost.
fn is_refusal(error: &CallError) -> bool {
    match error {
        CallError::Rpc(_) => true,
        CallError::NotAnswered(failure) => failure
            .status
            .is_some_and(|status| (300..500).contains(&status) && !may_pass(status)),
        _ => false,
    }
}

/// An answer that says no to this request, but perhaps not to the next.
fn is_refusal_for_now(error: &CallError) -> bool {
    matches!(error, CallError::NotAnswered(failure) if failure.status.is_some_and(may_pass))
}

/// Whether the next request may be accepted although this one was refused with this status: a token is renewed meanwhile,
/// and a limit of the rate is over.
fn may_pass(status: u16) -> bool {
    matches!(status, 401 | 403 | 408 | 409 | 425 | 429)
}
