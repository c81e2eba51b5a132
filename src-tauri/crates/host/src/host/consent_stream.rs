//! What the consent window hears. The whole state goes out each time something changed, but not faster than a window
//! can draw: a server that asks five hundred times in a second must not freeze the card a user is reading.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::Instant;
use vestibule_consent::{InboxEvent, InboxSnapshot, SavedInput};

use super::Host;
use crate::view::{Envelope, HostEvent, InboxMessage};

/// The least time between two states.
const BETWEEN: Duration = Duration::from_millis(50);

struct ConsentFollower {
    host: Host,
    snapshots: watch::Receiver<Arc<InboxSnapshot>>,
    inbox: Receiver<InboxEvent>,
    events: Receiver<Envelope>,
    /// What was entered before this window was loaded; told once.
    kept: Vec<SavedInput>,
    /// Something changed since the last state.
    changed: bool,
    /// When the next state may go out.
    next: Instant,
    /// What goes out after the state it belongs to.
    after: VecDeque<InboxMessage>,
}

impl Host {
    /// What the consent window shows, from now on.
    pub fn consent_window(&self) -> impl Stream<Item = InboxMessage> + Send + use<> {
        let following = ConsentFollower {
            snapshots: self.0.inbox.snapshots(),
            inbox: self.0.inbox.events(),
            events: self.0.events.follow(),
            kept: self.0.inbox.autosaved(),
            host: self.clone(),
            changed: true,
            next: Instant::now(),
            after: VecDeque::new(),
        };
        unfold(following, |mut following| async move {
            let message = following.next().await?;
            Some((message, following))
        })
    }
}

impl ConsentFollower {
    async fn next(&mut self) -> Option<InboxMessage> {
        let kept = std::mem::take(&mut self.kept);
        if !kept.is_empty() {
            return Some(InboxMessage::Kept { kept });
        }
        loop {
            // What speaks of a question comes after the state that holds the question.
            self.changed |= self.snapshots.borrow_and_update().has_changed();
            if self.changed && (!self.after.is_empty() || self.next <= Instant::now()) {
                self.changed = false;
                self.next = Instant::now() + BETWEEN;
                return Some(InboxMessage::State(self.host.inbox_state()));
            }
            if let Some(message) = self.after.pop_front() {
                return Some(message);
            }
            tokio::select! {
                () = tokio::time::sleep_until(self.next), if self.changed => {}
                changed = self.snapshots.changed() => {
                    changed.ok()?;
                    self.changed = true;
                }
                event = self.inbox.recv() => match event {
                    Ok(InboxEvent::ClickDelay { question, lasts }) => {
                        let ms = u32::try_from(lasts.as_millis()).unwrap_or(u32::MAX);
                        self.after.push_back(InboxMessage::Guard { question, ms });
                    }
                    Ok(InboxEvent::Show { question }) => self.after.push_back(InboxMessage::Show { question }),
                    Ok(InboxEvent::Concealed) => self.after.push_back(InboxMessage::Hidden),
                    // The window sees for itself what has gone from the state.
                    Ok(InboxEvent::TakenBack) => {}
                    // Having fallen behind is no loss: the state is whole.
                    Err(RecvError::Lagged(_)) => self.changed = true,
                    Err(RecvError::Closed) => return None,
                },
                event = self.events.recv() => match event {
                    Ok(Envelope { event: HostEvent::Settings { .. }, .. }) => self.changed = true,
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }
}
