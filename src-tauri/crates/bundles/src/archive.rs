//! Reads a ZIP archive within limits. Every entry is inflated and compared with its checksum before anything of the archive
//! is used.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use vestibule_app_protocol::BundleFault;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::limits::BundleLimits;
use crate::path::{self, Paths};
use crate::tail::Tail;

/// The bits of a Unix mode that say what an entry is.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// An archive whose directory was read and whose paths were checked.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Section<'a>>,
    limits: &'a BundleLimits,
    /// The archive, in bytes.
    length: u64,
    paths: Paths,
    has_signature: bool,
}

/// An entry of an archive.
pub(crate) struct ArchiveEntry {
    pub(crate) path: String,
    pub(crate) is_folder: bool,
    /// Whether its owner may run it.
    pub(crate) is_program: bool,
}

/// What reading a whole archive came to.
#[derive(Default)]
pub(crate) struct ArchiveContent {
    /// All files together, in bytes.
    pub(crate) bytes: u64,
    pub(crate) files: u32,
    /// The file that was asked for.
    pub(crate) kept: Option<Vec<u8>>,
}

impl<'a> Archive<'a> {
    /// Reads the directory of an archive and checks every entry of it.
    ///
    /// # Errors
    /// Why the archive is refused.
    pub(crate) fn open(file: &'a mut File, limits: &'a BundleLimits) -> Result<Self, BundleFault> {
        let tail = Tail::read(file, limits)?;
        let section = Section {
            file,
            end: tail.end,
            at: 0,
        };
        let zip = ZipArchive::new(section).map_err(damaged)?;
        let mut archive = Self {
            zip,
            limits,
            length: tail.end,
            paths: Paths::default(),
            has_signature: tail.has_signature,
        };
        archive.compare(&tail)?;
        for index in 0..archive.len() {
            let entry = archive.entry(index)?;
            archive.paths.add(&entry.path, !entry.is_folder)?;
            // Each entry can bring forty folders that no entry stands for.
            if archive.paths.are_more_than(limits.entries) {
                return Err(limits.too_many());
            }
        }
        Ok(archive)
    }

    pub(crate) fn len(&self) -> usize {
        self.zip.len()
    }

    pub(crate) fn has_signature(&self) -> bool {
        self.has_signature
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.paths.has_file(path)
    }

    /// The library read the directory that the end record names, no entry shares bytes with another, and what stands before
    /// each entry says the same as the directory.
    fn compare(&mut self, tail: &Tail) -> Result<(), BundleFault> {
        let odd = |detail: &str| BundleFault::Damaged {
            detail: detail.to_owned(),
        };
        if self.zip.has_duplicate_names() {
            return Err(odd("two of its entries have the same name"));
        }
        let is_same = self.zip.len() == tail.entries
            && self.zip.offset() == 0
            && self.zip.central_directory_start() == tail.directory;
        if !is_same {
            return Err(odd("its end record and its directory do not agree"));
        }
        if self.zip.has_overlapping_entries().map_err(damaged)? {
            return Err(odd("some of its entries share bytes"));
        }
        self.zip.validate_header_consistency().map_err(damaged)
    }

    /// One entry of the directory.
    ///
    /// # Errors
    /// Where it is no plain file or folder.
    pub(crate) fn entry(&self, index: usize) -> Result<ArchiveEntry, BundleFault> {
        let entry = self.zip.by_index_data(index).map_err(damaged)?;
        let raw = entry.name_raw();
        let text = path::shown(raw);
        let path = path::checked(raw)?.to_owned();
        let is_folder = raw.ends_with(b"/");
        // Whatever system the archive says it was made on.
        let mode = entry.external_attributes() >> 16;
        let is_kind = match mode & KIND {
            0 => true,
            REGULAR => !is_folder,
            FOLDER => is_folder,
            _ => false,
        };
        if !is_kind || (is_folder && entry.size() > 0) {
            return Err(BundleFault::Kind { path: text });
        }
        if entry.encrypted() {
            return Err(BundleFault::Encrypted { path: text });
        }
        if !matches!(
            entry.compression(),
            CompressionMethod::Stored | CompressionMethod::Deflated
        ) {
            return Err(BundleFault::Packed { path: text });
        }
        Ok(ArchiveEntry {
            path,
            is_folder,
            is_program: mode & 0o100 != 0,
        })
    }

    /// Inflates every file, and gives back the one with this path.
    ///
    /// # Errors
    /// Where the files have more bytes than they may, or other bytes than the archive says.
    pub(crate) fn read_all(&mut self, wanted: &str) -> Result<ArchiveContent, BundleFault> {
        let mut content = ArchiveContent::default();
        for index in 0..self.len() {
            let entry = self.entry(index)?;
            if entry.is_folder {
                continue;
            }
            content.files += 1;
            if entry.path == wanted {
                let mut kept = Capped {
                    bytes: vec![],
                    most: self.limits.manifest,
                };
                self.copy(index, &mut kept, &mut content.bytes)
                    .map_err(|error| self.refused(error))?;
                content.kept = Some(kept.bytes);
            } else {
                self.copy(index, &mut io::sink(), &mut content.bytes)
                    .map_err(|error| self.refused(error))?;
            }
        }
        Ok(content)
    }

    /// Inflates one file. `before` has the bytes of the files before it and is raised.
    pub(crate) fn copy(
        &mut self,
        index: usize,
        to: &mut impl Write,
        before: &mut u64,
    ) -> Result<(), CopyError> {
        let left = self.limits.most(self.length).saturating_sub(*before);
        let file = self
            .zip
            .by_index(index)
            .map_err(|error| CopyError::Refused(damaged(error)))?;
        let mut bytes = file.take(left + 1);
        let mut part = vec![0; 64 * 1024];
        loop {
            let read = match bytes.read(&mut part) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) => return Err(CopyError::Refused(broken(&error))),
            };
            *before += read as u64;
            if bytes.limit() == 0 {
                return Err(CopyError::TooMuch);
            }
            to.write_all(&part[..read]).map_err(CopyError::Written)?;
        }
    }

    /// Why reading ended, where nothing was written to a disk.
    fn refused(&self, error: CopyError) -> BundleFault {
        match error {
            CopyError::Refused(fault) => fault,
            CopyError::TooMuch => self.expands(),
            CopyError::Written(error) => self.limits.unreadable(error.to_string()),
        }
    }

    pub(crate) fn expands(&self) -> BundleFault {
        self.limits.expands(self.length)
    }
}

/// Why a file was not inflated.
pub(crate) enum CopyError {
    Refused(BundleFault),
    /// The files have more bytes than they may.
    TooMuch,
    Written(io::Error),
}

/// Bytes in memory, up to a limit.
struct Capped {
    bytes: Vec<u8>,
    most: u64,
}

impl Write for Capped {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + part.len()) as u64 > self.most {
            return Err(io::Error::other("it is too long"));
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The beginning of a file, as if it ended there.
struct Section<'a> {
    file: &'a mut File,
    end: u64,
    at: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.at))?;
        let left = self.end.saturating_sub(self.at);
        let read = Read::by_ref(self.file).take(left).read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Section<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

fn damaged(error: ZipError) -> BundleFault {
    BundleFault::Damaged {
        detail: error.to_string(),
    }
}

fn broken(error: &io::Error) -> BundleFault {
    BundleFault::Damaged {
        detail: error.to_string(),
    }
}
