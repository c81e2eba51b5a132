//! [`Store`]: a cheap handle to the two threads of the database. The methods of each table are in the module of that table;
//! this one opens, closes and queues jobs.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tokio::sync::watch;

use crate::StoreError;
use crate::backup::WaitingBackup;
use crate::file;
use crate::signed::Signatures;
use crate::temporary::TemporaryChats;
use crate::truncation::Truncation;
use crate::worker::{ExpectedChange, Flush, StoreWorker};

/// Everything Vestibule keeps. Cheap to clone; all clones speak to the same two threads, which end when the
/// last clone is gone.
#[derive(Clone)]
pub struct Store {
    writer: StoreWorker,
    reader: StoreWorker,
    path: Option<PathBuf>,
    ledger_end: watch::Sender<i64>,
    signatures: Signatures,
    temporary: TemporaryChats,
    truncation: Truncation,
    flush: Flush,
}

impl Store {
    /// Opens the database at `path`, creating it and its folder if needed, and brings it to the newest format. A backup
    /// that the user confirmed takes its place first. Blocks for the time that takes.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process has it open, [`StoreError::Newer`] and [`StoreError::Foreign`]
    /// (the file is then left as it was), [`StoreError::Corrupt`], [`StoreError::Full`],
    /// [`StoreError::ReadOnly`], [`StoreError::Busy`] or [`StoreError::Io`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let lock = file::lock(path)?;
        WaitingBackup::beside(path).restore()?;
        let connection = file::open_writer(path)?;
        let reader = StoreWorker::start("store-read", file::open_read_only(path)?, ())?;
        let writer = StoreWorker::start("store-write", connection, lock)?;
        Ok(Self {
            writer,
            reader,
            path: Some(path.to_owned()),
            ledger_end: watch::Sender::default(),
            signatures: Signatures::default(),
            temporary: TemporaryChats::default(),
            truncation: Truncation::default(),
            flush: Flush::Now,
        })
    }

    /// A store that forgets everything when its last clone is gone.
    ///
    /// # Errors
    /// Only if the system gives neither memory nor a thread.
    pub fn in_memory() -> Result<Self, StoreError> {
        // A second connection to memory would be a second database, so one thread does both.
        let desk = StoreWorker::start("store-memory", file::open_memory()?, ())?;
        Ok(Self {
            writer: desk.clone(),
            reader: desk,
            path: None,
            ledger_end: watch::Sender::default(),
            signatures: Signatures::default(),
            temporary: TemporaryChats::default(),
            truncation: Truncation::default(),
            flush: Flush::Now,
        })
    }

    /// The same store for changes that need not wait for the disk: what still changes, or what the next change repeats.
    /// Each is committed before its answer, so that everyone reads it and the end of the process does not undo it. A
    /// loss of power may undo it until the next other change is on the disk. Records of the ledger are flushed all the same.
    #[must_use]
    pub fn unflushed(&self) -> Self {
        Self {
            flush: Flush::Later,
            ..self.clone()
        }
    }

    /// The same store for changes that wait for the disk, whatever the caller's handle does.
    pub(crate) fn flushed(&self) -> Self {
        Self {
            flush: Flush::Now,
            ..self.clone()
        }
    }

    /// Finishes what is queued, closes the file and frees the folder's lock. Later calls on any clone give
    /// [`StoreError::Closed`].
    pub async fn close(&self) {
        self.temporary.close().await;
        self.reader.close().await;
        self.truncate_before_close().await;
        self.writer.close().await;
    }

    /// Tells the number of each record that is added from now on. Zero before the first one.
    #[must_use]
    pub fn ledger_end(&self) -> watch::Receiver<i64> {
        self.ledger_end.subscribe()
    }

    pub(crate) fn ledger_grew(&self, seq: i64) {
        self.ledger_end.send_modify(|end| *end = seq.max(*end));
    }

    /// The file, unless the store is in memory.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn signatures(&self) -> Signatures {
        self.signatures.clone()
    }

    /// Says that a change is about to be queued: changes that wait for the disk wait for it too, at most five
    /// milliseconds, so that they share one flush.
    #[must_use]
    pub fn expect_change(&self) -> ExpectedChange {
        self.writer.expect_change()
    }

    pub(crate) fn flush(&self) -> Flush {
        self.flush
    }

    pub(crate) fn temporary(&self) -> &TemporaryChats {
        &self.temporary
    }

    pub(crate) fn truncation(&self) -> &Truncation {
        &self.truncation
    }

    /// Queues a job for the writing thread, where there is room for it.
    pub(crate) fn write_later(&self, job: impl FnOnce(&mut Connection) + Send + 'static) {
        self.writer.post(job);
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.call(job).await
    }

    /// Makes a change in a transaction that it may share; see [`StoreWorker::change`].
    pub(crate) fn change<T, C>(
        &self,
        change: C,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<T, C>
    where
        T: Send + 'static,
        C: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.writer.change(self.flush, change)
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.reader.call(job).await
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use serde_json::{Value, json};

    use super::*;
    use crate::{LedgerDraft, LedgerFilter, LedgerKind, Verification};

    fn draft(number: usize) -> LedgerDraft {
        LedgerDraft {
            kind: LedgerKind::Intent,
            server: None,
            chat: None,
            action: "tool.call".to_owned(),
            object: format!("number {number}"),
            decision: None,
            because: Value::Null,
            body: json!({ "padding": "x".repeat(2000) }),
        }
    }

    async fn pragma(store: &Store, name: &'static str, value: i64) {
        let set = move |c: &mut Connection| Ok(c.pragma_update_and_check(None, name, value, |_| Ok(()))?);
        store.write(set).await.unwrap();
    }

    async fn flag(store: &Store, name: &'static str, on: bool) {
        store
            .write(move |c| Ok(c.pragma_update(None, name, on)?))
            .await
            .unwrap();
    }

    /// A cap on the file's pages stands in for the full disk: SQLite reports both the same way.
    #[tokio::test]
    async fn a_full_disk_is_said_and_loses_nothing_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vestibule.db");
        let store = Store::open(&path).unwrap();
        pragma(&store, "max_page_count", 120).await;

        let mut acknowledged = Vec::new();
        let refusal = loop {
            match store.append(draft(acknowledged.len())).await {
                Ok(receipt) => acknowledged.push(receipt),
                Err(error) => break error,
            }
        };
        assert!(matches!(refusal, StoreError::Full), "{refusal:?}");
        assert!(acknowledged.len() > 10);

        pragma(&store, "max_page_count", 1_000_000).await;
        acknowledged.push(store.append(draft(acknowledged.len())).await.unwrap());
        store.close().await;

        let store = Store::open(&path).unwrap();
        let mut kept = store
            .ledger(LedgerFilter {
                limit: 1000,
                ..LedgerFilter::default()
            })
            .await
            .unwrap();
        kept.reverse();
        let kept: Vec<_> = kept.iter().map(|record| (record.seq, record.hash)).collect();
        let acknowledged: Vec<_> = acknowledged
            .iter()
            .map(|receipt| (receipt.seq, receipt.hash))
            .collect();
        assert_eq!(kept, acknowledged);
        let verified = store.verify(|_, _| {}).await.unwrap();
        assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
    }

    #[tokio::test]
    async fn a_disk_that_can_only_be_read_is_said() {
        let store = Store::in_memory().unwrap();
        flag(&store, "query_only", true).await;
        let refusal = store.append(draft(0)).await;
        assert!(matches!(refusal, Err(StoreError::ReadOnly)), "{refusal:?}");
        flag(&store, "query_only", false).await;
        assert_eq!(store.append(draft(0)).await.unwrap().seq, 1);
    }

    #[tokio::test]
    async fn another_programs_lock_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vestibule.db");
        let store = Store::open(&path).unwrap();
        pragma(&store, "busy_timeout", 0).await;
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let refusal = store.append(draft(0)).await;
        assert!(matches!(refusal, Err(StoreError::Busy)), "{refusal:?}");
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(store.append(draft(0)).await.unwrap().seq, 1);
    }

    #[tokio::test]
    async fn a_caller_that_stops_waiting_does_not_undo_its_write() {
        let store = Store::in_memory().unwrap();
        let (entered, wait) = tokio::sync::oneshot::channel();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let busy = tokio::spawn({
            let store = store.clone();
            async move {
                let hold = move |_: &mut Connection| {
                    entered.send(()).unwrap();
                    held.recv().unwrap();
                    Ok(())
                };
                store.write(hold).await
            }
        });
        wait.await.unwrap();
        let mut append = Box::pin(store.append(draft(0)));
        let polled =
            std::future::poll_fn(|context| std::task::Poll::Ready(append.as_mut().poll(context))).await;
        assert!(polled.is_pending());
        drop(append);
        release.send(()).unwrap();
        busy.await.unwrap().unwrap();
        assert_eq!(store.ledger_head().await.unwrap().seq, 1);
    }

    #[tokio::test]
    async fn every_commit_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("vestibule.db")).unwrap();
        let ask = |name: &'static str| {
            store.write(move |c| {
                Ok(c.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))?)
            })
        };
        assert_eq!(ask("synchronous").await.unwrap(), 2.into());
        assert_eq!(ask("journal_mode").await.unwrap(), "wal".to_owned().into());
        assert_eq!(ask("foreign_keys").await.unwrap(), 1.into());
        assert_eq!(ask("secure_delete").await.unwrap(), 1.into());
    }
}
