//! Telling the host without ever waiting for it. A host that is behind loses log lines first, which are
//! counted; announcements of change are kept and merged. Requests wait for room in the order in which they came,
//! within a bound; one beyond it is answered "not now" at once and counted, because an answer must come either way
//! and must not depend on when the host takes its events.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use vestibule_transport::CloseReason;

use crate::demand::SignInDemand;
use crate::event::{ServerRequest, ServerRequestKind, SessionEvent};
use crate::options::SessionLimits;
use crate::responder::Responder;

/// How many changed resources are remembered one by one.
const MAX_UPDATED: usize = 256;
/// How many bytes of requests wait for room. One alone waits whatever its size.
const MAX_REQUEST_BYTES: usize = 32 * 1024 * 1024;
const SECOND: Duration = Duration::from_secs(1);

pub(super) struct Announcer {
    events: mpsc::Sender<SessionEvent>,
    lines_per_second: u32,
    lines_left: u32,
    window: Instant,
    /// Lines not handed on since the last one that was.
    left_out: u64,
    /// Requests that wait for room, oldest first.
    requests: VecDeque<(ServerRequest, Responder)>,
    /// The most of them.
    max_requests: usize,
    /// How many bytes they hold.
    request_bytes: usize,
    /// Requests that were answered without being handed on, and are not told of yet.
    turned_away: BTreeMap<ServerRequestKind, u32>,
    tools_changed: bool,
    resources_changed: bool,
    prompts_changed: bool,
    updated: BTreeSet<String>,
    /// Visits that are over; bounded by those that were asked for.
    completed: VecDeque<String>,
    /// Demands to sign in; as many as requests at most.
    demands: VecDeque<SignInDemand>,
}

impl Announcer {
    pub(super) fn new(events: mpsc::Sender<SessionEvent>, limits: &SessionLimits) -> Self {
        Self {
            events,
            lines_per_second: limits.lines_per_second,
            lines_left: limits.lines_per_second,
            window: Instant::now(),
            left_out: 0,
            requests: VecDeque::new(),
            max_requests: limits.server_requests,
            request_bytes: 0,
            turned_away: BTreeMap::new(),
            tools_changed: false,
            resources_changed: false,
            prompts_changed: false,
            updated: BTreeSet::new(),
            completed: VecDeque::new(),
            demands: VecDeque::new(),
        }
    }

    /// Something for the server's log, if there is room and time for it.
    pub(super) fn line(&mut self, event: SessionEvent) {
        if self.window.elapsed() >= SECOND {
            self.window = Instant::now();
            self.lines_left = self.lines_per_second;
        }
        // Lines leave some of the queue to what matters more.
        let has_room = self.events.capacity() > self.events.max_capacity() / 4;
        if self.lines_left == 0 || !has_room {
            self.left_out += 1;
            return;
        }
        self.lines_left -= 1;
        self.tell_of_left_out();
        if self.events.try_send(event).is_err() {
            self.left_out += 1;
        }
    }

    /// Says how many lines were left out, if any were and there is room.
    fn tell_of_left_out(&mut self) {
        if self.left_out == 0 {
            return;
        }
        let signal = format!("{} lines before this one were left out", self.left_out);
        if self.events.try_send(SessionEvent::Oddity(signal)).is_ok() {
            self.left_out = 0;
        }
    }

    pub(super) fn oddity(&mut self, what: impl Into<String>) {
        self.line(SessionEvent::Oddity(what.into()));
    }

    /// A request of the server.
    pub(super) fn request(&mut self, request: ServerRequest, reply: Responder) {
        let bytes = request.bytes();
        if self.is_full_for(bytes) {
            self.requests.retain(|(_, reply)| !reply.is_cancelled());
            self.request_bytes = self.requests.iter().map(|(request, _)| request.bytes()).sum();
        }
        if self.is_full_for(bytes) {
            return self.turn_away(request.kind(), reply);
        }
        self.request_bytes += bytes;
        self.requests.push_back((request, reply));
        self.deliver();
    }

    fn is_full_for(&self, bytes: usize) -> bool {
        self.requests.len() >= self.max_requests
            || !self.requests.is_empty() && self.request_bytes + bytes > MAX_REQUEST_BYTES
    }

    /// Answers a request that is one too many, and counts it for the host.
    pub(super) fn turn_away(&mut self, kind: ServerRequestKind, reply: Responder) {
        kind.answer_not_now(reply);
        *self.turned_away.entry(kind).or_default() += 1;
        self.deliver();
    }

    pub(super) fn tools_changed(&mut self) {
        self.tools_changed = true;
        self.deliver();
    }

    pub(super) fn resources_changed(&mut self) {
        self.resources_changed = true;
        self.deliver();
    }

    pub(super) fn prompts_changed(&mut self) {
        self.prompts_changed = true;
        self.deliver();
    }

    pub(super) fn resource_updated(&mut self, uri: String) {
        if self.updated.len() == MAX_UPDATED {
            // Too many to name; looking at all of them again includes these.
            self.updated.clear();
            self.resources_changed = true;
        }
        self.updated.insert(uri);
        self.deliver();
    }

    /// A visit is over.
    pub(super) fn completed(&mut self, elicitation_id: String) {
        self.completed.push_back(elicitation_id);
        self.deliver();
    }

    /// The server demands a sign-in. One demand too many is dropped, as one that was not settled.
    pub(super) fn demand(&mut self, demand: SignInDemand) {
        if self.demands.len() < self.max_requests {
            self.demands.push_back(demand);
        }
        self.deliver();
    }

    /// Whether requests or changes wait for room.
    pub(super) fn has_backlog(&self) -> bool {
        !self.requests.is_empty()
            || !self.turned_away.is_empty()
            || self.tools_changed
            || self.resources_changed
            || self.prompts_changed
            || !self.updated.is_empty()
            || !self.completed.is_empty()
            || !self.demands.is_empty()
    }

    /// Waits for room and uses it.
    pub(super) async fn room(&mut self) {
        // An error means that there is no receiver; delivering then drops the rest.
        drop(self.events.reserve().await);
        self.deliver();
    }

    /// The last event. The only one that is waited for, because nothing comes after it.
    pub(super) async fn closed(mut self, reason: CloseReason) {
        // The server is gone, so they get no answer.
        self.requests.clear();
        self.demands.clear();
        while self.has_backlog() {
            self.room().await;
        }
        // A host that stopped listening knows.
        let _ = self.events.send(SessionEvent::Closed(reason)).await;
    }

    fn deliver(&mut self) {
        self.deliver_requests();
        self.deliver_list_changes();
        self.deliver_updates();
        self.deliver_completed();
        self.deliver_demands();
        if self.events.is_closed() {
            self.forget();
        }
    }

    fn deliver_list_changes(&mut self) {
        let events = &self.events;
        let send = |waits: &mut bool, event: SessionEvent| {
            if *waits {
                *waits = events.try_send(event).is_err();
            }
        };
        send(&mut self.tools_changed, SessionEvent::ToolsChanged);
        send(&mut self.resources_changed, SessionEvent::ResourcesChanged);
        send(&mut self.prompts_changed, SessionEvent::PromptsChanged);
    }

    fn deliver_updates(&mut self) {
        while let Some(uri) = self.updated.pop_first() {
            if let Err(mpsc::error::TrySendError::Full(SessionEvent::ResourceUpdated { uri })) =
                self.events.try_send(SessionEvent::ResourceUpdated { uri })
            {
                self.updated.insert(uri);
                break;
            }
        }
    }

    fn deliver_completed(&mut self) {
        while let Some(elicitation_id) = self.completed.pop_front() {
            if let Err(mpsc::error::TrySendError::Full(SessionEvent::ElicitationComplete {
                elicitation_id,
            })) = self
                .events
                .try_send(SessionEvent::ElicitationComplete { elicitation_id })
            {
                self.completed.push_front(elicitation_id);
                break;
            }
        }
    }

    fn deliver_demands(&mut self) {
        while !self.demands.is_empty()
            && let Ok(place) = self.events.try_reserve()
            && let Some(demand) = self.demands.pop_front()
        {
            place.send(SessionEvent::Demand(demand));
        }
    }

    /// Hands on requests in their order, and after them how many others there were: the host counts each kind in the
    /// order in which it was asked.
    fn deliver_requests(&mut self) {
        while !self.requests.is_empty()
            && let Ok(place) = self.events.try_reserve()
            && let Some((request, reply)) = self.requests.pop_front()
        {
            self.request_bytes -= request.bytes();
            place.send(SessionEvent::Request { request, reply });
        }
        while self.requests.is_empty()
            && !self.turned_away.is_empty()
            && let Ok(place) = self.events.try_reserve()
            && let Some((kind, times)) = self.turned_away.pop_first()
        {
            place.send(SessionEvent::TurnedAway { kind, times });
        }
    }

    fn forget(&mut self) {
        for (request, reply) in self.requests.drain(..) {
            request.kind().answer_not_now(reply);
        }
        self.request_bytes = 0;
        self.turned_away.clear();
        self.tools_changed = false;
        self.resources_changed = false;
        self.prompts_changed = false;
        self.updated.clear();
        self.completed.clear();
        self.demands.clear();
    }
}
