//! Chats whose turns ended, for the notifications of the operating system.

use tokio::sync::broadcast;
use vestibule_protocol::ChatId;

use super::Host;
use crate::view::{FinishedChat, HostEvent};

/// How many ends are kept for a follower that is behind. It then misses the oldest.
const KEPT: usize = 16;

/// Tells the followers of each end.
pub(super) struct Turns(broadcast::Sender<FinishedChat>);

impl Default for Turns {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl Host {
    /// The chats that fall idle from now on, unless the user stopped them.
    #[must_use]
    pub fn finished_chats(&self) -> broadcast::Receiver<FinishedChat> {
        self.0.finished_turns.0.subscribe()
    }

    /// Shows a chat in the main window.
    pub fn show_chat(&self, chat: ChatId) {
        self.0.events.tell(HostEvent::ChatAsked { chat });
    }

    /// Tells of a chat whose turn ended, where no other turn has begun in it.
    pub(super) fn tell_of_finished(&self, chat: ChatId, ended_well: bool) {
        if !self.turns().contains_key(&chat) {
            // Fails where nothing follows, as in tests without a desktop.
            drop(self.0.finished_turns.0.send(FinishedChat { chat, ended_well }));
        }
    }
}
