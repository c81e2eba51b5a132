//! The end of an archive: the end record of ZIP, and the signature that the reference packer appends behind it. The reader of
//! ZIP gets only the bytes up to the end record, so that bytes behind it cannot hold another directory.

use std::io::{Read, Seek, SeekFrom};

use vestibule_app_protocol::BundleFault;

use crate::limits::BundleLimits;

const END_RECORD: &[u8] = b"PK\x05\x06";
/// The end record without its comment, in bytes.
const END_LENGTH: usize = 22;
/// What stands directly before the end record of an archive in the format ZIP64.
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const ZIP64_LOCATOR_LENGTH: usize = 20;
const SIGNATURE: &[u8] = b"MCPB_SIG_V1";
const SIGNATURE_END: &[u8] = b"MCPB_SIG_END";
/// The most bytes of a signature.
const LARGEST_SIGNATURE: u64 = 64 * 1024;

/// Where an archive ends and what its end record says.
#[derive(Debug)]
pub(crate) struct Tail {
    /// Where the archive ends with the comment of its end record, in bytes.
    pub(crate) end: u64,
    pub(crate) entries: usize,
    /// Where its directory begins.
    pub(crate) directory: u64,
    pub(crate) has_signature: bool,
}

impl Tail {
    /// Reads the end of a file.
    ///
    /// # Errors
    /// Where it is not the end of one archive, with or without a signature.
    pub(crate) fn read(file: &mut (impl Read + Seek), limits: &BundleLimits) -> Result<Self, BundleFault> {
        let length = file.seek(SeekFrom::End(0)).map_err(damaged)?;
        let kept = length.min(LARGEST_SIGNATURE + 2 * u64::from(u16::MAX));
        file.seek(SeekFrom::Start(length - kept)).map_err(damaged)?;
        let mut bytes = vec![];
        file.take(kept).read_to_end(&mut bytes).map_err(damaged)?;
        let signature = signature(&bytes);
        let zip = &bytes[..signature.unwrap_or(bytes.len())];
        let (at, with_comment) = end_record(zip, bytes.len()).ok_or(BundleFault::NotAnArchive)?;
        let tail = Self {
            end: length - kept + with_comment as u64,
            entries: usize::from(u16_at(zip, at + 10)),
            directory: u64::from(u32_at(zip, at + 16)),
            has_signature: signature.is_some(),
        };
        // What is within the limits needs no ZIP64, and its second set of numbers could contradict the first.
        let locator = at.checked_sub(ZIP64_LOCATOR_LENGTH).map(|from| &zip[from..at]);
        if locator.is_some_and(|bytes| bytes.starts_with(ZIP64_LOCATOR)) || tail.entries > limits.entries {
            return Err(limits.too_many());
        }
        Ok(tail)
    }
}

/// Where a signature begins, if the bytes end with a whole one. Bytes in a signature may look like its beginning, so the
/// length decides.
fn signature(bytes: &[u8]) -> Option<usize> {
    let body = bytes.strip_suffix(SIGNATURE_END)?;
    let last = body.len().checked_sub(SIGNATURE.len() + 4)?;
    (0..=last).rev().find(|found| {
        let length_at = found + SIGNATURE.len();
        body[*found..].starts_with(SIGNATURE)
            && u32_at(body, length_at) as usize == body.len() - length_at - 4
    })
}

/// Where the end record begins, and where the archive ends with its comment: before the signature, or behind it in archives
/// whose comment counts the signature, because strict readers refuse the file otherwise.
fn end_record(zip: &[u8], with_signature: usize) -> Option<(usize, usize)> {
    let last = zip.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find_map(|at| {
        if !zip[at..].starts_with(END_RECORD) {
            return None;
        }
        let end = at + END_LENGTH + usize::from(u16_at(zip, at + 20));
        let fits = end == zip.len() || (end == with_signature && at + END_LENGTH == zip.len());
        fits.then_some((at, end))
    })
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn damaged(error: std::io::Error) -> BundleFault {
    BundleFault::Damaged {
        detail: error.to_string(),
    }
}
