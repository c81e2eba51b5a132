//! What a modern server tells of changes: one request that stays open, under whose id the changes come. When
//! other changes are wanted a second request takes its place and the first is given up once the second is
//! acknowledged, so that nothing is missed between. When the request ends although it is still wanted, it is
//! made again after a growing pause, and everything is announced as changed, because it is not known what was
//! missed. Resources watched in a session are forgotten with it: the next session subscribes to them again.

mod acknowledged;

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_protocol::modern::SubscriptionFilter;
use vestibule_transport::{Outgoing, OutgoingKind};

use super::Engine;
use super::inbound::{Cancelled, brief, read_params};
use super::pending::CancelNotice;
use crate::ask::standalone;
use crate::error::CallError;
use crate::message::ResourceWatch;

const LISTEN: &str = "subscriptions/listen";
/// The pause before the first renewal; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

pub(super) struct Subscriptions {
    ids: Arc<AtomicI64>,
    wanted: SubscriptionFilter,
    /// At most two: the one in use, and the one that takes its place.
    streams: Vec<Stream>,
    watches: Vec<ResourceWatch>,
    renew_at: Option<Instant>,
    failures: u32,
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
    pub(super) fn new(ids: Arc<AtomicI64>) -> Self {
        Self {
            ids,
            wanted: SubscriptionFilter::default(),
            streams: Vec::new(),
            watches: Vec::new(),
            renew_at: None,
            failures: 0,
            missed: false,
        }
    }

    /// An id that was never given.
    pub(super) fn fresh_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

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

    /// The pause before the next renewal: growing, and not the same for everybody.
    fn pause(&self) -> Duration {
        let doubled = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16));
        let pause = doubled.min(LONGEST_PAUSE);
        let chance = u32::from(RandomState::new().hash_one(0_u8).to_le_bytes()[0]);
        pause + pause * chance / (4 * 256)
    }
}

impl Engine {
    /// The session is open: from now on these changes are wanted.
    pub(super) fn listen_for(&mut self, changes: SubscriptionFilter) {
        self.listening.wanted = changes;
        self.listen();
    }

    pub(super) fn watch(&mut self, watch: ResourceWatch) {
        let wanted = &mut self.listening.wanted.resource_subscriptions;
        if !wanted.contains(&watch.uri) && wanted.len() >= self.options.limits.watched {
            let reason = format!("{} resources are watched already", wanted.len());
            let _ = watch.reply.send(Err(CallError::NotSendable(reason)));
            return;
        }
        let is_new = wanted.insert(watch.uri.clone());
        let heard = !is_new
            && self.listening.streams.iter().any(|stream| {
                stream.acknowledged && stream.filter.resource_subscriptions.contains(&watch.uri)
            });
        if heard {
            let _ = watch.reply.send(Ok(()));
            return;
        }
        self.listening.watches.push(watch);
        self.listen();
    }

    pub(super) fn unwatch(&mut self, uri: &str) {
        self.listening.wanted.resource_subscriptions.remove(uri);
        self.listening.watches.retain(|watch| watch.uri != uri);
        self.listen();
    }

    /// Makes what is asked for what is wanted, unless something about it is under way.
    fn listen(&mut self) {
        if self.listening.renew_at.is_some() || self.listening.awaits_acknowledgement() {
            return;
        }
        if self.listening.wanted.is_empty() {
            return self.end_streams_before(i64::MAX);
        }
        let wanted = self.listening.wanted.clone();
        if self
            .listening
            .streams
            .last()
            .is_none_or(|stream| stream.filter != wanted)
        {
            self.open_stream(wanted);
        }
    }

    fn open_stream(&mut self, filter: SubscriptionFilter) {
        let id = self.listening.fresh_id();
        let sent = self
            .listening_request(id, &filter)
            .map(|outgoing| self.transport.send(outgoing));
        match sent {
            Some(Ok(())) => {
                let patience = Instant::now() + self.options.call_timeout;
                self.listening.streams.push(Stream {
                    id,
                    filter,
                    acknowledged: false,
                    patience,
                });
                self.wake_by(patience);
            }
            // Too much waits to be read, or the end is near.
            Some(Err(_)) => self.renew_later(),
            None => {}
        }
    }

    fn listening_request(&self, id: i64, filter: &SubscriptionFilter) -> Option<Outgoing> {
        #[derive(Serialize)]
        struct Notifications<'a> {
            notifications: &'a SubscriptionFilter,
        }
        let own = Notifications {
            notifications: filter,
        };
        let wire = self.transport.wire();
        let (frame, headers) =
            standalone(id, LISTEN, Some(&own), self.revision?, &self.options, wire).ok()?;
        let kind = OutgoingKind::Request {
            id: RequestId::Number(id),
            method: LISTEN.into(),
            opening: false,
            headers,
        };
        Some(Outgoing { frame, kind })
    }

    /// A stream takes over.
    fn in_use(&mut self, id: i64) {
        self.listening.failures = 0;
        self.end_streams_before(id);
        if std::mem::take(&mut self.listening.missed) {
            self.announce_everything();
        }
        self.listen();
    }

    fn end_streams_before(&mut self, id: i64) {
        let ended: Vec<i64> = self
            .listening
            .streams
            .extract_if(.., |stream| stream.id < id)
            .map(|stream| stream.id)
            .collect();
        for id in ended {
            self.pending.remember(id);
            self.give_up(id, CancelNotice::Message, "these changes are no longer wanted");
        }
    }

    /// The server ends a subscription by naming it; nothing else of ours it may cancel.
    pub(super) fn on_listening_cancelled(&mut self, params: Option<&RawValue>) {
        if let Some(Cancelled {
            request_id: RequestId::Number(id),
        }) = read_params(params)
            && self.listening.owns(id)
        {
            // It may send the result as well.
            self.pending.remember(id);
            self.on_listening_ended(id, Ok(()));
        }
    }

    /// A listening request has ended without being cancelled.
    pub(super) fn on_listening_ended(&mut self, id: i64, outcome: Result<(), CallError>) {
        let Some(at) = self.listening.streams.iter().position(|stream| stream.id == id) else {
            return;
        };
        let stream = self.listening.streams.remove(at);
        match outcome {
            Err(error) if !stream.acknowledged && is_refusal(&error) => self.on_refused(&stream, &error),
            // Another one is in use or about to be.
            _ if !self.listening.streams.is_empty() => self.listen(),
            _ => {
                self.listening.missed = true;
                self.renew_later();
            }
        }
    }

    /// A server that does not want to be listened to is left alone until something else is wanted.
    fn on_refused(&mut self, stream: &Stream, error: &CallError) {
        self.announcer.oddity(format!(
            "the server will not tell of changes: {}",
            brief(&error.to_string())
        ));
        let before = self.listening.streams.last().map(|stream| stream.filter.clone());
        self.listening.wanted = before.unwrap_or_default();
        self.listening
            .settle(&stream.filter.resource_subscriptions, |_| Err(error.clone()));
    }

    fn renew_later(&mut self) {
        let at = Instant::now() + self.listening.pause();
        self.listening.failures = self.listening.failures.saturating_add(1);
        self.listening.renew_at = Some(at);
        self.wake_by(at);
    }

    pub(super) fn on_listening_due(&mut self) {
        let now = Instant::now();
        if self.listening.renew_at.is_some_and(|at| at <= now) {
            self.listening.renew_at = None;
            self.listen();
        }
        let overdue = |stream: &&mut Stream| !stream.acknowledged && stream.patience <= now;
        if let Some(stream) = self.listening.streams.iter_mut().find(overdue) {
            // It may tell of changes all the same.
            stream.acknowledged = true;
            let id = stream.id;
            self.announcer
                .oddity("the server did not say whether it will tell of changes");
            self.in_use(id);
        }
    }
}

/// An answer that says no, in contrast to one that was lost.
fn is_refusal(error: &CallError) -> bool {
    match error {
        CallError::Rpc(_) => true,
        CallError::NotAnswered(failure) => failure.status.is_some_and(|status| (300..500).contains(&status)),
        _ => false,
    }
}
