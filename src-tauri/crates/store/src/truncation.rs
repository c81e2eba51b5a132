//! Empties the write-ahead log, so that what was deleted is in no file. While this store itself reads one state of the
//! database for long, the log cannot be emptied; it is then emptied after that reading, and the writing thread does not
//! wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rusqlite::Connection;

use crate::{Store, StoreError};

/// What is known about emptying the log. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Truncation(Arc<TruncationState>);

#[derive(Default)]
struct TruncationState {
    /// Whether the log has to be emptied.
    due: AtomicBool,
    /// How many long readings of this store are under way.
    readings: AtomicUsize,
}

/// A long reading of this store, which ends when this is dropped.
pub(crate) struct LongReading(Truncation);

impl Drop for LongReading {
    fn drop(&mut self) {
        self.0.0.readings.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Truncation {
    /// Begins a long reading on a connection of its own. Its end is followed by [`Store::truncate_due_log`].
    pub(crate) fn begin_reading(&self) -> LongReading {
        self.0.readings.fetch_add(1, Ordering::SeqCst);
        LongReading(self.clone())
    }

    fn is_reading(&self) -> bool {
        self.0.readings.load(Ordering::SeqCst) > 0
    }

    fn is_due(&self) -> bool {
        self.0.due.load(Ordering::SeqCst)
    }

    /// Empties the log, or leaves that to the end of a long reading of this store.
    fn run(&self, connection: &Connection) -> Result<(), StoreError> {
        // Said before it is asked who reads: either this sees the reading, or the end of the reading sees this.
        self.0.due.store(true, Ordering::SeqCst);
        if self.is_reading() {
            return Ok(());
        }
        match truncate(connection) {
            Ok(()) => {
                self.0.due.store(false, Ordering::SeqCst);
                Ok(())
            }
            Err(StoreError::Busy) if self.is_reading() => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Store {
    /// Merges the log beside the database into it and empties the log, so that what was deleted is in no file. While
    /// [`Store::verify`] or [`Store::write_backup`] reads, this leaves it to their end.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if another program reads the database; the log is then emptied after the next check of the
    /// ledger or backup, or when the store is closed or opened. [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn truncate_log(&self) -> Result<(), StoreError> {
        let truncation = self.truncation().clone();
        self.write(move |c| truncation.run(c)).await
    }

    /// Empties the log where that is due, without waiting for it.
    pub(crate) fn truncate_due_log(&self) {
        let truncation = self.truncation().clone();
        if !truncation.is_due() {
            return;
        }
        self.write_later(move |c| {
            if let Err(error) = truncation.run(c) {
                tracing::warn!(%error, "failed to empty the log of the database");
            }
        });
    }

    /// Empties the log where that is due, before the store is closed. Waits for no other program.
    pub(crate) async fn truncate_before_close(&self) {
        if !self.truncation().is_due() {
            return;
        }
        let truncated = self.write(|c| {
            c.busy_timeout(Duration::ZERO)?;
            truncate(c)
        });
        if let Err(error) = truncated.await {
            tracing::warn!(%error, "failed to empty the log of the database");
        }
    }
}

/// Empties the log that an earlier run left behind, where no other program reads it. The connection waits for other
/// programs as `wait` says afterwards.
pub(crate) fn truncate_left_log(connection: &Connection, wait: Duration) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::ZERO)?;
    let truncated = truncate(connection);
    connection.busy_timeout(wait)?;
    match truncated {
        Err(StoreError::Busy) => Ok(()),
        other => other,
    }
}

fn truncate(connection: &Connection) -> Result<(), StoreError> {
    // -1 in the other columns: the database is in memory and has no log.
    let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))?;
    if is_busy { Err(StoreError::Busy) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
