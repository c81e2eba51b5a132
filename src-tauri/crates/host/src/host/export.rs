//! A file in the data folder that is written part by part, so that what is exported never has to be in memory whole.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Result as IoResult, Write as _};
use std::path::PathBuf;

use crate::view::{Problem, StoreProblem};

/// A file being written.
pub(super) struct Export {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Export {
    /// Begins a file of this name, and the folder for it.
    pub(super) async fn create(folder: PathBuf, name: String) -> Result<Self, Problem> {
        let path = folder.join(name);
        let place = path.clone();
        let create = move || {
            std::fs::create_dir_all(&folder)?;
            Ok(BufWriter::new(File::create(&place)?))
        };
        match off_the_runtime(create).await {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }

    pub(super) async fn write(self, part: String) -> Result<Self, Problem> {
        let Self { path, mut file } = self;
        let write = move || {
            file.write_all(part.as_bytes())?;
            Ok(file)
        };
        match off_the_runtime(write).await {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }

    /// Ends the file and says where it is, once it is on the disk.
    pub(super) async fn finish(self) -> Result<String, Problem> {
        let Self { path, file } = self;
        let finish = move || file.into_inner().map_err(IntoInnerError::into_error)?.sync_all();
        match off_the_runtime(finish).await {
            Ok(()) => Ok(path.display().to_string()),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }
}

async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> IoResult<T> + Send + 'static,
) -> IoResult<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(std::io::Error::other)?
}

fn not_exported(path: &std::path::Path, error: &std::io::Error) -> Problem {
    Problem::Store(StoreProblem::NotExported {
        path: path.display().to_string(),
        detail: error.to_string(),
    })
}
