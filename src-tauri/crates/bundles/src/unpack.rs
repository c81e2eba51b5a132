//! Writes the files of an archive below a new folder. Files can only be read, or run where the archive says so; nothing of
//! their owner, group or other rights is taken over.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use vestibule_store::{create_private_file, make_folder_private};

use crate::UnpackError;
use crate::archive::{Archive, ArchiveEntry, CopyError};

/// Unpacks an archive into a folder. What was written stays where something fails.
pub(crate) fn unpack(archive: &mut Archive<'_>, folder: &Path) -> Result<(), UnpackError> {
    make_folder_private(folder)?;
    let mut bytes = 0;
    for index in 0..archive.len() {
        let entry = archive.entry(index)?;
        let path = folder.join(&entry.path);
        if entry.is_folder {
            fs::create_dir_all(&path)?;
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = create_private_file(&path)?;
        archive
            .copy(index, &mut file, &mut bytes)
            .map_err(|error| match error {
                CopyError::Refused(fault) => UnpackError::Refused(fault),
                CopyError::TooMuch => UnpackError::Refused(archive.expands()),
                CopyError::Written(error) => UnpackError::Io(error),
            })?;
        protect(&file, &entry)?;
    }
    Ok(())
}

/// Takes away every right but to read, and to run where the archive says so.
fn protect(file: &File, entry: &ArchiveEntry) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mode = if entry.is_program { 0o500 } else { 0o400 };
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = entry;
        let mut rights = file.metadata()?.permissions();
        rights.set_readonly(true);
        file.set_permissions(rights)
    }
}
