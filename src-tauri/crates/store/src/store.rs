//! The handle everyone holds. What can be asked of it stands beside each record, in the module of its noun; here
//! is only how it opens, closes and hands jobs to its two threads.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::StoreError;
use crate::desk::Desk;
use crate::file;

/// Everything Vestibule keeps. Cheap to clone; all clones speak to the same two threads, which end when the
/// last clone is gone.
#[derive(Clone)]
pub struct Store {
    writer: Desk,
    reader: Desk,
    path: Option<PathBuf>,
}

impl Store {
    /// Opens the database at `path`, creating it and its folder if needed, and brings it to the newest format.
    /// Blocks for the time that takes.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process has it open, [`StoreError::Newer`] and [`StoreError::Foreign`]
    /// (the file is then left as it was), [`StoreError::Corrupt`], [`StoreError::Full`],
    /// [`StoreError::ReadOnly`], [`StoreError::Busy`] or [`StoreError::Io`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let lock = file::lock(path)?;
        let connection = file::open_writer(path)?;
        let reader = Desk::start("store-read", file::open_read_only(path)?, ())?;
        let writer = Desk::start("store-write", connection, lock)?;
        Ok(Self {
            writer,
            reader,
            path: Some(path.to_owned()),
        })
    }

    /// A store that forgets everything when its last clone is gone.
    ///
    /// # Errors
    /// Only if the system gives neither memory nor a thread.
    pub fn in_memory() -> Result<Self, StoreError> {
        // A second connection to memory would be a second database, so one thread does both.
        let desk = Desk::start("store-memory", file::open_memory()?, ())?;
        Ok(Self {
            writer: desk.clone(),
            reader: desk,
            path: None,
        })
    }

    /// Finishes what is queued, closes the file and frees the folder's lock. Later calls on any clone give
    /// [`StoreError::Closed`].
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// The file, unless the store is in memory.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.call(job).await
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
