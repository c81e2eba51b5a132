//! The click that gives the window the focus.

use tokio::time::Instant;

use super::*;
use WindowReport::{
    Covered, Focused, PointerEntered, PointerGrabbed, PointerLeft, PointerReleased, Pressed, Uncovered,
};

const REST: Duration = Duration::from_millis(500);
/// Longer than what the pointer has to rest, so that both limits show.
const DELAY: Duration = Duration::from_millis(700);

/// A card in a window without the focus.
struct Desk {
    inbox: Inbox,
    question: Question,
    _asked: PendingAnswer,
}

impl Desk {
    fn new() -> Self {
        let inbox = Inbox::default();
        inbox.set_least_delay(DELAY);
        let (asked, question) = asked(&inbox);
        Self {
            inbox,
            question,
            _asked: asked,
        }
    }

    fn report(&self, reports: &[WindowReport]) {
        for report in reports {
            self.inbox.window_reported(*report);
        }
    }

    fn answer(&self) -> Result<(), NotTaken> {
        self.inbox.answer(yes(&self.question))
    }

    /// As a window manager passes on a click on a window without the focus.
    fn click(&self) -> Result<(), NotTaken> {
        self.report(&[PointerGrabbed, Focused, PointerReleased, Pressed]);
        self.answer()
    }
}

async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

#[tokio::test(start_paused = true)]
async fn a_click_of_a_pointer_at_rest_answers_although_it_brings_the_focus() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[Uncovered, PointerEntered]);
    pass(DELAY).await;
    assert_eq!(desk.click(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn where_the_system_does_not_tell_what_covers_the_window_the_first_click_only_focuses() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[PointerEntered]);
    pass(DELAY * 2).await;
    assert_eq!(desk.click(), Err(NotTaken::TooSoon));
    pass(DELAY).await;
    assert_eq!(desk.answer(), Ok(()), "after another delay");
}

#[tokio::test(start_paused = true)]
async fn a_pointer_that_has_just_come_only_focuses() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[Uncovered]);
    pass(DELAY).await;
    desk.report(&[PointerEntered]);
    pass(REST - Duration::from_millis(1)).await;
    assert_eq!(desk.click(), Err(NotTaken::TooSoon));
}

/// A window manager that gives the focus by a key, or a program that takes it: a key that is typed on must not answer.
#[tokio::test(start_paused = true)]
async fn a_focus_without_a_click_takes_no_yes_for_a_delay() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[Uncovered, PointerEntered]);
    pass(DELAY).await;
    desk.report(&[Focused]);
    assert_eq!(desk.answer(), Err(NotTaken::TooSoon));
    pass(DELAY - Duration::from_millis(1)).await;
    assert_eq!(desk.answer(), Err(NotTaken::TooSoon));
    pass(Duration::from_millis(1)).await;
    assert_eq!(desk.answer(), Ok(()));
}

/// A menu of another program, for instance: where the pointer went meanwhile is not known.
#[tokio::test(start_paused = true)]
async fn a_pointer_that_another_program_had_begins_its_rest_again() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[Uncovered, PointerEntered]);
    pass(DELAY).await;
    desk.report(&[PointerGrabbed, PointerReleased]);
    assert_eq!(desk.click(), Err(NotTaken::TooSoon));
}

#[tokio::test(start_paused = true)]
async fn a_window_that_was_hidden_knows_nothing_of_the_pointer() {
    let desk = Desk::new();
    desk.inbox.presented(desk.question.id);
    desk.report(&[Uncovered, PointerEntered]);
    desk.inbox.concealed();
    desk.inbox.presented(desk.question.id);
    pass(DELAY).await;
    assert_eq!(desk.click(), Err(NotTaken::TooSoon));
}

/// Numbers that look random and are the same in each run (a linear congruential generator with Knuth's constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What a click may rely on, kept beside the inbox.
struct Expected {
    /// When the card came, moved, or was covered or uncovered last.
    still_since: Instant,
    uncovered: bool,
    pointer_since: Option<Instant>,
}

impl Expected {
    fn is_meant(&self) -> bool {
        let rests = self.pointer_since.is_some_and(|since| since.elapsed() >= REST);
        self.still_since.elapsed() >= DELAY && self.uncovered && rests
    }

    /// Something happens to the window, picked by a number.
    fn disturb(&mut self, desk: &Desk, what: u64) {
        match what {
            0 => desk.inbox.presented(desk.question.id),
            1 => desk.inbox.disturbed(),
            2 | 3 => {
                self.uncovered = what == 3;
                desk.report(&[if self.uncovered { Uncovered } else { Covered }]);
            }
            4 => {
                self.pointer_since = Some(Instant::now());
                desk.report(&[PointerLeft, PointerEntered]);
            }
            _ => {
                self.pointer_since = None;
                desk.report(&[PointerLeft]);
            }
        }
        if what < 4 {
            self.still_since = Instant::now();
        }
    }
}

/// Ten thousand clicks at any moment after the card appeared, moved, was covered or uncovered, or the pointer came or
/// went. Each answers exactly where the card was still and uncovered for its delay and the pointer at rest.
#[tokio::test(start_paused = true)]
async fn of_ten_thousand_clicks_only_those_on_a_still_card_under_a_resting_pointer_answer() {
    let mut numbers = Numbers(18);
    let (mut taken, mut refused) = (0, 0);
    for sequence in 0..10_000 {
        let desk = Desk::new();
        let mut expected = Expected {
            still_since: Instant::now(),
            uncovered: false,
            pointer_since: None,
        };
        expected.disturb(&desk, 0);
        for what in [3, 4].into_iter().filter(|_| numbers.below(4) > 0) {
            expected.disturb(&desk, what);
        }
        for _ in 0..numbers.below(6) {
            pass(Duration::from_millis(numbers.below(900))).await;
            expected.disturb(&desk, numbers.below(6));
        }
        pass(Duration::from_millis(numbers.below(1_500))).await;
        let meant = expected.is_meant();
        assert_eq!(desk.click().is_ok(), meant, "sequence {sequence}");
        if meant { taken += 1 } else { refused += 1 }
    }
    assert!(taken > 500 && refused > 5_000, "{taken} {refused}");
}
