//! How large an archive and its files may be. Each limit holds while bytes are inflated, whatever the archive declares.

use vestibule_app_protocol::BundleFault;

const MIB: u64 = 1024 * 1024;

/// What an archive may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleLimits {
    /// The archive, in bytes. Default 256 MiB.
    pub archive: u64,
    /// All files together, in bytes. Default 512 MiB.
    pub unpacked: u64,
    /// How many times larger than the archive all files together may be. Default 200.
    pub ratio: u64,
    /// Files up to this many bytes together are not held against `ratio`. Default 1 MiB.
    pub small: u64,
    /// Files and folders, also those that only the path of another one names. Default 20 000.
    pub entries: usize,
    /// The manifest, in bytes. Default 1 MiB.
    pub manifest: u64,
}

impl Default for BundleLimits {
    fn default() -> Self {
        Self {
            archive: 256 * MIB,
            unpacked: 512 * MIB,
            ratio: 200,
            small: MIB,
            entries: 20_000,
            manifest: MIB,
        }
    }
}

impl BundleLimits {
    pub(crate) fn too_large(&self) -> BundleFault {
        BundleFault::TooLarge {
            limit_mb: number(self.archive / MIB),
        }
    }

    pub(crate) fn too_many(&self) -> BundleFault {
        BundleFault::TooMany {
            limit: number(self.entries as u64),
        }
    }

    /// A manifest that is too long, or no JSON.
    pub(crate) fn unreadable(&self, detail: String) -> BundleFault {
        BundleFault::ManifestUnreadable {
            limit_kb: number(self.manifest / 1024),
            detail,
        }
    }

    /// How many bytes all files of an archive may have together.
    pub(crate) fn most(&self, archive: u64) -> u64 {
        self.unpacked
            .min(archive.saturating_mul(self.ratio).max(self.small))
    }

    /// Why an archive of this length has too many bytes in its files.
    pub(crate) fn expands(&self, archive: u64) -> BundleFault {
        if self.most(archive) < self.unpacked {
            return BundleFault::Inflates {
                ratio: number(self.ratio),
            };
        }
        BundleFault::Expands {
            limit_mb: number(self.unpacked / MIB),
        }
    }
}

fn number(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
