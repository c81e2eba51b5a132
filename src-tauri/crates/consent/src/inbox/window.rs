//! Whether a click that gives the consent window the focus was meant for its card. It was where the card has been
//! visible and uncovered for its click delay and the pointer has been inside for half a second. The window system has to
//! report all of it: where it does not, the first click only gives the focus.

use std::time::Duration;

use tokio::time::Instant;
use vestibule_protocol::QuestionId;

use super::card::click_delay;
use super::state::InboxState;

/// How long the pointer has to be inside the window before a click there counts as meant for it.
const POINTER_REST: Duration = Duration::from_millis(500);

/// What the window system reports of the consent window, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowReport {
    /// All of it can be seen.
    Uncovered,
    /// Something covers a part of it, or the system does not tell.
    Covered,
    PointerEntered,
    PointerLeft,
    /// Another program takes the clicks. A window manager does so for the click that gives a window the focus.
    PointerGrabbed,
    /// The clicks come to the window again, and the pointer is inside.
    PointerReleased,
    Focused,
    /// A mouse button went down inside.
    Pressed,
}

/// The card in front.
#[derive(Clone, Copy, Debug)]
pub(super) struct PresentedCard {
    pub(super) question: QuestionId,
    /// Since when it has not moved, changed or been covered.
    pub(super) since: Instant,
    /// When the window got the focus while the pointer was at rest in it. A click that follows keeps `since`; a key
    /// has to wait for another click delay.
    focused: Option<Instant>,
}

impl PresentedCard {
    pub(super) fn now(question: QuestionId) -> Self {
        Self {
            question,
            since: Instant::now(),
            focused: None,
        }
    }

    /// Whether a yes counts after this click delay.
    pub(super) fn takes_yes(&self, delay: Duration) -> bool {
        self.since.elapsed() >= delay && self.focused.is_none_or(|focused| focused.elapsed() >= delay)
    }
}

/// Where the pointer is, and whether the window can be seen.
#[derive(Debug, Default)]
pub(super) struct WindowSight {
    uncovered: bool,
    pointer_inside: Option<Instant>,
    /// While another program takes the clicks: whether the window has got the focus meanwhile.
    grabbed: Option<bool>,
}

impl WindowSight {
    fn is_pointer_at_rest(&self) -> bool {
        self.pointer_inside
            .is_some_and(|since| since.elapsed() >= POINTER_REST)
    }

    /// A grab that brought no focus was none of the window manager, and may have hidden where the pointer went.
    fn pointer_released(&mut self) {
        let brought_focus = self.grabbed.take() == Some(true);
        if !brought_focus || self.pointer_inside.is_none() {
            self.pointer_inside = Some(Instant::now());
        }
    }
}

impl InboxState {
    /// The window is hidden: no card is in front, and where the pointer is says nothing of the next one.
    pub(super) fn conceal(&mut self) {
        self.presented = None;
        self.window = WindowSight::default();
    }

    /// Takes a report. True where the click delay of the card in front has to start again.
    pub(super) fn note_window(&mut self, report: WindowReport) -> bool {
        match report {
            WindowReport::Uncovered | WindowReport::Covered => {
                self.window.uncovered = report == WindowReport::Uncovered;
                return true;
            }
            WindowReport::PointerEntered => self.window.pointer_inside = Some(Instant::now()),
            WindowReport::PointerLeft => self.window.pointer_inside = None,
            WindowReport::PointerGrabbed => self.window.grabbed = Some(false),
            WindowReport::PointerReleased => self.window.pointer_released(),
            WindowReport::Focused => return !self.keep_over_focus(),
            WindowReport::Pressed => self.note_press(),
        }
        false
    }

    /// Whether the click delay goes on although the window gets the focus.
    fn keep_over_focus(&mut self) -> bool {
        if let Some(grabbed) = &mut self.window.grabbed {
            *grabbed = true;
        }
        let is_settled = self.is_settled();
        if let Some(presented) = self.presented.as_mut().filter(|_| is_settled) {
            presented.focused = Some(Instant::now());
        }
        is_settled
    }

    fn note_press(&mut self) {
        if self.is_settled()
            && let Some(presented) = &mut self.presented
        {
            presented.focused = None;
        }
    }

    /// Whether the user could read the card in front, and has the pointer on it.
    fn is_settled(&self) -> bool {
        let Some(presented) = &self.presented else {
            return false;
        };
        let card = self.cards.get(presented.question);
        let was_readable = card.is_some_and(|card| presented.since.elapsed() >= click_delay(card));
        was_readable && self.window.uncovered && self.window.is_pointer_at_rest()
    }
}
