//! The body of a reply, read to its end even after its reader has dropped it.
//!
//! A reply is over for its reader before its last bytes have come, and a connection whose reply was not read to the end
//! cannot be used again. So the few bytes after the end are read; where the reply goes on, the connection is closed.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use vestibule_egress::{EgressError, HttpAnswer};

/// How many bytes of a body that was dropped are read.
const MOST: usize = 16 * 1024;

/// How many bodies of an endpoint are being read to their end.
#[derive(Clone, Default)]
pub(super) struct Lingering(watch::Sender<usize>);

impl Lingering {
    /// Waits at most this long for the connections that are about to be free.
    pub(super) async fn settle(&self, longest: Duration) {
        let mut count = self.0.subscribe();
        // Where they take longer, a new connection costs less than the wait.
        let settled = tokio::time::timeout(longest, count.wait_for(|count| *count == 0)).await;
        tracing::trace!(in_time = settled.is_ok(), "waited for connections to become free");
    }

    fn begin(&self) -> LingerGuard {
        self.0.send_modify(|count| *count += 1);
        LingerGuard(self.clone())
    }
}

/// Takes itself off the count when dropped.
struct LingerGuard(Lingering);

impl Drop for LingerGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// The body, until it ended or was given up.
pub(super) struct ReplyBody {
    body: Option<HttpAnswer>,
    lingering: Lingering,
    /// How long its rest may still come once it was dropped.
    linger: Duration,
}

impl ReplyBody {
    pub(super) fn new(answer: HttpAnswer, lingering: Lingering, linger: Duration) -> Self {
        Self {
            body: Some(answer),
            lingering,
            linger,
        }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// As [`HttpAnswer::chunk`].
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, EgressError> {
        let Some(body) = self.body.as_mut() else {
            return Ok(None);
        };
        let piece = body.chunk().await?;
        if piece.is_none() {
            self.body = None;
        }
        Ok(piece)
    }

    /// Closes the connection instead of keeping it.
    pub(super) fn hang_up(&mut self) {
        self.body = None;
    }
}

impl Drop for ReplyBody {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let guard = self.lingering.begin();
        let rest = async move {
            let _guard = guard;
            let mut read = 0;
            while let Ok(Some(piece)) = body.chunk().await {
                read += piece.len();
                if read > MOST {
                    break;
                }
            }
            // The client takes its connection back in a task of its own.
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
        };
        runtime.spawn(tokio::time::timeout(self.linger, rest));
    }
}
