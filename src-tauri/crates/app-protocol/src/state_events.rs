//! Events with a state that takes a while to read, for example from the database. When two tasks change the state, read it
//! and send it, one of them can read before the other changes it and send after the other sent. The main window then shows
//! an old state. [`StateEvents`] prevents that.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::{EventStream, HostEvent};

/// Sends one kind of state in the order in which it was read. Cheap to clone; all clones share one order.
#[derive(Clone)]
pub struct StateEvents {
    events: EventStream,
    reading: Arc<Mutex<()>>,
}

impl StateEvents {
    #[must_use]
    pub fn new(events: EventStream) -> Self {
        Self {
            events,
            reading: Arc::default(),
        }
    }

    /// Reads the state and sends the events with it. Calls run one after the other. Change the state before the call.
    /// `read` must not call this again.
    ///
    /// # Errors
    /// The error of `read`. No event is sent then.
    pub async fn tell<E>(
        &self,
        read: impl Future<Output = Result<impl IntoIterator<Item = HostEvent>, E>>,
    ) -> Result<(), E> {
        let _one_at_a_time = self.reading.lock().await;
        for event in read.await? {
            self.events.tell(event);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::pin::pin;

    use futures::FutureExt;
    use tokio::sync::oneshot;
    use vestibule_protocol::ChatId;

    use super::*;

    #[tokio::test]
    async fn the_state_that_is_sent_last_was_read_last() {
        let stream = EventStream::default();
        let mut sent = stream.follow();
        let events = StateEvents::new(stream);
        let (old, new) = (ChatId::new(), ChatId::new());
        let state = Cell::new(old);
        let (go_on, held_up) = oneshot::channel();
        let mut slow = pin!(events.tell(async {
            let chat = state.get();
            held_up.await.unwrap();
            Ok::<_, Infallible>([HostEvent::ChatGone { chat }])
        }));
        assert!(slow.as_mut().now_or_never().is_none());
        state.set(new);
        let mut next = pin!(events.tell(async {
            let chat = state.get();
            Ok::<_, Infallible>([HostEvent::ChatGone { chat }])
        }));
        assert!(
            next.as_mut().now_or_never().is_none(),
            "it waits for the one before"
        );
        go_on.send(()).unwrap();
        slow.await.unwrap();
        next.await.unwrap();
        for chat in [old, new] {
            let event = sent.try_recv().unwrap().event;
            assert!(matches!(event, HostEvent::ChatGone { chat: gone } if gone == chat));
        }
    }

    #[tokio::test]
    async fn no_event_is_sent_when_the_state_cannot_be_read() {
        let stream = EventStream::default();
        let mut sent = stream.follow();
        let events = StateEvents::new(stream);
        let read = async { Err::<[HostEvent; 0], _>("closed") };
        assert_eq!(events.tell(read).await, Err("closed"));
        assert!(sent.try_recv().is_err());
    }
}
