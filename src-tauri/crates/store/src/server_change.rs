//! A change of a server that is there: its row, the records of the change and the end of what was permitted, in one
//! transaction. Either all of it is on disk or nothing is.

use rusqlite::{OptionalExtension, Transaction};
use vestibule_protocol::{RuleId, ServerId};

use crate::columns::change;
use crate::ledger::{self, LedgerDraft};
use crate::servers::{ServerRecord, write_row};
use crate::signed::{RowRef, RowTable, StoredRow};
use crate::{Store, StoreError};

/// A server as it is to be kept, and what ends with the change.
#[derive(Clone, Debug)]
pub struct ServerChange {
    pub server: ServerRecord,
    /// The records of the change, in order. They are written before the row.
    pub records: Vec<LedgerDraft>,
    /// The permissions that end.
    pub ended: Vec<RuleId>,
    /// Whether no folder is shared with it any more.
    pub unshared: bool,
}

impl Store {
    /// Changes a server that is there. Its other rules and its approved tools stay.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the server is not kept here; [`StoreError::Refused`] if the name of a variable or
    /// header is empty or could carry a value; otherwise as for every write. Nothing is then changed.
    pub async fn change_server(&self, wanted: ServerChange) -> Result<(), StoreError> {
        wanted.server.place.check_names()?;
        let seq = self
            .change_signed(move |c, changes| {
                let id = wanted.server.id;
                expect_server(c, id)?;
                let mut seq = 0;
                for record in wanted.records {
                    seq = ledger::add(c, record)?.seq;
                }
                for rule in wanted.ended {
                    let name = RowRef::new(RowTable::Rule, rule);
                    name.delete(c)?;
                    changes.drop_row(name);
                }
                if wanted.unshared {
                    change(
                        c,
                        "DELETE FROM shared_folders WHERE server = ?1",
                        [id.to_string()],
                    )?;
                }
                write_row(c, changes, &wanted.server)?;
                Ok(seq)
            })
            .await?;
        self.ledger_grew(seq);
        Ok(())
    }
}

impl Store {
    /// Replaces the row of a server that is there. Its rules and approved tools stay.
    ///
    /// # Errors
    /// As for [`Store::change_server`].
    pub async fn update_server(&self, server: &ServerRecord) -> Result<(), StoreError> {
        server.place.check_names()?;
        let server = server.clone();
        self.change_signed(move |c, changes| {
            expect_server(c, server.id)?;
            write_row(c, changes, &server)
        })
        .await
    }
}

/// A server that was removed meanwhile does not come back.
fn expect_server(c: &Transaction<'_>, server: ServerId) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM servers WHERE id = ?1";
    let found = c.query_row(sql, [server.to_string()], |_| Ok(())).optional()?;
    found.ok_or_else(|| StoreError::Unknown {
        what: "server",
        id: server.to_string(),
    })
}
