//! Folders and files that no other account of this computer can read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and those above it where they are missing. Folders that exist stay as they are.
///
/// # Errors
/// When one of them cannot be created.
pub fn create_private_folders(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The same for a folder inside the data folder. One that exists is closed to other accounts.
///
/// # Errors
/// When it cannot be created, or something else is in its place, such as a link to another folder.
pub fn make_folder_private(folder: &Path) -> io::Result<()> {
    create_private_folders(folder)?;
    if !folder.symlink_metadata()?.is_dir() {
        return Err(io::Error::other("it is a link, not a folder"));
    }
    #[cfg(unix)]
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Creates a file. Nothing is overwritten and no link is followed.
///
/// # Errors
/// When something of this name exists, or the file cannot be created.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
