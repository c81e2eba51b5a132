//! One thread that owns one SQLite connection and runs the queued jobs in order. Callers wait on
//! a oneshot and never block their runtime; the queue is bounded, so a slow disk slows its callers instead of
//! filling the memory. A caller that stops waiting does not undo its job: once queued, it runs. Changes that
//! wait at the same time share one transaction, and with it one wait for the disk.

mod expected;
mod flushing;
mod queued;
mod shared;

use std::thread;

use rusqlite::Connection;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::StoreError;
pub use expected::ExpectedChange;
use expected::ExpectedChanges;
pub(crate) use flushing::Flush;
use flushing::FlushingConnection;
use queued::QueuedChanges;
use shared::{SharedChange, commit_together};

/// Jobs that may wait for the disk at once.
const QUEUE: usize = 256;

type StoreJob = Box<dyn FnOnce(Result<&mut Connection, StoreError>) + Send>;

enum WorkerMessage {
    /// A job that has the connection for itself.
    Run(StoreJob),
    /// A change that may be committed with others.
    Change(Flush, Box<dyn SharedChange>),
    Close(oneshot::Sender<()>),
}

/// A handle to the thread. The thread ends when the last handle is gone or after [`StoreWorker::close`].
#[derive(Clone)]
pub(crate) struct StoreWorker {
    queue: mpsc::Sender<WorkerMessage>,
    expected: ExpectedChanges,
}

impl StoreWorker {
    /// Starts the thread. `keep` is dropped after the connection is closed: the lock of the folder, say.
    pub(crate) fn start(
        name: &str,
        connection: Connection,
        keep: impl Send + 'static,
    ) -> Result<Self, StoreError> {
        let (queue, receiver) = mpsc::channel(QUEUE);
        let expected = ExpectedChanges::default();
        let worker = Self {
            queue,
            expected: expected.clone(),
        };
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let asked_to_close = work(receiver, connection, &expected);
                drop(keep);
                if let Some(done) = asked_to_close {
                    // The receiver may be gone; the store closes either way.
                    let _ = done.send(());
                }
            })
            .map_err(|error| StoreError::Io {
                tried: "start the thread that saves".to_owned(),
                detail: error.to_string(),
            })?;
        Ok(worker)
    }

    /// Runs `job` on the thread and waits for its answer.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, wait) = oneshot::channel();
        let job: StoreJob = Box::new(move |connection| {
            // The caller may have stopped waiting; the job counts all the same.
            let _ = answer.send(connection.and_then(job));
        });
        self.queue
            .send(WorkerMessage::Run(job))
            .await
            .map_err(|_| StoreError::Closed)?;
        wait.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `job` on the thread, where its queue has room for it now, and does not wait.
    pub(crate) fn post(&self, job: impl FnOnce(&mut Connection) + Send + 'static) {
        let job: StoreJob = Box::new(move |connection| match connection {
            Ok(connection) => job(connection),
            Err(error) => tracing::warn!(%error, "failed to run a job in the background"),
        });
        if self.queue.try_send(WorkerMessage::Run(job)).is_err() {
            tracing::debug!("left out a job in the background");
        }
    }

    /// Runs `change` in a transaction, which it may share with changes that are queued at the same time; one that fails
    /// undoes only itself, and for that the others may be run again. The future gives the answer once the transaction is committed, and flushed where `flush` says
    /// so. The change is queued by this call, not by the first poll, so that changes stand in the order of their calls;
    /// only where the queue is full does it wait for its place.
    pub(crate) fn change<T, C>(
        &self,
        flush: Flush,
        change: C,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<T, C>
    where
        T: Send + 'static,
        C: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (answer, wait) = oneshot::channel();
        let queued = self
            .queue
            .try_send(WorkerMessage::Change(flush, shared::new(change, answer)));
        let queue = self.queue.clone();
        async move {
            match queued {
                Ok(()) => {}
                Err(TrySendError::Full(message)) => {
                    queue.send(message).await.map_err(|_| StoreError::Closed)?;
                }
                Err(TrySendError::Closed(_)) => return Err(StoreError::Closed),
            }
            wait.await.map_err(|_| StoreError::Closed)?
        }
    }

    /// Says that a change is about to be queued, so that the changes before it wait for it a little.
    pub(crate) fn expect_change(&self) -> ExpectedChange {
        self.expected.expect()
    }

    /// Finishes what is queued, closes the connection and waits until it is closed.
    pub(crate) async fn close(&self) {
        let (done, wait) = oneshot::channel();
        if self.queue.send(WorkerMessage::Close(done)).await.is_ok() {
            // An error means the thread has already ended, which is what was asked for.
            let _ = wait.await;
        }
    }
}

fn work(
    mut receiver: mpsc::Receiver<WorkerMessage>,
    connection: Connection,
    expected: &ExpectedChanges,
) -> Option<oneshot::Sender<()>> {
    let mut connection = FlushingConnection::new(connection);
    let mut next = None;
    while let Some(message) = next.take().or_else(|| receiver.blocking_recv()) {
        match message {
            WorkerMessage::Run(job) => job(connection.with(Flush::Now)),
            WorkerMessage::Change(flush, first) => {
                let deadline = expected::deadline();
                let mut queued = QueuedChanges {
                    flush,
                    receiver: &mut receiver,
                    other: &mut next,
                };
                let more = std::iter::from_fn(|| queued.next_expected(expected, deadline));
                match connection.with(flush) {
                    Ok(connection) => commit_together(connection, first, more),
                    Err(error) => first.answer(Err(error)),
                }
            }
            WorkerMessage::Close(done) => return close(connection, Some(done)),
        }
    }
    close(connection, None)
}

fn close(connection: FlushingConnection, done: Option<oneshot::Sender<()>>) -> Option<oneshot::Sender<()>> {
    if let Err(error) = connection.close() {
        // Everything that was to be flushed is on the disk already; the next opening cleans up.
        tracing::warn!(%error, "failed to close the database cleanly");
    }
    done
}
