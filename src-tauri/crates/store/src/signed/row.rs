//! The rows that are signed: their names, and the columns a MAC covers.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

/// A table whose rows are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// A permission or refusal.
    Rule,
    /// A server, and whether it should run.
    Server,
    /// An accepted tool definition.
    Tool,
}

impl RowKind {
    pub const ALL: [Self; 3] = [Self::Rule, Self::Server, Self::Tool];

    /// The word that the file and the ledger use for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Server => "server",
            Self::Tool => "tool",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Every column that says what the row permits.
    pub(crate) const fn columns(self) -> &'static [&'static str] {
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

    pub(crate) const fn table(self) -> &'static str {
        match self {
            Self::Rule => "rules",
            Self::Server => "servers",
            Self::Tool => "approved_tools",
        }
    }

    /// Reads all rows, or those of one server.
    pub(crate) fn select(self, of_server: bool) -> String {
        let (filter, order) = match self {
            Self::Rule => (" WHERE server = ?1", "created, id"),
            Self::Server => (" WHERE id = ?1", "created, id"),
            Self::Tool => (" WHERE server = ?1", "server, name"),
        };
        let filter = if of_server { filter } else { "" };
        format!(
            "SELECT {} FROM {}{filter} ORDER BY {order}",
            self.columns().join(", "),
            self.table()
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowName {
    pub kind: RowKind,
    /// Its key there; for a tool the id of its server and its name, with a slash between them.
    pub id: String,
}

impl RowName {
    pub(crate) fn new(kind: RowKind, id: impl ToString) -> Self {
        Self {
            kind,
            id: id.to_string(),
        }
    }

    /// A tool of a server.
    #[must_use]
    pub fn tool(server: vestibule_protocol::ServerId, name: &str) -> Self {
        Self {
            kind: RowKind::Tool,
            id: format!("{server}/{name}"),
        }
    }

    /// The id of the server and the name, where this is a tool.
    #[must_use]
    pub fn as_tool(&self) -> Option<(&str, &str)> {
        (self.kind == RowKind::Tool)
            .then(|| self.id.split_once('/'))
            .flatten()
    }

    pub(crate) fn from_row(kind: RowKind, row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column: usize| -> rusqlite::Result<String> {
            Ok(match row.get::<_, Sql>(column)? {
                Sql::Text(text) => text,
                other => format!("{other:?}"),
            })
        };
        let id = match kind {
            RowKind::Rule | RowKind::Server => text(0)?,
            RowKind::Tool => format!("{}/{}", text(0)?, text(1)?),
        };
        Ok(Self { kind, id })
    }

    /// The signed columns of this row as they are in the file now.
    pub(crate) fn content(&self, connection: &Connection) -> rusqlite::Result<Option<String>> {
        let columns = self.kind.columns().join(", ");
        let table = self.kind.table();
        let (key, keys) = match self.as_tool() {
            Some((server, name)) => ("server = ?1 AND name = ?2", vec![server, name]),
            None => ("id = ?1", vec![self.id.as_str()]),
        };
        let sql = format!("SELECT {columns} FROM {table} WHERE {key}");
        let mut statement = connection.prepare_cached(&sql)?;
        let kind = self.kind;
        statement
            .query_row(rusqlite::params_from_iter(keys), |row| content_of(kind, row))
            .optional()
    }

    /// Deletes the row, whatever it says.
    pub(crate) fn delete(&self, connection: &Connection) -> rusqlite::Result<()> {
        let table = self.kind.table();
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
pub(crate) fn content_of(kind: RowKind, row: &Row<'_>) -> rusqlite::Result<String> {
    let columns = 0..kind.columns().len();
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
