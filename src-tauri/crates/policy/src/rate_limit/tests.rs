//! What a server that asks too often gets, on a clock the test moves.

use jiff::ToSpan;

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + seconds.seconds()
}

fn paces() -> RateLimiter {
    RateLimiter::new(|_| RateLimit {
        burst: 3,
        per_minute: 6,
    })
}

fn forms_of(server: ServerId, until: Option<Timestamp>) -> Muted {
    let asking = RequestKind::Form;
    Muted {
        server,
        asking,
        until,
    }
}

fn flood(asked: u32, first: bool) -> RateVerdict {
    RateVerdict::Flood { asked, first }
}

/// EF-009, SA-023.
#[test]
fn a_server_that_asks_without_end_is_a_flood_told_once() {
    let (mut limiter, server) = (paces(), ServerId::new());
    let mut ask = |seconds| limiter.count_request(server, RequestKind::Form, at(seconds));
    assert_eq!([ask(0), ask(0), ask(0)], [RateVerdict::WithinLimit; 3]);
    assert_eq!([ask(0), ask(1)], [flood(4, true), flood(5, false)]);
    assert_eq!(ask(10), RateVerdict::WithinLimit, "one more each ten seconds");
    assert_eq!(ask(11), flood(7, false));
    assert_eq!(
        ask(60),
        RateVerdict::WithinLimit,
        "what was asked a minute ago is forgotten"
    );
    assert_eq!(
        [ask(60), ask(60), ask(60)],
        [RateVerdict::WithinLimit, RateVerdict::WithinLimit, flood(7, true)]
    );
}

#[test]
fn the_questions_of_the_last_minute_are_counted_for_each_kind() {
    let (mut limiter, server) = (paces(), ServerId::new());
    for seconds in [0, 50, 55, 61] {
        limiter.count_request(server, RequestKind::Form, at(seconds));
    }
    assert_eq!(limiter.recent_count(server, RequestKind::Form), 3);
    assert_eq!(limiter.recent_count(server, RequestKind::Page), 0);
    assert_eq!(limiter.recent_count(ServerId::new(), RequestKind::Form), 0);
}

#[test]
fn each_server_and_each_kind_is_counted_for_itself() {
    let (mut limiter, server) = (paces(), ServerId::new());
    for _ in 0..4 {
        limiter.count_request(server, RequestKind::Form, at(0));
    }
    assert_eq!(
        limiter.count_request(server, RequestKind::Page, at(0)),
        RateVerdict::WithinLimit
    );
    assert_eq!(
        limiter.count_request(ServerId::new(), RequestKind::Form, at(0)),
        RateVerdict::WithinLimit
    );
    limiter.forget(server);
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(0)),
        RateVerdict::WithinLimit
    );
}

#[test]
fn a_clock_set_back_refills_nothing() {
    let (mut limiter, server) = (paces(), ServerId::new());
    for _ in 0..3 {
        limiter.count_request(server, RequestKind::Form, at(100));
    }
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(0)),
        flood(4, true)
    );
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(1)),
        flood(5, false)
    );
}

#[test]
fn what_is_muted_is_not_heard_until_it_is_unmuted() {
    let (mut limiter, server) = (paces(), ServerId::new());
    let muted = forms_of(server, None);
    limiter.mute(muted, at(0));
    assert_eq!(limiter.muted(at(9999)), [muted]);
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(9999)),
        RateVerdict::Muted
    );
    assert_eq!(
        limiter.count_request(server, RequestKind::Page, at(9999)),
        RateVerdict::WithinLimit
    );
    limiter.unmute(server, RequestKind::Form);
    assert_eq!(limiter.muted(at(9999)), []);
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(9999)),
        RateVerdict::WithinLimit
    );
}

#[test]
fn what_is_muted_for_a_time_is_heard_when_the_time_is_over() {
    let (mut limiter, server) = (paces(), ServerId::new());
    limiter.mute(forms_of(server, Some(at(600))), at(0));
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(599)),
        RateVerdict::Muted
    );
    assert_eq!(limiter.muted(at(599)), [forms_of(server, Some(at(600)))]);
    assert_eq!(limiter.muted(at(600)), []);
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(600)),
        RateVerdict::WithinLimit
    );
}

#[test]
fn no_number_of_servers_takes_more_memory() {
    let mut limiter = paces();
    let muted = ServerId::new();
    limiter.mute(forms_of(muted, None), at(0));
    for _ in 1..MOST_KEPT {
        assert_eq!(
            limiter.count_request(ServerId::new(), RequestKind::Form, at(0)),
            RateVerdict::WithinLimit
        );
    }
    let late = ServerId::new();
    assert_eq!(
        limiter.count_request(late, RequestKind::Form, at(0)),
        flood(COUNTED, false)
    );
    assert_eq!(limiter.counts.len(), MOST_KEPT);
    assert_eq!(
        limiter.count_request(late, RequestKind::Form, at(10)),
        RateVerdict::WithinLimit,
        "the calm ones gave their places back"
    );
    assert_eq!(limiter.counts.len(), 2);
    assert_eq!(limiter.muted(at(10)), [forms_of(muted, None)]);
}

#[test]
fn no_number_of_questions_takes_more_memory() {
    let (mut limiter, server) = (paces(), ServerId::new());
    let mut last = RateVerdict::WithinLimit;
    for _ in 0..2 * COUNTED {
        last = limiter.count_request(server, RequestKind::Form, at(0));
    }
    assert_eq!(last, flood(COUNTED, false));
}

/// The user sees the count of a minute, so no request is missing from it.
#[test]
fn what_another_server_asks_does_not_shorten_the_count_of_a_minute() {
    let (mut limiter, server) = (paces(), ServerId::new());
    for _ in 0..3 {
        limiter.count_request(server, RequestKind::Form, at(0));
    }
    limiter.count_request(ServerId::new(), RequestKind::Form, at(30));
    for _ in 0..3 {
        assert_eq!(
            limiter.count_request(server, RequestKind::Form, at(30)),
            RateVerdict::WithinLimit
        );
    }
    assert_eq!(
        limiter.count_request(server, RequestKind::Form, at(30)),
        flood(7, true)
    );
}

#[test]
fn a_server_that_was_quiet_for_long_may_ask_as_at_first() {
    let limit = |_| RateLimit {
        burst: 3,
        per_minute: 1,
    };
    let (mut limiter, server) = (RateLimiter::new(limit), ServerId::new());
    let mut ask = |minutes: i64| limiter.count_request(server, RequestKind::Form, at(60 * minutes));
    for _ in 0..3 {
        assert_eq!(ask(0), RateVerdict::WithinLimit);
    }
    assert_eq!([ask(0), ask(1)], [flood(4, true), RateVerdict::WithinLimit]);
    assert_eq!(ask(1), flood(2, false));
    assert_eq!([ask(4), ask(4), ask(4)], [RateVerdict::WithinLimit; 3]);
    assert_eq!(ask(4), flood(4, true));
}
