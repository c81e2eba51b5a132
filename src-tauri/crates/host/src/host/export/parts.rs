//! Files with another name until they are whole. Closing waits for them, and removes those that take too long.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Result as IoResult};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use uuid::Uuid;

/// The files that are being written. All clones are the same files.
#[derive(Clone, Default)]
pub(in crate::host) struct PartFiles(Arc<PartFilesInner>);

#[derive(Default)]
struct PartFilesInner {
    paths: Mutex<BTreeSet<PathBuf>>,
    tracker: TaskTracker,
}

/// A file that is removed unless it took its place.
pub(in crate::host) struct PartFile {
    path: PathBuf,
    place: PathBuf,
    files: PartFiles,
    /// After the last use of the file: closing goes on once it is dropped.
    _under_way: TaskTrackerToken,
}

impl PartFiles {
    /// A name in the folder of `place` for a file that will take that place. The file is not created.
    pub(in crate::host) fn begin(&self, place: &Path) -> PartFile {
        let mut path = place.to_owned().into_os_string();
        path.push(format!(".{}.part", Uuid::now_v7()));
        let path = PathBuf::from(path);
        self.paths().insert(path.clone());
        PartFile {
            path,
            place: place.to_owned(),
            files: self.clone(),
            _under_way: self.0.tracker.token(),
        }
    }

    /// Waits until all are whole or given up, and at the deadline removes those that are not. The application ends then.
    pub(in crate::host) async fn close(&self, deadline: Instant) {
        self.0.tracker.close();
        if timeout_at(deadline, self.0.tracker.wait()).await.is_err() {
            tracing::warn!("a file that was being written is given up");
            for path in self.paths().iter() {
                remove(path);
            }
        }
    }

    fn paths(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.0.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartFile {
    pub(in crate::host) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces what is at its place.
    pub(in crate::host) fn take_place(self) -> IoResult<()> {
        std::fs::rename(&self.path, &self.place)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        remove(&self.path);
        self.files.paths().remove(&self.path);
    }
}

fn remove(path: &Path) {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            tracing::warn!(%error, "failed to remove the part of a file");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn closing_waits_for_a_file_that_is_being_written() {
        let (folder, files) = (tempfile::tempdir().unwrap(), PartFiles::default());
        let part = files.begin(&folder.path().join("all.json"));
        std::fs::write(part.path(), "all").unwrap();
        let close = files.close(Instant::now() + Duration::from_secs(5));
        let write = async {
            tokio::task::yield_now().await;
            part.take_place().unwrap();
        };
        tokio::join!(close, write);
        assert_eq!(names(folder.path()), ["all.json"]);
    }

    /// What is in it would otherwise stay in a folder of the user.
    #[tokio::test(start_paused = true)]
    async fn a_file_that_takes_too_long_is_removed_when_the_application_closes() {
        let (folder, files) = (tempfile::tempdir().unwrap(), PartFiles::default());
        let part = files.begin(&folder.path().join("all.json"));
        std::fs::write(part.path(), "half").unwrap();
        files.close(Instant::now() + Duration::from_secs(5)).await;
        assert_eq!(names(folder.path()), Vec::<String>::new());
        assert!(part.take_place().is_err());
    }

    #[test]
    fn a_file_that_is_given_up_is_removed() {
        let (folder, files) = (tempfile::tempdir().unwrap(), PartFiles::default());
        let part = files.begin(&folder.path().join("all.json"));
        std::fs::write(part.path(), "half").unwrap();
        drop(part);
        assert_eq!(names(folder.path()), Vec::<String>::new());
        assert!(files.paths().is_empty());
    }
}
