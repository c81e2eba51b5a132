//! Rows that permit something (rules, servers, accepted tool definitions) carry a MAC under a key that only the
//! keychain holds, and the list of all MACs carries one too, with a generation that the keychain remembers. A row
//! that was edited, inserted or deleted from outside does not match the list; a list that was put back has an older
//! generation. Nothing here decides what follows: each row is read with what is wrong with it.
//!
//! Without a key the store signs nothing and finds nothing wrong.

mod check;
mod key;
mod list;
mod row;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::watch;
use vestibule_protocol::{ChatId, ServerId};

pub use check::CheckedRow;
pub use key::RowKey;
use list::SignedList;
pub use list::UnsignedRow;
pub(crate) use row::StoredRow;
pub use vestibule_app_protocol::{RowFault, RowRef, RowTable};

use crate::{Store, StoreError, ledger};

/// Whether rows are signed in this run.
#[derive(Clone, Debug, Default)]
enum RowSigning {
    /// There is no key: nothing is signed or checked.
    #[default]
    Off,
    /// The rows are signed, and the key does not answer in this run.
    NoKey,
    On(SignedList),
}

/// The state that all clones of a store share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signatures {
    signing: Arc<Mutex<RowSigning>>,
    generation: watch::Sender<i64>,
}

impl Signatures {
    fn lock(&self) -> MutexGuard<'_, RowSigning> {
        // A change that fails is taken back before the lock is released.
        self.signing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a change does to the list.
#[derive(Default)]
pub(crate) struct Changes {
    signed: Vec<RowRef>,
    dropped: Vec<RowRef>,
    gone_server: Option<String>,
    gone_chat: Option<String>,
    /// Rows of which only the time of use changed, with their content before.
    touched: Vec<(RowRef, String)>,
}

impl Changes {
    /// This row was written by Vestibule and is signed as it is at the end of the change.
    pub(crate) fn sign(&mut self, name: RowRef) {
        self.signed.push(name);
    }

    /// This row was deleted by Vestibule.
    pub(crate) fn drop_row(&mut self, name: RowRef) {
        self.dropped.push(name);
    }

    /// This server was removed, with its rules and tools.
    pub(crate) fn drop_server(&mut self, server: ServerId) {
        self.gone_server = Some(server.to_string());
    }

    /// This chat was deleted, with its rules.
    pub(crate) fn drop_chat(&mut self, chat: ChatId) {
        self.gone_chat = Some(chat.to_string());
    }

    /// Whether a removed server or chat takes this row with it.
    fn takes(&self, name: &RowRef, content: Option<&str>) -> bool {
        let column = |index: usize| -> Option<String> {
            let columns: serde_json::Value = serde_json::from_str(content?).ok()?;
            columns[index].as_str().map(str::to_owned)
        };
        match name.table {
            RowTable::Server => self.gone_server.as_ref() == Some(&name.id),
            RowTable::Tool => self
                .gone_server
                .as_deref()
                .is_some_and(|gone| name.as_tool().is_some_and(|(server, _)| server == gone)),
            RowTable::Rule => {
                (self.gone_server.is_some() && column(1) == self.gone_server)
                    || (self.gone_chat.is_some() && column(2) == self.gone_chat)
            }
        }
    }

    fn takes_others(&self) -> bool {
        self.gone_server.is_some() || self.gone_chat.is_some()
    }

    /// A detail of this row was updated in place. It is signed again only if it matched before.
    pub(crate) fn touch(&mut self, name: RowRef, before: String) {
        self.touched.push((name, before));
    }
}

impl Store {
    /// Whether rows of this database were signed at some time.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn has_signed_rows(&self) -> Result<bool, StoreError> {
        self.read(|c| {
            let count: i64 = c.query_row("SELECT count(*) FROM row_macs_head", [], |row| row.get(0))?;
            Ok(count > 0)
        })
        .await
    }

    /// Checks and signs rows with this key from now on. `remembered` is the generation the keychain remembers. Says
    /// whether the list is the newest there was; otherwise rows may be missing from it.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn use_row_key(&self, key: RowKey, remembered: i64) -> Result<bool, StoreError> {
        let signatures = self.signatures();
        self.write(move |c| {
            let list = SignedList::load(c, key, remembered)?;
            let is_newest = list.is_newest();
            *signatures.lock() = RowSigning::On(list);
            Ok(is_newest)
        })
        .await
    }

    /// Signs every row that `is_proven` says yes to, in place of all earlier signatures. Gives back the new
    /// generation. The rows are checked and signed with this key from then on.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn sign_rows(
        &self,
        key: RowKey,
        remembered: i64,
        is_proven: impl Fn(&UnsignedRow) -> bool + Send + 'static,
    ) -> Result<i64, StoreError> {
        let signatures = self.signatures();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let list = SignedList::begin(&transaction, key, remembered, &is_proven)?;
            transaction.commit()?;
            let generation = list.generation();
            *signatures.lock() = RowSigning::On(list);
            Ok(generation)
        })
        .await
    }

    /// The rows are signed, and the key does not answer in this run: no rule is known to be as it was.
    pub fn row_key_is_away(&self) {
        *self.signatures().lock() = RowSigning::NoKey;
    }

    /// Tells the generation of the list whenever a row is added, changed or removed; zero until then.
    #[must_use]
    pub fn row_generation(&self) -> watch::Receiver<i64> {
        self.signatures().generation.subscribe()
    }

    /// Signs a row as it is in the file now.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn sign_row(&self, name: RowRef) -> Result<(), StoreError> {
        self.change_signed(move |_, changes| {
            changes.sign(name);
            Ok(())
        })
        .await
    }

    /// Deletes a row and its signature. Deleting one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn delete_row(&self, name: RowRef) -> Result<(), StoreError> {
        self.change_signed(move |c, changes| {
            name.delete(c)?;
            if name.table == RowTable::Server
                && let Ok(server) = name.id.parse()
            {
                ledger::note_removed(c, server)?;
            }
            changes.drop_row(name);
            Ok(())
        })
        .await
    }

    /// Makes a change and brings the signatures in line, in one transaction.
    pub(crate) async fn change_signed<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>, &mut Changes) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let signatures = self.signatures();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut changes = Changes::default();
            let done = job(&transaction, &mut changes)?;
            let mut signing = signatures.lock();
            let RowSigning::On(list) = &mut *signing else {
                transaction.commit()?;
                return Ok(done);
            };
            let undo = list.apply(&transaction, changes)?;
            let written = list
                .write(&transaction, &undo)
                .and_then(|()| Ok(transaction.commit()?));
            match written {
                Ok(()) => list.committed(),
                Err(error) => {
                    list.take_back(undo);
                    return Err(error);
                }
            }
            let generation = list.generation();
            drop(signing);
            signatures.generation.send_if_modified(|told| {
                let is_new = *told != generation;
                *told = generation;
                is_new
            });
            Ok(done)
        })
        .await
    }

    /// Reads rows with what is wrong with each. On the writing thread, so that no change falls in between.
    pub(crate) async fn read_signed<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, Option<&SignedList>, bool) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let signatures = self.signatures();
        self.write(move |c| {
            let signing = signatures.lock();
            match &*signing {
                RowSigning::Off => read(c, None, false),
                RowSigning::NoKey => read(c, None, true),
                RowSigning::On(list) => read(c, Some(list), false),
            }
        })
        .await
    }
}
