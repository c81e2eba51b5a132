//! Which changes wait for the disk. SQLite calls the two levels `synchronous=FULL` and `NORMAL`; with a write-ahead log both
//! survive the end of the process, and a flush also covers what was committed before it without one.

use rusqlite::Connection;

use crate::StoreError;

/// When a change that was answered is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flush {
    /// With the next change that is flushed. Until then a loss of power may undo it.
    Later,
    /// Before its answer: a loss of power does not undo it.
    Now,
}

/// A connection that flushes each commit, or not, as was last asked of it.
pub(super) struct FlushingConnection {
    connection: Connection,
    flush: Flush,
}

impl FlushingConnection {
    /// Takes a connection that flushes each commit.
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            connection,
            flush: Flush::Now,
        }
    }

    /// The connection, which flushes the commits that follow as `flush` says.
    pub(super) fn with(&mut self, flush: Flush) -> Result<&mut Connection, StoreError> {
        if self.flush != flush {
            let level = match flush {
                Flush::Later => "NORMAL",
                Flush::Now => "FULL",
            };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.flush = flush;
        }
        Ok(&mut self.connection)
    }

    pub(super) fn close(mut self) -> Result<(), StoreError> {
        self.with(Flush::Now)?;
        Ok(self.connection.close().map_err(|(_, error)| error)?)
    }
}
