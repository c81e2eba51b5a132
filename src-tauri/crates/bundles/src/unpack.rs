//! Writes the files of an archive below a new folder. Files can only be read, or run where the archive says so; nothing of
//! their owner, group or other rights is taken over.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::UnpackError;
use crate::archive::{Archive, ArchiveEntry, CopyError};

/// Unpacks an archive into a folder that does not exist. It is removed where something fails.
pub(crate) fn unpack(archive: &mut Archive<'_>, folder: &Path) -> Result<(), UnpackError> {
    make_folder(folder)?;
    let written = write_all(archive, folder);
    if written.is_err() {
        // The reason is reported; what was left behind is removed with the next attempt.
        let _ = fs::remove_dir_all(folder);
    }
    written
}

fn write_all(archive: &mut Archive<'_>, folder: &Path) -> Result<(), UnpackError> {
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
        let mut file = create(&path)?;
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

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a file. Nothing is overwritten and no link is followed.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
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
