//! The ledger: what was intended, decided and done, each record sealed to the one before it by a hash. Records
//! are added and read, never changed or removed, not even when the chat or server they speak of goes. The chain
//! shows any change made without rewriting everything after it and the head; against someone who rewrites all of
//! that, the head must also be kept outside this file, which is the caller's to do.

mod broken;
mod checkpoint;
mod exported;
mod file;
mod forgotten;
mod names;
mod record;
mod seal;
mod servers;
mod sidecar;
mod verify;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};
use vestibule_protocol::ChatId;

use crate::columns::all;
use crate::depth::canonical_json;
use crate::{Store, StoreError};

pub use checkpoint::Checkpoint;
pub use exported::{ExportBreak, ExportCheck, is_export, verify_export};
pub use file::{LedgerFile, verify_file};
pub(crate) use forgotten::{chat_deleted, seal_upgrade};
pub use names::NameCount;
pub use record::{LedgerDraft, LedgerFilter, LedgerKind, LedgerReceipt, LedgerRecord};
use seal::Sealed;
pub use servers::RemovedServer;
pub(crate) use servers::{keep_name, note_removed};
use sidecar::SealedSidecar;
pub use sidecar::Sidecar;
pub use verify::Verification;
pub use vestibule_app_protocol::LedgerBreak;

/// Bytes of text one record may hold.
const MAX_BYTES: usize = 1024 * 1024;

/// Words one filter looks for at most.
const MAX_WORDS: usize = 16;
/// That a record says a word somewhere, or is of a server with the word in its name.
const SAYS: &str = " AND (instr(lower(action || char(10) || object || char(10) || coalesce(decision, '') || char(10) || \
                    because || char(10) || body), lower(?1)) > 0 \
                    OR server IN (SELECT id FROM ledger_servers WHERE instr(lower(name), lower(?1)) > 0))";

/// Records one call of [`Store::ledger`] gives at most.
const MAX_PAGE: u32 = 1000;

impl Store {
    /// Adds a record and returns once it is committed and synced: whatever it permits may happen only after.
    /// The record is stamped with the wall clock. If the caller stops waiting, the record is still added.
    ///
    /// # Errors
    /// Whatever the error, the effect must not happen. [`StoreError::TooLarge`] over 1 MiB or 120 levels;
    /// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn append(&self, draft: LedgerDraft) -> Result<LedgerReceipt, StoreError> {
        self.append_with(draft, Sidecar::default()).await
    }

    /// Adds a record with what tells nothing any more once its chat or server is deleted; of a temporary chat the record
    /// alone. Otherwise as [`Store::append`].
    ///
    /// # Errors
    /// As for [`Store::append`].
    pub async fn append_with(
        &self,
        draft: LedgerDraft,
        sidecar: Sidecar,
    ) -> Result<LedgerReceipt, StoreError> {
        self.queue_append(draft, sidecar).await
    }

    /// The same for a caller that needs its records in the order of its calls: the record stands in the queue when this
    /// returns, unless the queue is full. It counts once the future says so.
    pub fn queue_append(
        &self,
        mut draft: LedgerDraft,
        sidecar: Sidecar,
    ) -> impl Future<Output = Result<LedgerReceipt, StoreError>> + Send + use<> {
        let is_temporary = draft.chat.is_some_and(ChatId::is_temporary);
        let kept = (!is_temporary)
            .then(|| SealedSidecar::seal(sidecar, &mut draft.body))
            .flatten();
        let record = seal_later(draft);
        let store = self.flushed();
        let queued = record.map(|mut record| store.change(move |c| append(c, &mut record, kept.as_ref())));
        async move {
            let receipt = queued?.await?;
            store.ledger_grew(receipt.seq);
            Ok(receipt)
        }
    }

    /// One page of the ledger: newest first, or oldest first where the filter says after which record.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger(&self, filter: LedgerFilter) -> Result<Vec<LedgerRecord>, StoreError> {
        self.read(move |c| page(c, &filter)).await
    }

    /// The newest record's number and hash; number 0 and a hash of zeros while there is none. Keep it outside
    /// this file to notice a ledger that was cut short together with its head.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the head is missing; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger_head(&self) -> Result<LedgerReceipt, StoreError> {
        self.read(|c| {
            let head = head(c)?;
            head.ok_or_else(|| StoreError::corrupt("the ledger has no head"))
        })
        .await
    }
}

/// Everything of the record but what only the writing thread knows: number, time and the hash before.
fn seal_later(draft: LedgerDraft) -> Result<Sealed, StoreError> {
    let texts = [Some(&draft.action), Some(&draft.object), draft.decision.as_ref()];
    let because = canonical_json(&draft.because)?;
    let body = canonical_json(&draft.body)?;
    let size = texts.into_iter().flatten().map(String::len).sum::<usize>() + because.len() + body.len();
    if size > MAX_BYTES {
        return Err(StoreError::TooLarge {
            what: "ledger record",
            size,
            limit: MAX_BYTES,
            unit: "bytes",
        });
    }
    Ok(Sealed {
        seq: 0,
        prev: seal::GENESIS,
        at: 0,
        kind: draft.kind.as_str().to_owned(),
        server: draft.server.map(|server| server.to_string()),
        chat: draft.chat.map(|chat| chat.to_string()),
        action: draft.action,
        object: draft.object,
        decision: draft.decision,
        because,
        body,
        hash: seal::GENESIS,
    })
}

fn append(
    connection: &Connection,
    record: &mut Sealed,
    kept: Option<&SealedSidecar>,
) -> Result<LedgerReceipt, StoreError> {
    link(connection, record)?;
    if let Some(kept) = kept {
        kept.write(connection, record)?;
    }
    Ok(record.receipt())
}

/// Adds a record in a transaction that also does what the record says.
pub(crate) fn add(transaction: &Transaction<'_>, draft: LedgerDraft) -> Result<LedgerReceipt, StoreError> {
    let mut record = seal_later(draft)?;
    link(transaction, &mut record)?;
    Ok(record.receipt())
}

/// Gives a record its number, time and hash, and puts it at the end of the chain.
fn link(connection: &Connection, record: &mut Sealed) -> Result<(), StoreError> {
    let head = head(connection)?.ok_or_else(|| StoreError::corrupt("the ledger has no head"))?;
    record.seq = head.seq + 1;
    record.prev = head.hash;
    record.at = Timestamp::now().as_millisecond();
    record.hash = record.sealed_as(record.seq);
    connection
        .prepare_cached(
            "INSERT INTO ledger (seq, prev, at, kind, server, chat, action, object, decision, because, body, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            record.seq,
            record.prev,
            record.at,
            record.kind,
            record.server,
            record.chat,
            record.action,
            record.object,
            record.decision,
            record.because,
            record.body,
            record.hash,
        ])?;
    connection
        .prepare_cached("UPDATE ledger_head SET seq = ?1, hash = ?2")?
        .execute(params![record.seq, record.hash])?;
    Ok(())
}

fn head(connection: &Connection) -> Result<Option<LedgerReceipt>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT seq, hash FROM ledger_head WHERE one = 1")?;
    let read = statement.query_row([], |row| {
        Ok(LedgerReceipt {
            seq: row.get(0)?,
            hash: row.get(1)?,
        })
    });
    Ok(read.optional()?)
}

fn page(connection: &Connection, filter: &LedgerFilter) -> Result<Vec<LedgerRecord>, StoreError> {
    let mut query = LedgerQuery {
        sql: format!("SELECT {} FROM ledger WHERE seq < ? AND seq > ?", seal::COLUMNS),
        values: vec![
            filter.before.unwrap_or(i64::MAX).into(),
            filter.after.unwrap_or(i64::MIN).into(),
        ],
    };
    query.add_columns(filter);
    query.add_words(filter);
    let order = if filter.after.is_some() { "ASC" } else { "DESC" };
    let limit = i64::from(filter.limit.min(MAX_PAGE));
    query.add(&format!(" ORDER BY seq {order} LIMIT ?"), limit);
    let values = params_from_iter(query.values);
    let sealed = all(connection, &query.sql, values, Sealed::from_row)?;
    sealed.into_iter().map(Sealed::open).collect()
}

/// A question to the ledger while it is put together, and its values in order.
struct LedgerQuery {
    sql: String,
    values: Vec<rusqlite::types::Value>,
}

impl LedgerQuery {
    fn add(&mut self, sql: &str, value: impl Into<rusqlite::types::Value>) {
        self.sql.push_str(sql);
        self.values.push(value.into());
    }

    /// What has to stand in the columns of a record.
    fn add_columns(&mut self, filter: &LedgerFilter) {
        if let Some(server) = filter.server {
            self.add(" AND server = ?", server.to_string());
        }
        if let Some(chat) = filter.chat {
            self.add(" AND chat = ?", chat.to_string());
        }
        for (column, wanted) in [("action", &filter.action), ("object", &filter.object)] {
            if let Some(wanted) = wanted {
                self.add(&format!(" AND {column} = ?"), wanted.clone());
            }
        }
        if !filter.kinds.is_empty() {
            let kinds = vec!["?"; filter.kinds.len()].join(", ");
            self.sql.push_str(&format!(" AND kind IN ({kinds})"));
            let kinds = filter.kinds.iter().map(|kind| kind.as_str().to_owned().into());
            self.values.extend(kinds);
        }
        for (bound, time) in [("at >= ?", filter.since), ("at < ?", filter.until)] {
            if let Some(time) = time {
                self.add(&format!(" AND {bound}"), time.as_millisecond());
            }
        }
    }

    /// What a record and its sidecar have to mention.
    fn add_words(&mut self, filter: &LedgerFilter) {
        let words = filter
            .words
            .iter()
            .take(MAX_WORDS)
            .map(|word| (SAYS, word.as_str()));
        let file = filter.file.iter();
        let file = file.map(|file| (names::NAMES_FILE, file.trim_end_matches('/')));
        let host = filter.host.iter().map(|host| (names::NAMES_HOST, host.as_str()));
        for (says, word) in words.chain(file).chain(host) {
            self.sql.push_str(&names::condition(says, word, &mut self.values));
        }
    }
}
