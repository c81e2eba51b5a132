//! The rows that are signed: their names, and the columns a MAC covers.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};
use vestibule_app_protocol::{RowRef, RowTable};

/// How a signed table is stored.
pub(crate) trait StoredTable: Sized {
    fn from_word(word: &str) -> Option<Self>;

    /// Its name in the database.
    fn name(self) -> &'static str;

    /// Every column that says what the row permits.
    fn columns(self) -> &'static [&'static str];

    /// Reads all rows, or those of one server.
    fn select(self, of_server: bool) -> String;
}

/// A signed row in the database.
pub(crate) trait StoredRow: Sized {
    /// The name of a row that was read with all its columns.
    fn of(table: RowTable, row: &Row<'_>) -> rusqlite::Result<Self>;

    /// The signed columns of this row as they are in the file now.
    fn content(&self, connection: &Connection) -> rusqlite::Result<Option<String>>;

    /// Deletes the row, whatever it says.
    fn delete(&self, connection: &Connection) -> rusqlite::Result<()>;
}

impl StoredTable for RowTable {
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.as_str() == word)
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Rule => &["id", "server", "chat", "body", "created", "last_used", "expires"],
            Self::Server => &[
                "id",
                "name",
                "command",
                "args",
                "env",
                "cwd",
                "wanted",
                "created",
                "era",
                "url",
                "transport",
                "headers",
            ],
            Self::Tool => &["server", "name", "digest", "definition", "approved"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Rule => "rules",
            Self::Server => "servers",
            Self::Tool => "approved_tools",
        }
    }

    fn select(self, of_server: bool) -> String {
        let (filter, order) = match self {
            Self::Rule => (" WHERE server = ?1", "created, id"),
            Self::Server => (" WHERE id = ?1", "created, id"),
            Self::Tool => (" WHERE server = ?1", "server, name"),
        };
        let filter = if of_server { filter } else { "" };
        format!(
            "SELECT {} FROM {}{filter} ORDER BY {order}",
            self.columns().join(", "),
            self.name()
        )
    }
}

impl StoredRow for RowRef {
    fn of(table: RowTable, row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column: usize| -> rusqlite::Result<String> {
            Ok(match row.get::<_, Sql>(column)? {
                Sql::Text(text) => text,
                other => format!("{other:?}"),
            })
        };
        let id = match table {
            RowTable::Rule | RowTable::Server => text(0)?,
            RowTable::Tool => format!("{}/{}", text(0)?, text(1)?),
        };
        Ok(Self { table, id })
    }

    fn content(&self, connection: &Connection) -> rusqlite::Result<Option<String>> {
        let columns = self.table.columns().join(", ");
        let table = self.table.name();
        let (key, keys) = match self.as_tool() {
            Some((server, name)) => ("server = ?1 AND name = ?2", vec![server, name]),
            None => ("id = ?1", vec![self.id.as_str()]),
        };
        let sql = format!("SELECT {columns} FROM {table} WHERE {key}");
        let mut statement = connection.prepare_cached(&sql)?;
        let table = self.table;
        statement
            .query_row(rusqlite::params_from_iter(keys), |row| content_of(table, row))
            .optional()
    }

    fn delete(&self, connection: &Connection) -> rusqlite::Result<()> {
        let table = self.table.name();
        match self.as_tool() {
            Some((server, name)) => {
                let sql = format!("DELETE FROM {table} WHERE server = ?1 AND name = ?2");
                connection.execute(&sql, params![server, name])?;
            }
            None => {
                connection.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [&self.id])?;
            }
        }
        Ok(())
    }
}

/// The columns of a row as JSON, exactly as they are stored: nothing is parsed.
pub(crate) fn content_of(table: RowTable, row: &Row<'_>) -> rusqlite::Result<String> {
    let columns = 0..table.columns().len();
    let values: rusqlite::Result<Vec<Value>> = columns.map(|column| Ok(plain(row.get(column)?))).collect();
    Ok(Value::from(values?).to_string())
}

/// The tables are STRICT, so real numbers and blobs can only come from another program.
fn plain(value: Sql) -> Value {
    match value {
        Sql::Null => Value::Null,
        Sql::Integer(number) => number.into(),
        Sql::Text(text) => text.into(),
        Sql::Real(number) => json!({ "real": number.to_bits() }),
        Sql::Blob(bytes) => json!({ "blob": bytes }),
    }
}
