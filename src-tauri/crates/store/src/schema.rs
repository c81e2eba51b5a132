//! The tables and how they came to be. Each step is applied once, in order, inside a transaction; a step that
//! has been released is never edited, only followed by another.

use std::path::Path;
use std::sync::LazyLock;

use rusqlite::{Connection, Transaction};
use rusqlite_migration::{HookError, HookResult, M, Migrations};

use crate::StoreError;
use crate::ledger::seal_upgrade;

/// Marks the file as ours, "Vest" in ASCII; SQLite keeps it in the header of the file.
const APPLICATION_ID: i64 = 0x5665_7374;

const STEPS: &[&str] = &[
    include_str!("schema/0001_first.sql"),
    include_str!("schema/0002_workspaces.sql"),
    include_str!("schema/0003_places.sql"),
    include_str!("schema/0004_tasks.sql"),
    include_str!("schema/0005_ledger_names.sql"),
    include_str!("schema/0006_ledger_servers.sql"),
    include_str!("schema/0007_row_macs.sql"),
    include_str!("schema/0008_models.sql"),
    include_str!("schema/0009_connections.sql"),
    include_str!("schema/0010_costs_and_tools.sql"),
    include_str!("schema/0011_branches.sql"),
    include_str!("schema/0012_search.sql"),
    include_str!("schema/0013_currencies.sql"),
    include_str!("schema/0014_server_budgets.sql"),
    include_str!("schema/0015_draft_files.sql"),
    include_str!("schema/0016_blobs.sql"),
    include_str!("schema/0017_revisions.sql"),
    include_str!("schema/0018_changes.sql"),
];
/// The step after which the ledger lists what was deleted before it.
const LEDGER_SERVERS: &str = STEPS[5];

pub(crate) static MIGRATIONS: LazyLock<Migrations<'static>> =
    LazyLock::new(|| Migrations::new(STEPS.iter().copied().map(step).collect()));

fn step(sql: &'static str) -> M<'static> {
    match sql {
        LEDGER_SERVERS => M::up_with_hook(sql, upgraded),
        _ => M::up(sql),
    }
}

fn upgraded(transaction: &Transaction<'_>) -> HookResult {
    seal_upgrade(transaction).map_err(|error| HookError::Hook(error.to_string()))
}

/// The newest format this build knows.
pub(crate) const KNOWN: i64 = STEPS.len() as i64;

/// The format of an open file: 0 for one with nothing in it yet.
///
/// # Errors
/// [`StoreError::Foreign`] for the database of another program, [`StoreError::Newer`] for one from a later version.
pub(crate) fn check_format(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found = format(connection)?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let empty = application == 0 && found == 0 && objects == 0;
    if !empty && application != APPLICATION_ID {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
        });
    }
    if found > KNOWN {
        return Err(StoreError::Newer { found, known: KNOWN });
    }
    Ok(found)
}

/// The format a file says it has.
pub(crate) fn format(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_applies_to_the_one_before() {
        MIGRATIONS.validate().unwrap();
    }

    #[test]
    fn a_fresh_file_is_marked_as_ours_and_of_the_newest_format() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("memory");
        assert_eq!(check_format(&connection, path).unwrap(), 0);
        MIGRATIONS.to_latest(&mut connection).unwrap();
        assert_eq!(check_format(&connection, path).unwrap(), KNOWN);
    }
}
