//! What a server that asks too often gets, on a clock the test moves.

use jiff::ToSpan;

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + seconds.seconds()
}

fn paces() -> Paces {
    Paces::new(|_| Limit {
        burst: 3,
        per_minute: 6,
    })
}

fn forms_of(server: ServerId, until: Option<Timestamp>) -> Muted {
    let asking = Asking::Form;
    Muted {
        server,
        asking,
        until,
    }
}

fn flood(asked: u32, first: bool) -> Pace {
    Pace::Flood { asked, first }
}

/// EF-009, SA-023.
#[test]
fn a_server_that_asks_without_end_is_a_flood_told_once() {
    let (mut paces, server) = (paces(), ServerId::new());
    let mut ask = |seconds| paces.count(server, Asking::Form, at(seconds));
    assert_eq!([ask(0), ask(0), ask(0)], [Pace::Calm; 3]);
    assert_eq!([ask(0), ask(1)], [flood(4, true), flood(5, false)]);
    assert_eq!(ask(10), Pace::Calm, "one more each ten seconds");
    assert_eq!(ask(11), flood(7, false));
    assert_eq!(ask(60), Pace::Calm, "what was asked a minute ago is forgotten");
    assert_eq!(
        [ask(60), ask(60), ask(60)],
        [Pace::Calm, Pace::Calm, flood(7, true)]
    );
}

#[test]
fn each_server_and_each_kind_is_counted_for_itself() {
    let (mut paces, server) = (paces(), ServerId::new());
    for _ in 0..4 {
        paces.count(server, Asking::Form, at(0));
    }
    assert_eq!(paces.count(server, Asking::Page, at(0)), Pace::Calm);
    assert_eq!(paces.count(ServerId::new(), Asking::Form, at(0)), Pace::Calm);
    paces.forget(server);
    assert_eq!(paces.count(server, Asking::Form, at(0)), Pace::Calm);
}

#[test]
fn a_clock_set_back_refills_nothing() {
    let (mut paces, server) = (paces(), ServerId::new());
    for _ in 0..3 {
        paces.count(server, Asking::Form, at(100));
    }
    assert_eq!(paces.count(server, Asking::Form, at(0)), flood(4, true));
    assert_eq!(paces.count(server, Asking::Form, at(1)), flood(5, false));
}

#[test]
fn what_is_muted_is_not_heard_until_it_is_unmuted() {
    let (mut paces, server) = (paces(), ServerId::new());
    let muted = forms_of(server, None);
    paces.mute(muted, at(0));
    assert_eq!(paces.muted(at(9999)), [muted]);
    assert_eq!(paces.count(server, Asking::Form, at(9999)), Pace::Muted);
    assert_eq!(paces.count(server, Asking::Page, at(9999)), Pace::Calm);
    paces.unmute(server, Asking::Form);
    assert_eq!(paces.muted(at(9999)), []);
    assert_eq!(paces.count(server, Asking::Form, at(9999)), Pace::Calm);
}

#[test]
fn what_is_muted_for_a_time_is_heard_when_the_time_is_over() {
    let (mut paces, server) = (paces(), ServerId::new());
    paces.mute(forms_of(server, Some(at(600))), at(0));
    assert_eq!(paces.count(server, Asking::Form, at(599)), Pace::Muted);
    assert_eq!(paces.muted(at(599)), [forms_of(server, Some(at(600)))]);
    assert_eq!(paces.muted(at(600)), []);
    assert_eq!(paces.count(server, Asking::Form, at(600)), Pace::Calm);
}

#[test]
fn no_number_of_servers_takes_more_memory() {
    let mut paces = paces();
    let muted = ServerId::new();
    paces.mute(forms_of(muted, None), at(0));
    for _ in 1..MOST_KEPT {
        assert_eq!(paces.count(ServerId::new(), Asking::Form, at(0)), Pace::Calm);
    }
    let late = ServerId::new();
    assert_eq!(paces.count(late, Asking::Form, at(0)), flood(COUNTED, false));
    assert_eq!(paces.counts.len(), MOST_KEPT);
    assert_eq!(
        paces.count(late, Asking::Form, at(10)),
        Pace::Calm,
        "the calm ones gave their places back"
    );
    assert_eq!(paces.counts.len(), 2);
    assert_eq!(paces.muted(at(10)), [forms_of(muted, None)]);
}

#[test]
fn no_number_of_questions_takes_more_memory() {
    let (mut paces, server) = (paces(), ServerId::new());
    let mut last = Pace::Calm;
    for _ in 0..2 * COUNTED {
        last = paces.count(server, Asking::Form, at(0));
    }
    assert_eq!(last, flood(COUNTED, false));
}

/// The count of a minute is told to the person, so nothing of it is lost on the way.
#[test]
fn what_another_server_asks_does_not_shorten_the_count_of_a_minute() {
    let (mut paces, server) = (paces(), ServerId::new());
    for _ in 0..3 {
        paces.count(server, Asking::Form, at(0));
    }
    paces.count(ServerId::new(), Asking::Form, at(30));
    for _ in 0..3 {
        assert_eq!(paces.count(server, Asking::Form, at(30)), Pace::Calm);
    }
    assert_eq!(paces.count(server, Asking::Form, at(30)), flood(7, true));
}

#[test]
fn a_server_that_was_quiet_for_long_may_ask_as_at_first() {
    let limit = |_| Limit {
        burst: 3,
        per_minute: 1,
    };
    let (mut paces, server) = (Paces::new(limit), ServerId::new());
    let mut ask = |minutes: i64| paces.count(server, Asking::Form, at(60 * minutes));
    for _ in 0..3 {
        assert_eq!(ask(0), Pace::Calm);
    }
    assert_eq!([ask(0), ask(1)], [flood(4, true), Pace::Calm]);
    assert_eq!(ask(1), flood(2, false));
    assert_eq!([ask(4), ask(4), ask(4)], [Pace::Calm; 3]);
    assert_eq!(ask(4), flood(4, true));
}
