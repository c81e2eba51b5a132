//! Work that waits for files, done outside of the threads that serve the windows.

use tokio::task::spawn_blocking;

use crate::view::{Problem, StoreProblem};

/// Does work on a thread that may wait.
///
/// # Errors
/// Those of the work, and where it panicked.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(Problem::Store(StoreProblem::StoreFailed {
            detail: error.to_string(),
        }))
    })
}
