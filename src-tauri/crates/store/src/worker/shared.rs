//! Changes that are committed together. Waiting for the disk costs far more than a change, so the changes that wait at the
//! same time share one commit. Each is answered only after the commit, and one that fails undoes only itself.

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use crate::StoreError;

/// Changes that share one transaction at most.
const TOGETHER: usize = 64;

/// A change with the caller that waits for it.
pub(super) trait SharedChange: Send {
    /// Makes the change. Returns why it failed; it may then be half done. It is made again only after a transaction in which
    /// it was made was undone.
    fn make(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Tells the caller what came of it: the change, or else why its transaction failed.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A change whose caller waits at the other end of `answer`.
pub(super) fn new<T: Send + 'static>(
    change: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    answer: oneshot::Sender<Result<T, StoreError>>,
) -> Box<dyn SharedChange> {
    Box::new(PendingChange {
        change,
        made: None,
        answer,
    })
}

struct PendingChange<C, T> {
    change: C,
    made: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<C, T> SharedChange for PendingChange<C, T>
where
    C: FnMut(&Connection) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn make(&mut self, connection: &Connection) -> Result<(), StoreError> {
        self.made = Some((self.change)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { made, answer, .. } = *self;
        let outcome = committed.and_then(|()| made.ok_or(StoreError::Closed));
        // The caller may have stopped waiting; the change counts all the same.
        let _ = answer.send(outcome);
    }
}

/// Makes `first` and what follows it in one transaction, and answers them all. Where one of them fails, the transaction is
/// undone and each is made in a transaction of its own: savepoints between them would cost more than the changes, because
/// SQLite copies each page that changes after a savepoint, and writes the words of the search index at each one.
pub(super) fn commit_together(
    connection: &mut Connection,
    first: Box<dyn SharedChange>,
    more: impl Iterator<Item = Box<dyn SharedChange>>,
) {
    let mut changes = vec![];
    let together = std::iter::once(first).chain(more).take(TOGETHER);
    match commit(connection, together, &mut changes) {
        Err(Failed::Change(_)) if changes.len() > 1 => {
            for change in changes {
                commit_alone(connection, change);
            }
        }
        committed => {
            let committed = committed.map_err(Failed::error);
            for change in changes {
                change.answer(committed.clone());
            }
        }
    }
}

fn commit_alone(connection: &mut Connection, change: Box<dyn SharedChange>) {
    let mut made = vec![];
    let committed = commit(connection, std::iter::once(change), &mut made).map_err(Failed::error);
    for change in made {
        change.answer(committed.clone());
    }
}

/// Why nothing was committed.
enum Failed {
    /// The last change that was made failed.
    Change(StoreError),
    Transaction(StoreError),
}

impl Failed {
    fn error(self) -> StoreError {
        match self {
            Self::Change(error) | Self::Transaction(error) => error,
        }
    }
}

/// Makes changes in one transaction up to the first that fails, and commits them where none does. All that were begun, and one
/// at least, stand in `begun` then.
fn commit(
    connection: &mut Connection,
    mut changes: impl Iterator<Item = Box<dyn SharedChange>>,
    begun: &mut Vec<Box<dyn SharedChange>>,
) -> Result<(), Failed> {
    let began = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = match began {
        Ok(transaction) => transaction,
        Err(error) => {
            begun.extend(changes.next());
            return Err(Failed::Transaction(error.into()));
        }
    };
    for mut change in changes {
        let made = change.make(&transaction);
        begun.push(change);
        // On a full disk, for instance, SQLite undoes the whole transaction by itself.
        if transaction.is_autocommit() {
            return Err(Failed::Transaction(made.err().unwrap_or_else(undone)));
        }
        made.map_err(Failed::Change)?;
    }
    let committed = transaction.commit();
    committed.map_err(|error| Failed::Transaction(error.into()))
}

fn undone() -> StoreError {
    StoreError::Io {
        tried: "save".to_owned(),
        detail: "SQLite undid the transaction".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::Store;
    use crate::columns::change;
    use crate::file::open_read_only;

    /// A store with a table of numbers, whose writing thread is held until `release` is dropped.
    struct Held {
        _folder: tempfile::TempDir,
        store: Store,
        release: mpsc::Sender<()>,
    }

    impl Held {
        async fn open() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("vestibule.db")).unwrap();
            let table = "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT";
            store.write(|c| Ok(c.execute_batch(table)?)).await.unwrap();
            let (release, held) = mpsc::channel::<()>();
            let (began, has_begun) = oneshot::channel();
            let mut began = Some(began);
            let holding = store.change(move |_| {
                if let Some(began) = began.take() {
                    began.send(()).unwrap();
                    // Fails once the sender is dropped.
                    let _ = held.recv();
                }
                Ok(())
            });
            tokio::spawn(holding);
            has_begun.await.unwrap();
            Self {
                _folder: folder,
                store,
                release,
            }
        }

        fn add(&self, number: i64) -> impl Future<Output = Result<i64, StoreError>> + use<> {
            self.store.change(move |c| {
                change(c, "INSERT INTO numbers VALUES (?1)", [number])?;
                Ok(number)
            })
        }

        async fn numbers(&self) -> Vec<i64> {
            let read = |c: &mut Connection| {
                crate::columns::all(c, "SELECT number FROM numbers ORDER BY number", [], |row| {
                    row.get(0)
                })
            };
            self.store.read(read).await.unwrap()
        }
    }

    #[tokio::test]
    async fn changes_that_wait_at_the_same_time_are_committed_together() {
        let held = Held::open().await;
        let first = held.add(1);
        let path = held.store.path().unwrap().to_owned();
        let seen = held.store.change(move |c| {
            let count = |c: &Connection| c.query_row("SELECT count(*) FROM numbers", [], |row| row.get(0));
            Ok::<(i64, i64), StoreError>((count(c)?, count(&open_read_only(&path)?)?))
        });
        held.release.send(()).unwrap();
        assert_eq!(first.await.unwrap(), 1);
        assert_eq!(seen.await.unwrap(), (1, 0), "made, and not committed by itself");
        assert_eq!(held.numbers().await, [1]);
    }

    #[tokio::test]
    async fn a_change_that_fails_undoes_only_itself() {
        let held = Held::open().await;
        let half = held.store.change(|c| {
            change(c, "INSERT INTO numbers VALUES (7)", [])?;
            change(c, "INSERT INTO numbers VALUES (1)", [])?;
            Ok(())
        });
        let (first, second) = (held.add(1), held.add(2));
        let late = held.store.change(|c| {
            change(c, "INSERT INTO numbers VALUES (8)", [])?;
            change(c, "INSERT INTO numbers VALUES (2)", [])?;
            Ok(())
        });
        let last = held.add(3);
        held.release.send(()).unwrap();
        half.await.unwrap();
        let first = first.await;
        assert!(matches!(first, Err(StoreError::Refused { .. })), "{first:?}");
        assert_eq!(second.await.unwrap(), 2);
        let late = late.await;
        assert!(matches!(late, Err(StoreError::Refused { .. })), "{late:?}");
        assert_eq!(last.await.unwrap(), 3);
        assert_eq!(held.numbers().await, [1, 2, 3, 7]);
    }

    #[tokio::test]
    async fn no_change_counts_where_the_commit_fails() {
        let held = Held::open().await;
        let first = held.add(1);
        let breaks = held.store.change(|c| Ok(c.execute_batch("ROLLBACK")?));
        let after = held.add(2);
        held.release.send(()).unwrap();
        let undone = [first.await.map(drop), breaks.await];
        assert!(undone.iter().all(Result::is_err), "{undone:?}");
        assert_eq!(after.await.unwrap(), 2);
        assert_eq!(held.numbers().await, [2]);
    }

    #[tokio::test]
    async fn changes_stand_in_the_order_of_their_calls() {
        let held = Held::open().await;
        let unflushed = held.store.unflushed();
        let order = (0..200).map(|at| {
            let store = if at % 3 == 0 { &unflushed } else { &held.store };
            store.change(move |c| {
                let next =
                    "INSERT INTO numbers SELECT coalesce(max(number) + 1, 0) FROM numbers RETURNING number";
                let number: i64 = c.query_row(next, [], |row| row.get(0))?;
                Ok((at, number))
            })
        });
        let mut order: Vec<_> = order.collect();
        // They are not polled in this order.
        order.reverse();
        held.release.send(()).unwrap();
        for placed in order {
            let (at, number) = placed.await.unwrap();
            assert_eq!(at, number);
        }
    }

    #[tokio::test]
    async fn only_changes_that_need_not_wait_for_the_disk_do_not() {
        let held = Held::open().await;
        let level = |store: &Store| {
            store.change(|c| Ok(c.pragma_query_value(None, "synchronous", |row| row.get(0))?))
        };
        let unflushed = held.store.unflushed();
        let levels: [_; 4] = [&unflushed, &held.store, &unflushed, &unflushed].map(level);
        let job = unflushed.write(|c| Ok(c.pragma_query_value(None, "synchronous", |row| row.get(0))?));
        held.release.send(()).unwrap();
        let mut seen = vec![];
        for level in levels {
            seen.push(level.await.unwrap());
        }
        seen.push(job.await.unwrap());
        let (normal, full) = (1, 2);
        // They share the transaction of the change that holds the thread; a job has the connection for itself.
        assert_eq!(seen, [full, full, full, full, full]);
        let alone: i64 = level(&unflushed).await.unwrap();
        assert_eq!(alone, normal);
        assert_eq!(level(&held.store).await.unwrap(), full);
    }
}
