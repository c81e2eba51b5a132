//! Databases of every older format, as the versions of that time wrote them, are opened, and keep every row.
//!
//! `formats/` has a dump of each. A new format gets one before its migration is released: dump a database that the
//! present version wrote, with rows in its tables. (Those of format 7 are the rows of format 6 with rows of `row_macs`; some
//! rows of folders, budgets and tasks were added by hand. Those of format 9 are the rows of format 7 after its migration, with
//! rows of usage and replies. Those of formats 10 and 11 are the same after their migrations, with a few more entries, and
//! those of format 13 the same with costs in euros. Those of formats 8, 12 and 14 to 17 are the rows of the format before them
//! after one migration, those of 15 with a file that waits, and those of 16 with a blob.)

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::types::Value;
use support::{Folder, intruder};
use vestibule_app_protocol::Currency;
use vestibule_store::Verification;

/// Columns that a later format moved to another table or renamed. `connections.rs` shows where those of models are.
const MOVED: &[(&str, &str)] = &[
    ("models", "base_url"),
    ("models", "kind"),
    ("chats", "without_tools"),
    ("native_replies", "connection"),
    ("entries", "revision"),
];

/// Columns that the store fills in where they are empty.
const FILLED: &[(&str, &str)] = &[("entries", "number")];

/// A row: its columns and their values, printed.
type Row = BTreeMap<String, String>;

/// The dumps, each with its format.
fn dumps() -> Vec<(i64, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut dumps = vec![];
    for entry in fs::read_dir(folder).expect("there are dumps") {
        let path = entry.expect("the folder can be read").path();
        let name = path
            .file_stem()
            .expect("a dump has a name")
            .to_string_lossy()
            .into_owned();
        let format = name.split('-').next().and_then(|number| number.parse().ok());
        let text = fs::read_to_string(&path).expect("a dump is text");
        dumps.push((format.expect("a dump's name begins with its format"), name, text));
    }
    dumps.sort();
    dumps
}

/// The tables with rows of the user. The search index is made from them, and cannot be read row by row.
fn tables(file: &Connection) -> Vec<String> {
    let mut statement = file
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'entry_words%'",
        )
        .expect("the schema can be read");
    let names = statement
        .query_map([], |row| row.get(0))
        .expect("the schema can be read");
    names.map(|name| name.expect("names are text")).collect()
}

fn rows(file: &Connection, table: &str) -> Vec<Row> {
    let mut statement = file
        .prepare(&format!("SELECT * FROM \"{table}\""))
        .expect("the table can be read");
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        columns
            .iter()
            .map(|column| {
                Ok((
                    column.clone(),
                    format!("{:?}", row.get::<_, Value>(column.as_str())?),
                ))
            })
            .collect()
    });
    rows.expect("the table can be read")
        .map(|row: rusqlite::Result<Row>| row.expect("the row can be read"))
        .collect()
}

fn all_rows(file: &Connection) -> BTreeMap<String, Vec<Row>> {
    tables(file)
        .into_iter()
        .map(|table| (table.clone(), rows(file, &table)))
        .collect()
}

/// Says which rows of before are not there any more.
fn lost(before: &BTreeMap<String, Vec<Row>>, after: &BTreeMap<String, Vec<Row>>) -> Vec<String> {
    let mut lost = vec![];
    for (table, rows) in before {
        // The end of the ledger moves on with each record.
        if table == "ledger_head" {
            continue;
        }
        let now = after.get(table).map_or(&[][..], Vec::as_slice);
        for row in rows {
            let is_kept = |kept: &&Row| {
                row.iter().all(|(column, value)| {
                    let place = (table.as_str(), column.as_str());
                    MOVED.contains(&place) || FILLED.contains(&place) || kept.get(column) == Some(value)
                })
            };
            if !now.iter().any(|kept| is_kept(&kept)) {
                lost.push(format!("{table}: {row:?}"));
            }
        }
    }
    lost
}

#[tokio::test]
async fn a_database_of_every_older_format_opens_and_keeps_its_rows() {
    let mut seen: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    for (format, name, dump) in dumps() {
        let folder = Folder::new();
        let file = intruder(&folder.database());
        file.execute_batch(&dump).expect("the dump can be read");
        let found: i64 = file
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("the format can be read");
        assert_eq!(found, format, "{name}");
        let before = all_rows(&file);
        file.close().expect("the file can be closed");
        let filled = before.iter().filter(|(_, rows)| !rows.is_empty());
        seen.entry(format)
            .or_default()
            .extend(filled.map(|(table, _)| table.clone()));

        let store = folder.open();
        let verified = store.verify(|_, _| {}).await.expect("the ledger can be checked");
        assert!(
            matches!(verified, Verification::Intact { .. }),
            "{name}: {verified:?}"
        );
        let chats = store.chats().await.expect("chats can be read");
        for chat in chats {
            store.entries(chat.id).await.expect("entries can be read");
        }
        for server in store.servers().await.expect("servers can be read") {
            store.approved_tools(server.id).await.expect("tools can be read");
        }
        store.rules().await.expect("rules can be read");
        store.models().await.expect("models can be read");
        store.settings().await.expect("settings can be read");
        store.workspaces().await.expect("workspaces can be read");
        store.close().await;

        let after = all_rows(&intruder(&folder.database()));
        assert_eq!(lost(&before, &after), [""; 0], "{name}");
    }
    for format in 1..=17 {
        let tables = seen.get(&format).map_or(0, BTreeSet::len);
        assert!(
            tables >= 8,
            "the dumps of format {format} have rows in {tables} tables"
        );
    }
}

/// Until format 14 a budget of a server had no currency, and the user entered prices in that of the settings.
#[tokio::test]
async fn budgets_of_servers_keep_the_currency_that_the_prices_had() {
    for (name, currency, spent) in [("14-a", "EUR", 1200), ("13-a", "EUR", 1200), ("11-a", "USD", 0)] {
        let folder = Folder::new();
        let (_, _, dump) = dumps()
            .into_iter()
            .find(|(_, dump, _)| dump == name)
            .expect("a dump");
        let file = intruder(&folder.database());
        file.execute_batch(&dump).expect("the dump can be read");
        file.close().expect("the file can be closed");
        let store = folder.open();
        let server = store.servers().await.expect("servers can be read")[0].id;
        let budget = store.budget(server).await.expect("the budget can be read");
        let currency: Currency = currency.parse().expect("three letters");
        assert_eq!(budget.map(|budget| budget.currency), Some(currency), "{name}");
        let sums = store
            .spent_since(server, Timestamp::UNIX_EPOCH)
            .await
            .expect("sums can be read");
        assert_eq!(sums.cost_in(currency), spent, "{name}");
        store.close().await;
    }
}
