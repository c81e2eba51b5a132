//! A file that is written part by part, so that what is exported never has to be in memory whole. It is closed to other
//! accounts. It is a new file in the data folder, or takes the place that the user picked once it is whole.

mod parts;

use std::fs::File;
use std::io::{BufWriter, ErrorKind, IntoInnerError, Result as IoResult, Write as _};
use std::path::{Path, PathBuf};

use vestibule_store::{create_private_file, make_folder_private};

pub(super) use parts::{PartFile, PartFiles};

use crate::view::{Problem, StoreProblem};

/// How many files of one name there may be. The name has the second in it.
const MOST_OF_A_NAME: u32 = 100;

/// A file being written.
pub(super) struct Export {
    path: PathBuf,
    /// Where it is written until it is whole.
    part: Option<PartFile>,
    file: BufWriter<File>,
}

impl Export {
    /// Begins a file of this name, and the folder for it.
    pub(super) async fn create(folder: PathBuf, name: String) -> Result<Self, Problem> {
        let wanted = folder.join(&name);
        let create = move || {
            make_folder_private(&folder)?;
            create_file(&folder, &name)
        };
        match off_the_runtime(create).await {
            Ok((path, file)) => Ok(Self {
                path,
                part: None,
                file: BufWriter::new(file),
            }),
            Err(error) => Err(not_exported(&wanted, &error)),
        }
    }

    /// Begins a file that replaces what is at `path` once it is whole. Until then it has another name in the same folder.
    pub(super) async fn replace(path: PathBuf, parts: &PartFiles) -> Result<Self, Problem> {
        let part = parts.begin(&path);
        let create = move || Ok((create_private_file(part.path())?, part));
        match off_the_runtime(create).await {
            Ok((file, part)) => Ok(Self {
                path,
                part: Some(part),
                file: BufWriter::new(file),
            }),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }

    pub(super) async fn write(self, content: impl AsRef<[u8]> + Send + 'static) -> Result<Self, Problem> {
        let Self { path, part, mut file } = self;
        let write = move || {
            file.write_all(content.as_ref())?;
            Ok(file)
        };
        match off_the_runtime(write).await {
            Ok(file) => Ok(Self { path, part, file }),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }

    /// Ends the file and says where it is, once it is on the disk.
    pub(super) async fn finish(self) -> Result<String, Problem> {
        let Self { path, part, file } = self;
        let finish = move || {
            file.into_inner()
                .map_err(IntoInnerError::into_error)?
                .sync_all()?;
            part.map_or(Ok(()), PartFile::take_place)
        };
        match off_the_runtime(finish).await {
            Ok(()) => Ok(path.display().to_string()),
            Err(error) => Err(not_exported(&path, &error)),
        }
    }
}

/// Creates a file of this name, or with a number before its ending where that exists.
fn create_file(folder: &Path, name: &str) -> IoResult<(PathBuf, File)> {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut number = 1;
    loop {
        let path = match number {
            1 => folder.join(name),
            _ => folder.join(format!("{stem}-{number}.{ending}")),
        };
        match create_private_file(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_OF_A_NAME => number += 1,
            created => return Ok((path, created?)),
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

fn not_exported(path: &Path, error: &std::io::Error) -> Problem {
    Problem::Store(StoreProblem::NotExported {
        path: path.display().to_string(),
        detail: error.to_string(),
    })
}
