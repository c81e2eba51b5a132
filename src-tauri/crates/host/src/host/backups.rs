//! Backups of the database, and restoring one. A chosen file is copied into the data folder and opened there, so that what
//! is shown of it is what is restored. It replaces the data at the next start, once the user confirmed it.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use jiff::Timestamp;
use vestibule_config_import::open_regular;
use vestibule_store::{Store, StoreError, Verification, WaitingBackup, create_private_file, local_date};

use super::Host;
use super::blocking::blocking;
use super::export::PartFile;
use crate::view::{BackupView, BackupWritten, InputProblem, Problem, StoreProblem};

/// The largest backup that is read, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024 * 1024;
/// What each SQLite database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// A backup that waits.
pub(super) struct ChosenBackup {
    view: BackupView,
    /// The name of the folder for the data of before.
    name: String,
}

impl Host {
    /// A name for the file of a backup, without its folder, with the date in the zone of this computer.
    #[must_use]
    pub fn backup_name() -> String {
        format!("vestibule-backup-{}.db", local_date(Timestamp::now()))
    }

    /// Writes a backup to a file, which is replaced once the new one is whole.
    ///
    /// # Errors
    /// When the database cannot be read or the file not be written.
    pub async fn backup_write_to(&self, path: PathBuf) -> Result<BackupWritten, Problem> {
        let (store, part) = (self.0.store.clone(), self.0.parts.begin(&path));
        blocking(move || write(&store, part, &path)).await
    }

    /// Copies a backup into the data folder and says what it holds. It replaces one that waited.
    ///
    /// # Errors
    /// When the file cannot be read, is no backup, is damaged, or was written by a newer version.
    pub async fn backup_read(&self, path: &Path) -> Result<BackupView, Problem> {
        self.backup_drop().await?;
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let read = self.read_backup(path.to_owned(), &file).await;
        if read.is_err() {
            self.backup_drop().await?;
        }
        read
    }

    /// The backup that waits.
    pub fn backup_waiting(&self) -> Option<BackupView> {
        self.chosen_backup().as_ref().map(|chosen| chosen.view.clone())
    }

    /// Has the backup that waits restored at the next start.
    ///
    /// # Errors
    /// When none waits, or that cannot be written.
    pub async fn backup_confirm(&self) -> Result<BackupView, Problem> {
        let name = self.chosen_backup().as_ref().map(|chosen| chosen.name.clone());
        let name = name.ok_or(Problem::Input(InputProblem::Gone))?;
        let waiting = self.waiting_backup();
        blocking(move || Ok(waiting.confirm(&name)?)).await?;
        let mut chosen = self.chosen_backup();
        let view = &mut chosen.as_mut().ok_or(Problem::Input(InputProblem::Gone))?.view;
        view.confirmed = true;
        Ok(view.clone())
    }

    /// Forgets the backup that waits.
    ///
    /// # Errors
    /// When its copy cannot be removed.
    pub async fn backup_drop(&self) -> Result<(), Problem> {
        self.chosen_backup().take();
        let waiting = self.waiting_backup();
        blocking(move || Ok(waiting.remove()?)).await
    }

    async fn read_backup(&self, path: PathBuf, file: &str) -> Result<BackupView, Problem> {
        let waiting = self.waiting_backup();
        let named = file.to_owned();
        let (store, bytes) = blocking(move || copy(&waiting, &path, &named)).await?;
        let looked = look_into(&store).await;
        store.close().await;
        let (holds, ledger_intact) = looked.map_err(|error| unusable(file, error))?;
        let name = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
        let view = BackupView {
            file: file.to_owned(),
            bytes,
            holds,
            replaces: self.0.store.counts().await?,
            ledger_intact,
            kept_in: self.waiting_backup().kept_in(&name).display().to_string(),
            confirmed: false,
        };
        *self.chosen_backup() = Some(ChosenBackup {
            view: view.clone(),
            name,
        });
        Ok(view)
    }

    fn waiting_backup(&self) -> WaitingBackup {
        WaitingBackup::beside(&self.0.data_folder.join("vestibule.db"))
    }

    fn chosen_backup(&self) -> MutexGuard<'_, Option<ChosenBackup>> {
        self.0
            .chosen_backup
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(store: &Store, part: PartFile, path: &Path) -> Result<BackupWritten, Problem> {
    let failed = |error: std::io::Error| {
        Problem::Store(StoreProblem::NotExported {
            path: path.display().to_string(),
            detail: error.to_string(),
        })
    };
    create_private_file(part.path()).map_err(failed)?;
    store.write_backup(part.path())?;
    let bytes = std::fs::metadata(part.path()).map_err(failed)?.len();
    part.take_place().map_err(failed)?;
    Ok(BackupWritten {
        path: path.display().to_string(),
        bytes,
    })
}

/// Copies a chosen file to where it waits and opens the copy, which brings it to the newest format.
fn copy(waiting: &WaitingBackup, path: &Path, file: &str) -> Result<(Store, u64), Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::Input(InputProblem::FileUnreadable {
            file: file.to_owned(),
            detail: error.to_string(),
        })
    };
    let mut chosen = open_regular(path).map_err(unreadable)?;
    let mut magic = vec![];
    (&mut chosen)
        .take(MAGIC.len() as u64)
        .read_to_end(&mut magic)
        .map_err(unreadable)?;
    if magic != MAGIC {
        return Err(foreign(file));
    }
    let (place, mut target) = waiting.create()?;
    target.write_all(&magic).map_err(unreadable)?;
    let rest = std::io::copy(&mut chosen.take(MAX_FILE), &mut target).map_err(unreadable)?;
    if rest == MAX_FILE {
        return Err(Problem::Input(InputProblem::FileTooLarge {
            file: file.to_owned(),
            limit_kb: (MAX_FILE / 1024) as u32,
        }));
    }
    drop(target);
    let store = Store::open(&place).map_err(|error| unusable(file, error))?;
    Ok((store, rest + MAGIC.len() as u64))
}

async fn look_into(store: &Store) -> Result<(crate::view::DataCounts, bool), StoreError> {
    store.check_pages().await?;
    let verified = store.verify(|_, _| {}).await?;
    Ok((
        store.counts().await?,
        matches!(verified, Verification::Intact { .. }),
    ))
}

fn foreign(file: &str) -> Problem {
    Problem::Input(InputProblem::BackupForeign {
        file: file.to_owned(),
    })
}

/// Why a file cannot be restored. What the disk of this computer says is passed on as it is.
fn unusable(file: &str, error: StoreError) -> Problem {
    let format = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    match error {
        StoreError::Foreign { .. } => foreign(file),
        StoreError::Newer { found, known } => Problem::Input(InputProblem::BackupNewer {
            file: file.to_owned(),
            found: format(found),
            known: format(known),
        }),
        StoreError::Full | StoreError::ReadOnly => error.into(),
        other => Problem::Input(InputProblem::BackupDamaged {
            file: file.to_owned(),
            detail: other.to_string(),
        }),
    }
}
