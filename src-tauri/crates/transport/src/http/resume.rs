//! Where a stream was, so that it can be resumed after it broke off: the last event's id, the pause that the server
//! asked for (`retry`), and which ids were seen before. It also says when to give up: a server that polls on purpose may
//! do so for as long as a caller waits, one that only fails may not.

use std::collections::VecDeque;
use std::time::Duration;

use sse_stream::Sse;
use vestibule_egress::StatusCode;
use vestibule_egress::header::HeaderValue;

use super::HttpLimits;

/// The longest id that is sent back, in bytes.
const MAX_ID_BYTES: usize = 1024;
/// How many ids are remembered.
const MAX_SEEN: usize = 256;
/// However little the server asks for, this much time passes before it is asked again.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// However much it asks for, it is asked again after this.
const MAX_RETRY: Duration = Duration::from_secs(3600);
/// The longest pause of our own choosing.
const MAX_PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(super) struct ResumeState {
    last: Option<HeaderValue>,
    retry: Option<Duration>,
    /// Ids of events with a message, oldest first.
    seen: VecDeque<String>,
    /// Of these, how many came before the stream was last taken up.
    before: usize,
    /// Attempts in a row that brought nothing.
    fruitless: u32,
}

impl ResumeState {
    /// Takes note of an event. False when its message was seen before the stream was taken up.
    pub(super) fn admit(&mut self, event: &Sse) -> bool {
        self.fruitless = 0;
        if let Some(retry) = event.retry {
            self.retry = Some(Duration::from_millis(retry).clamp(MIN_PAUSE, MAX_RETRY));
        }
        let Some(id) = &event.id else { return true };
        let fits = !id.is_empty() && id.len() <= MAX_ID_BYTES;
        // An id that no header can carry is as good as none.
        self.last = HeaderValue::from_bytes(id.as_bytes()).ok().filter(|_| fits);
        if !fits || event.data.as_ref().is_none_or(String::is_empty) {
            return true;
        }
        if self.seen.iter().take(self.before).any(|seen| seen == id) {
            return false;
        }
        self.remember(id.clone());
        true
    }

    /// Remembers an id, in place of the oldest one when there are too many.
    fn remember(&mut self, id: String) {
        if self.seen.len() == MAX_SEEN {
            self.seen.pop_front();
            self.before = self.before.saturating_sub(1);
        }
        self.seen.push_back(id);
    }

    /// What to send as `Last-Event-ID`.
    pub(super) fn last_event_id(&self) -> Option<HeaderValue> {
        self.last.clone()
    }

    /// Forgets the last event, so that the stream is opened without it. A server that no longer has it may give the same ids
    /// to other messages. False when there was no id to send.
    pub(super) fn forget(&mut self) -> bool {
        self.seen.clear();
        self.before = 0;
        self.last.take().is_some()
    }

    /// How long to wait before the stream is taken up; `None` when that has come to nothing too often.
    pub(super) fn pause(&self, limits: &HttpLimits) -> Option<Duration> {
        if self.fruitless >= limits.attempts {
            return None;
        }
        let doubled = limits.first_pause.saturating_mul(1 << self.fruitless.min(16));
        let own = doubled.min(MAX_PAUSE);
        // After a failure the server's pause is the shortest allowed, not the longest.
        Some(match self.retry {
            Some(retry) if self.fruitless == 0 => retry,
            Some(retry) => retry.max(own),
            None => own,
        })
    }

    /// The stream was taken up. Unless the server polls on purpose, that counts only once it brings something.
    pub(super) fn resumed(&mut self) {
        self.before = self.seen.len();
        if self.retry.is_none() {
            self.fruitless += 1;
        } else {
            self.fruitless = 0;
        }
    }

    /// It could not be taken up.
    pub(super) fn failed(&mut self) {
        self.fruitless += 1;
    }
}

/// Whether a stream may be resumed later although the server refused it with this status now. The TypeScript SDK answers
/// 409 until it notices that the old stream is gone.
pub(super) fn is_temporary(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::REQUEST_TIMEOUT
            | StatusCode::CONFLICT
            | StatusCode::TOO_EARLY
            | StatusCode::TOO_MANY_REQUESTS
    )
}

/// Whether a stream that the server offered before may be resumed later although it refused the authorization now: the
/// authorization is read for each request, and another request may have replaced a token that ran out.
pub(super) fn is_about_token(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str) -> Sse {
        Sse::default().id(id).data("x")
    }

    /// TR-023, TR-026.
    #[test]
    fn the_last_id_is_kept_also_from_an_event_without_a_message() {
        let mut resume = ResumeState::default();
        assert!(resume.admit(&Sse::default().id("prime").data("")));
        assert_eq!(resume.last_event_id().unwrap(), "prime");
        assert!(resume.admit(&Sse::default().data("without an id")));
        assert_eq!(resume.last_event_id().unwrap(), "prime");
        resume.admit(&Sse::default().id("").data("reset"));
        assert_eq!(resume.last_event_id(), None);
    }

    #[test]
    fn an_id_that_could_break_out_of_a_header_is_none() {
        let long = "x".repeat(MAX_ID_BYTES + 1);
        for id in ["a\u{1}b", "a\u{7f}", "a\rb", "a\nb: c", &long] {
            let mut resume = ResumeState::default();
            resume.admit(&event(id));
            assert_eq!(resume.last_event_id(), None, "{id:?}");
        }
        let mut resume = ResumeState::default();
        resume.admit(&event("gr\u{fc}n"));
        assert_eq!(resume.last_event_id().unwrap().as_bytes(), "gr\u{fc}n".as_bytes());
    }

    /// TR-027.
    #[test]
    fn what_is_repeated_after_the_stream_was_taken_up_is_passed_over() {
        let mut resume = ResumeState::default();
        assert!(resume.admit(&event("1")));
        assert!(
            resume.admit(&event("1")),
            "within one stream an id proves nothing"
        );
        assert!(resume.admit(&event("2")));
        resume.resumed();
        assert!(!resume.admit(&event("2")));
        assert!(resume.admit(&event("3")));
        for n in 0..2 * MAX_SEEN {
            resume.admit(&event(&format!("more {n}")));
        }
        assert!(resume.seen.len() <= MAX_SEEN);
    }

    /// TR-025.
    #[test]
    fn the_servers_wish_is_obeyed_and_our_own_pauses_grow_until_we_give_up() {
        let limits = HttpLimits {
            attempts: 4,
            first_pause: Duration::from_secs(1),
            ..HttpLimits::default()
        };
        let mut resume = ResumeState::default();
        let mut pauses = Vec::new();
        while let Some(pause) = resume.pause(&limits) {
            pauses.push(pause.as_secs());
            resume.failed();
        }
        assert_eq!(pauses, [1, 2, 4, 8]);
        resume.admit(&Sse::default().retry(500));
        assert_eq!(resume.pause(&limits), Some(Duration::from_millis(500)));
        for _ in 0..100 {
            resume.resumed();
            assert_eq!(
                resume.pause(&limits),
                Some(Duration::from_millis(500)),
                "it polls on purpose"
            );
        }
        resume.failed();
        assert_eq!(resume.pause(&limits), Some(Duration::from_secs(2)));
        resume.admit(&Sse::default().retry(0));
        assert_eq!(resume.pause(&limits), Some(MIN_PAUSE));
        resume.admit(&Sse::default().retry(u64::MAX));
        assert_eq!(resume.pause(&limits), Some(MAX_RETRY));
    }
}
