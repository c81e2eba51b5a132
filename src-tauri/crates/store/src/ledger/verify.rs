//! Walks the ledger from its first record to its head and names the first one that is not as it was written.
//! Reads one consistent snapshot, row by row, on a connection of its own, so that neither writing nor reading
//! waits for it. It reports and repairs nothing.

use std::path::Path;
use std::thread;

use rusqlite::{Connection, Row, Rows};
use tokio::sync::oneshot;

use super::broken::{self, BEFORE_FIRST, Broken};
use super::forgotten::Forgotten;
use super::seal::{COLUMNS, Sealed};
use super::sidecar::{self, SidecarReader};
use super::{LedgerBreak, LedgerReceipt, head};
use crate::file;
use crate::schema;
use crate::{Store, StoreError};

/// Records between two reports of progress.
const REPORT_EVERY: i64 = 10_000;

/// What checking the ledger found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Every record is as it was written, none is missing, none was added.
    Intact {
        /// How many records there are.
        records: i64,
        /// The newest one; number 0 and zeros while there is none. Compare it with one kept elsewhere.
        head: LedgerReceipt,
    },
    /// The ledger is not as it was written.
    Broken {
        /// The number of the first record at which it shows. Every record before it is intact.
        seq: i64,
        /// What was done there, as far as the chain can tell.
        what: LedgerBreak,
    },
}

impl Store {
    /// Checks the whole ledger. `progress` hears now and then how many records are done, and of how many.
    ///
    /// # Errors
    /// Only if the ledger could not be read at all; what is wrong inside it is a [`Verification::Broken`].
    pub async fn verify(
        &self,
        mut progress: impl FnMut(i64, i64) + Send + 'static,
    ) -> Result<Verification, StoreError> {
        let Some(path) = self.path().map(Path::to_owned) else {
            return self.read(move |c| verify(c, &mut progress)).await;
        };
        let (answer, wait) = oneshot::channel();
        let reading = self.truncation().begin_reading();
        let work = move || {
            let found = file::open_read_only(&path).and_then(|c| verify(&c, &mut progress));
            drop(reading);
            // A caller that stopped waiting does not want the result.
            let _ = answer.send(found);
        };
        thread::Builder::new()
            .name("store-verify".to_owned())
            .spawn(work)
            .map_err(|error| StoreError::Io {
                tried: "start checking the ledger".to_owned(),
                detail: error.to_string(),
            })?;
        let found = wait.await.map_err(|_| StoreError::Closed)?;
        self.truncate_due_log();
        found
    }
}

pub(super) fn verify(
    connection: &Connection,
    progress: &mut dyn FnMut(i64, i64),
) -> Result<Verification, StoreError> {
    // One transaction, so that rows and head are of the same moment while others write.
    let snapshot = connection.unchecked_transaction()?;
    let Some(head) = head(&snapshot).or_else(unreadable_head)? else {
        return Ok(Verification::Broken {
            seq: 0,
            what: LedgerBreak::HeadMissing,
        });
    };
    let mut statement = snapshot.prepare(&format!("SELECT {COLUMNS} FROM ledger ORDER BY seq"))?;
    let rows = statement.query([])?;
    let mut salts;
    let mut names;
    let mut sidecar = None;
    let format = schema::format(&snapshot)?;
    if format >= sidecar::SINCE {
        salts = snapshot.prepare(sidecar::WORDS)?;
        names = snapshot.prepare(sidecar::WORDS_NAMES)?;
        let forgotten = Forgotten::load(&snapshot, format)?;
        sidecar = Some(SidecarReader::new(salts.query([])?, names.query([])?, forgotten)?);
    }
    let end = match walk(rows, sidecar.as_mut(), head, progress)? {
        Ok(end) => end,
        Err(found) => return Ok(broken(found)),
    };
    progress(end.seq, head.seq);
    let left_over = sidecar.and_then(|sidecar| sidecar.left_over());
    if let Some(found) = broken::at_end(end, head).or(left_over.map(words)) {
        return Ok(broken(found));
    }
    Ok(Verification::Intact {
        records: end.seq,
        head,
    })
}

/// The newest record, or the first that is not as it was written.
fn walk(
    mut rows: Rows<'_>,
    mut sidecar: Option<&mut SidecarReader<'_>>,
    head: LedgerReceipt,
    progress: &mut dyn FnMut(i64, i64),
) -> Result<Result<LedgerReceipt, Broken>, StoreError> {
    let mut last: Option<Sealed> = None;
    while let Some(row) = rows.next()? {
        let record = match read_row(row)? {
            Ok(record) => record,
            Err(seq) => return Ok(Err(broken::misshapen(last.as_ref(), seq))),
        };
        if !broken::follows(last.as_ref(), &record, head) {
            let next = rows.next()?.map(read_row).transpose()?.and_then(Result::ok);
            let found = broken::locate(last.as_ref(), &record, next.as_ref(), head);
            return Ok(Err(found));
        }
        if let Some(sidecar) = sidecar.as_deref_mut()
            && !sidecar.holds(&record)?
        {
            return Ok(Err(words(record.seq)));
        }
        if record.seq % REPORT_EVERY == 0 {
            progress(record.seq, head.seq);
        }
        last = Some(record);
    }
    Ok(Ok(last.map_or(BEFORE_FIRST, |last| last.receipt())))
}

fn broken(Broken { seq, what }: Broken) -> Verification {
    Verification::Broken { seq, what }
}

fn words(seq: i64) -> Broken {
    let what = LedgerBreak::Words;
    Broken { seq, what }
}

/// A head of the wrong shape is as good as none.
fn unreadable_head(error: StoreError) -> Result<Option<LedgerReceipt>, StoreError> {
    match error {
        StoreError::Corrupt { .. } => Ok(None),
        other => Err(other),
    }
}

/// The row, or its number if it does not have the shape of a record.
fn read_row(row: &Row<'_>) -> Result<Result<Sealed, i64>, StoreError> {
    let seq: i64 = row.get(0)?;
    Ok(Sealed::from_row(row).map_err(|_| seq))
}
