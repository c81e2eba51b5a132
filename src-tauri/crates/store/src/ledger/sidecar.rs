//! What stands beside a record until the user deletes its chat, or what the ledger knows of its removed server: the files and hosts it names, in plain
//! words to be searched for, and the salt of the digests in it. The record itself keeps a digest of the names and digests
//! of what was said, all under that salt. With the deletion names and salt go, and what stays does not show what it was,
//! however short, while the chain holds as before. With the content and the salt it can still be shown that they belong
//! to the record.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Row, Rows, params};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;
use vestibule_policy::{ContentDigest, Digest, Mention};

use super::forgotten::Forgotten;
use super::names::{columns, named};
use super::seal::Sealed;
use super::servers::keep_name_of_row;
use crate::columns::change;
use crate::{Store, StoreError};

/// The member of a record's body that holds the digest of its names, and with it vouches for the salt.
const NAMES: &str = "names";
/// The member that says that names and salt stay until a record of their deletion. Records of formats before
/// [`SEALED_DELETIONS`] do not have it.
const NAMES_KEPT: &str = "names_kept";
/// The format in which anything was first kept beside a record.
pub(super) const SINCE: i64 = 5;
/// The format in which deleting what stands beside a record first added a record.
pub(super) const SEALED_DELETIONS: i64 = 6;

/// What a record tells until the user deletes its chat, or what the ledger knows of its server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The files and hosts it names.
    pub names: BTreeSet<Mention>,
    /// Digests of what was said, under the names they get in the record's body.
    pub content_digests: BTreeMap<&'static str, ContentDigest>,
}

/// The same on its way into the file.
#[derive(Debug)]
pub(super) struct SealedSidecar {
    salt: String,
    names: BTreeSet<Mention>,
}

impl SealedSidecar {
    /// Puts digests into a record's body; nothing where there is nothing to keep.
    pub(super) fn seal(sidecar: Sidecar, body: &mut Value) -> Option<Self> {
        let Sidecar {
            names,
            content_digests,
        } = sidecar;
        if names.is_empty() && content_digests.is_empty() {
            return None;
        }
        let members = body.as_object_mut()?;
        let salt = Uuid::new_v4().to_string();
        let content_digests = content_digests
            .iter()
            .map(|(name, digest)| (*name, digest.salted(&salt)));
        for (name, digest) in content_digests.chain([(NAMES, Digest::of_names(&salt, &names))]) {
            members.insert(name.to_owned(), digest.to_string().into());
        }
        members.insert(NAMES_KEPT.to_owned(), true.into());
        Some(Self { salt, names })
    }

    /// Writes it down, unless the chat it belongs to, or what the ledger knew of the server, is deleted already.
    pub(super) fn write(&self, connection: &Connection, record: &Sealed) -> rusqlite::Result<()> {
        let mut is_kept = self.write_salt(connection, record)?;
        if let Some(server) = record.server.as_ref().filter(|_| !is_kept) {
            keep_name_of_row(connection, server)?;
            is_kept = self.write_salt(connection, record)?;
        }
        if !is_kept {
            return Ok(());
        }
        let mut insert =
            connection.prepare_cached("INSERT INTO ledger_names (seq, what, name) VALUES (?1, ?2, ?3)")?;
        for named in &self.names {
            let (what, name) = columns(named);
            insert.execute(params![record.seq, what, name])?;
        }
        Ok(())
    }

    /// Returns whether the chat and the server that the record belongs to are known.
    fn write_salt(&self, connection: &Connection, record: &Sealed) -> rusqlite::Result<bool> {
        let sql = "INSERT INTO ledger_words (seq, server, chat, salt) SELECT ?1, ?2, ?3, ?4
                   WHERE (?2 IS NULL OR EXISTS (SELECT 1 FROM ledger_servers WHERE id = ?2))
                     AND (?3 IS NULL OR EXISTS (SELECT 1 FROM chats WHERE id = ?3))";
        let values = params![record.seq, record.server, record.chat, self.salt];
        Ok(change(connection, sql, values)? > 0)
    }
}

impl Store {
    /// The salt of a record's digests, to show what they stand for; `None` where it has none, or it was deleted with
    /// the chat or with what the ledger knew of the server.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger_salt(&self, seq: i64) -> Result<Option<String>, StoreError> {
        self.read(move |c| {
            let mut statement = c.prepare_cached("SELECT salt FROM ledger_words WHERE seq = ?1")?;
            Ok(statement.query_row([seq], |row| row.get(0)).optional()?)
        })
        .await
    }
}

/// Reads [`SidecarReader`]'s two tables in the order of the records.
pub(super) const WORDS: &str = "SELECT seq, salt FROM ledger_words ORDER BY seq";
pub(super) const WORDS_NAMES: &str = "SELECT seq, what, name FROM ledger_names ORDER BY seq";

/// What stands beside the records, read along with them from the first to the last.
pub(super) struct SidecarReader<'a> {
    salts: Rows<'a>,
    names: Rows<'a>,
    forgotten: Forgotten,
    salt: Option<(i64, String)>,
    name: Option<(i64, Mention)>,
}

impl<'a> SidecarReader<'a> {
    /// `salts` is what [`WORDS`] gives, `names` what [`WORDS_NAMES`] does.
    pub(super) fn new(salts: Rows<'a>, names: Rows<'a>, forgotten: Forgotten) -> Result<Self, StoreError> {
        let mut sheet = Self {
            salts,
            names,
            forgotten,
            salt: None,
            name: None,
        };
        sheet.turn_salt()?;
        sheet.turn_name()?;
        Ok(sheet)
    }

    /// Whether the salt and the names of a record are those it was sealed with, or were deleted by the user. Call it for the
    /// records in their order; a row that belongs to no record fails the check.
    pub(super) fn holds(&mut self, record: &Sealed) -> Result<bool, StoreError> {
        let mut names = BTreeSet::new();
        while let Some((seq, named)) = self.name.take_if(|(seq, _)| *seq <= record.seq) {
            if seq < record.seq {
                return Ok(false);
            }
            names.insert(named);
            self.turn_name()?;
        }
        let vouching: SidecarCommitment = serde_json::from_str(&record.body).unwrap_or_default();
        let Some((seq, salt)) = self.salt.take_if(|(seq, _)| *seq <= record.seq) else {
            return Ok(names.is_empty() && self.may_lack(record, &vouching));
        };
        self.turn_salt()?;
        Ok(seq == record.seq && vouching.names == Some(Digest::of_names(&salt, &names)))
    }

    /// Whether nothing need stand beside a record: it was sealed with nothing, or the user deleted what it was.
    fn may_lack(&self, record: &Sealed, vouching: &SidecarCommitment) -> bool {
        let (chat, server) = (record.chat.as_deref(), record.server.as_deref());
        vouching.names.is_none() || self.forgotten.excuses(vouching.names_kept, chat, server)
    }

    /// What stands beside a record that is not there, by the number it would have.
    pub(super) fn left_over(&self) -> Option<i64> {
        let salt = self.salt.as_ref().map(|(seq, _)| *seq);
        let name = self.name.as_ref().map(|(seq, _)| *seq);
        salt.into_iter().chain(name).min()
    }

    fn turn_salt(&mut self) -> Result<(), StoreError> {
        let row = self.salts.next()?;
        self.salt = row
            .map(|row| Ok::<_, StoreError>((row.get(0)?, row.get(1)?)))
            .transpose()?;
        Ok(())
    }

    fn turn_name(&mut self) -> Result<(), StoreError> {
        let row = self.names.next()?;
        let read =
            |row: &Row<'_>| Ok::<_, StoreError>((row.get(0)?, named(&row.get::<_, String>(1)?, row.get(2)?)));
        self.name = row.map(read).transpose()?;
        Ok(())
    }
}

/// The part of a record's body that vouches for what stands beside it.
#[derive(Default, Deserialize)]
struct SidecarCommitment {
    names: Option<Digest>,
    #[serde(default)]
    names_kept: bool,
}
