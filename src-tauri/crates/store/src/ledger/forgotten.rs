//! Records that may stand without their files, hosts and salt: those of a chat or server that the user deleted. The
//! deletion adds a record that names the chat or server by id, in its own transaction. Without such a record a missing
//! sidecar is a break, so another program cannot empty it unnoticed, not even by deleting the chat's row.
//!
//! Versions before format 6 deleted without a record. The upgrade adds one that lists what was gone by then. It
//! counts once, and only for records of those versions: newer records say that their names are kept
//! ([`super::sidecar`]), so downgrading a file and upgrading it again excuses nothing.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction};
use serde::Deserialize;
use serde_json::{Value, json};
use vestibule_protocol::{ChatId, ServerId};

use super::{LedgerDraft, LedgerKind, add, head};
use crate::StoreError;
use crate::columns::all;

/// The user deleted a chat.
const CHAT_DELETED: &str = "chat.delete";
/// The user deleted what the ledger knew of a removed server.
const SERVER_FORGOTTEN: &str = "server.forget";
/// The file was brought to the format in which a deletion adds a record.
const UPGRADED: &str = "ledger.upgrade";
/// Ids in one record of the upgrade: a third of what a record may hold.
const IDS: usize = 8_000;

/// Chats and servers deleted on purpose. An id whose row still exists is left out, because no deletion leaves the row:
/// such a record was added by another program.
const DELETED: &str = "SELECT chat FROM ledger WHERE kind = 'config' AND action = 'chat.delete'
                         AND chat NOT IN (SELECT id FROM chats)
                       UNION ALL
                       SELECT server FROM ledger WHERE kind = 'config' AND action = 'server.forget'
                         AND server NOT IN (SELECT id FROM servers)
                         AND server NOT IN (SELECT id FROM ledger_servers)";
const UPGRADES: &str =
    "SELECT body FROM ledger WHERE kind = 'config' AND action = 'ledger.upgrade' ORDER BY seq";
/// Chats and servers that records speak of and that have no row.
const GONE: &str =
    "SELECT DISTINCT chat FROM ledger WHERE chat IS NOT NULL AND chat NOT IN (SELECT id FROM chats)
                    UNION ALL
                    SELECT DISTINCT server FROM ledger
                    WHERE server IS NOT NULL AND server NOT IN (SELECT id FROM servers)";

/// What the user deleted, as far as the chain says so.
pub(super) struct Forgotten {
    deleted: HashSet<String>,
    /// What was gone when the file was upgraded; `None` for a file that never was.
    before: Option<HashSet<String>>,
}

impl Forgotten {
    /// Reads it from the records, which the caller checks afterwards.
    pub(super) fn load(connection: &Connection, format: i64) -> Result<Self, StoreError> {
        let deleted = if format < super::sidecar::SEALED_DELETIONS {
            HashSet::new()
        } else {
            ids(connection, DELETED)?
        };
        Ok(Self {
            deleted,
            before: upgrade(connection)?,
        })
    }

    /// Whether a record of this chat and server may stand without its names. `kept` is whether the record itself says
    /// that they are kept.
    pub(super) fn excuses(&self, kept: bool, chat: Option<&str>, server: Option<&str>) -> bool {
        let any_of = |ids: &HashSet<String>| [chat, server].into_iter().flatten().any(|id| ids.contains(id));
        if any_of(&self.deleted) {
            return true;
        }
        !kept && self.before.as_ref().is_none_or(any_of)
    }
}

/// The record that a chat was deleted.
pub(crate) fn chat_deleted(chat: ChatId) -> LedgerDraft {
    LedgerDraft {
        chat: Some(chat),
        ..change(CHAT_DELETED, json!({}))
    }
}

/// The record that what the ledger knew of a removed server was deleted.
pub(super) fn server_forgotten(server: ServerId) -> LedgerDraft {
    LedgerDraft {
        server: Some(server),
        ..change(SERVER_FORGOTTEN, json!({}))
    }
}

/// Lists what was deleted before deletions added a record. Once in the life of a file; nothing in an empty ledger.
///
/// # Errors
/// As for every write.
pub(crate) fn seal_upgrade(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let written = head(transaction)?.is_some_and(|head| head.seq > 0);
    if !written || upgrade(transaction)?.is_some() {
        return Ok(());
    }
    let mut gone: Vec<_> = ids(transaction, GONE)?.into_iter().collect();
    gone.sort_unstable();
    let parts = gone.len().div_ceil(IDS).max(1);
    for part in 0..parts {
        let ids: Vec<_> = gone.iter().skip(part * IDS).take(IDS).collect();
        let body = json!({ "part": part + 1, "parts": parts, "gone": ids });
        add(transaction, change(UPGRADED, body))?;
    }
    Ok(())
}

fn change(action: &str, body: Value) -> LedgerDraft {
    LedgerDraft {
        kind: LedgerKind::Config,
        server: None,
        chat: None,
        action: action.to_owned(),
        object: String::new(),
        decision: None,
        because: Value::Null,
        body,
    }
}

/// Rows that another program made unreadable are left out: the walk over the chain reports them.
fn ids(connection: &Connection, sql: &str) -> Result<HashSet<String>, StoreError> {
    let ids = all(connection, sql, [], |row| Ok(row.get::<_, String>(0).ok()))?;
    Ok(ids.into_iter().flatten().collect())
}

/// The record of the upgrade, which may have several parts. A second upgrade does not count.
#[derive(Default, Deserialize)]
struct Upgrade {
    parts: usize,
    gone: Vec<String>,
}

fn upgrade(connection: &Connection) -> Result<Option<HashSet<String>>, StoreError> {
    let records = all(connection, UPGRADES, [], |row| {
        let body = row.get::<_, String>(0).unwrap_or_default();
        Ok(serde_json::from_str::<Upgrade>(&body).unwrap_or_default())
    })?;
    let Some(first) = records.first() else {
        return Ok(None);
    };
    let parts = first.parts;
    Ok(Some(
        records
            .into_iter()
            .take(parts)
            .flat_map(|part| part.gone)
            .collect(),
    ))
}
