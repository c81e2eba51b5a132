//! What happens, as a window reads it. A window asks for its messages itself. A channel of Tauri would have WebKit evaluate a
//! script for each message, and WebKit keeps scripts that were evaluated: some megabytes after a long answer.

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use futures::stream::{AbortHandle, Abortable, BoxStream, abortable};
use futures::{Stream, StreamExt};
use tokio::sync::Mutex;

/// How many messages one reply has at most.
const MOST_MESSAGES: usize = 64;

/// The stream that the page of a window reads.
pub(crate) struct WindowStream<T>(StdMutex<Option<Reading<T>>>);

struct Reading<T> {
    messages: Arc<Mutex<Abortable<BoxStream<'static, Vec<T>>>>>,
    end: AbortHandle,
}

impl<T> Default for WindowStream<T> {
    fn default() -> Self {
        Self(StdMutex::default())
    }
}

impl<T: Send + 'static> WindowStream<T> {
    /// Has the window read these messages from now on. The page that read others before is gone.
    pub(crate) fn open(&self, messages: impl Stream<Item = T> + Send + 'static) {
        let (messages, end) = abortable(messages.ready_chunks(MOST_MESSAGES).boxed());
        let reading = Reading {
            messages: Arc::new(Mutex::new(messages)),
            end,
        };
        if let Some(before) = self.reading().replace(reading) {
            before.end.abort();
        }
    }

    /// Waits for a message, and returns it with those that are there by then. `None` where no more will come: the window
    /// fell behind, or reads another stream by now.
    pub(crate) async fn next(&self) -> Option<Vec<T>> {
        let messages = self.reading().as_ref()?.messages.clone();
        messages.lock().await.next().await
    }

    fn reading(&self) -> MutexGuard<'_, Option<Reading<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::channel::mpsc;
    use futures::stream::iter;

    use super::*;

    #[tokio::test]
    async fn messages_that_wait_come_together_and_none_is_lost() {
        let stream = WindowStream::default();
        stream.open(iter(0..100));
        assert_eq!(stream.next().await, Some((0..64).collect()));
        assert_eq!(stream.next().await, Some((64..100).collect()));
        assert_eq!(stream.next().await, None);
        assert_eq!(stream.next().await, None);
    }

    #[tokio::test]
    async fn a_window_waits_for_a_message() {
        let (send, messages) = mpsc::unbounded();
        let stream = WindowStream::default();
        stream.open(messages);
        let mut next = Box::pin(stream.next());
        assert!((&mut next).now_or_never().is_none());
        send.unbounded_send(1).unwrap();
        assert_eq!(next.await, Some(vec![1]));
    }

    #[tokio::test]
    async fn a_page_that_was_reloaded_reads_its_own_messages() {
        let (_keeps, never) = mpsc::unbounded();
        let stream = WindowStream::default();
        stream.open(never);
        let mut of_the_page_before = Box::pin(stream.next());
        assert!((&mut of_the_page_before).now_or_never().is_none());
        stream.open(iter([1]));
        assert_eq!(of_the_page_before.await, None);
        assert_eq!(stream.next().await, Some(vec![1]));
    }

    #[tokio::test]
    async fn nothing_is_read_before_the_window_opened() {
        assert_eq!(WindowStream::<u8>::default().next().await, None);
    }
}
