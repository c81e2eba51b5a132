//! How our values stand in SQLite's columns: ids as text, times as whole milliseconds since 1970 in UTC, JSON as
//! text. Reading is strict: a column that does not hold what was written there is damage, never a default.

use std::error::Error;
use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::StoreError;
use crate::depth::check_depth;

/// Bytes of JSON one row may hold, except in the ledger, which keeps less.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// An id or any other value that stands as a text of its own.
pub(crate) fn id<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<T>
where
    T: FromStr,
    T::Err: Error + Send + Sync + 'static,
{
    row.get_ref(column)?
        .as_str()?
        .parse()
        .map_err(|error| unreadable(column, Type::Text, error))
}

pub(crate) fn optional_id<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>>
where
    T: FromStr,
    T::Err: Error + Send + Sync + 'static,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| {
        text.parse()
            .map_err(|error| unreadable(column, Type::Text, error))
    })
    .transpose()
}

pub(crate) fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|error| unreadable(column, Type::Integer, error))
}

pub(crate) fn optional_time(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Timestamp>> {
    let millisecond: Option<i64> = row.get(column)?;
    millisecond
        .map(|at| Timestamp::from_millisecond(at).map_err(|error| unreadable(column, Type::Integer, error)))
        .transpose()
}

pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?)
        .map_err(|error| unreadable(column, Type::Text, error))
}

/// JSON that may have another shape than `T`. A text that is no JSON is damage.
pub(crate) fn typed_json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: &str,
) -> rusqlite::Result<serde_json::Result<T>> {
    match serde_json::from_str(row.get_ref(column)?.as_str()?) {
        Err(error) if !error.is_data() => Err(unreadable(column, Type::Text, error)),
        typed => Ok(typed),
    }
}

pub(crate) fn optional_json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| serde_json::from_str(&text).map_err(|error| unreadable(column, Type::Text, error)))
        .transpose()
}

/// The text to store for a value, if it is small enough to be read back.
pub(crate) fn json_text(value: &Value, what: &'static str) -> Result<String, StoreError> {
    check_depth(value, what)?;
    bounded(value.to_string(), what, MAX_BYTES)
}

pub(crate) fn bounded(text: String, what: &'static str, limit: usize) -> Result<String, StoreError> {
    if text.len() > limit {
        return Err(StoreError::TooLarge {
            what,
            size: text.len(),
            limit,
            unit: "bytes",
        });
    }
    Ok(text)
}

/// All rows of a query, each read by `from_row`.
pub(crate) fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    from_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Runs one statement and says how many rows it changed.
pub(crate) fn change(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params)
}

fn unreadable(column: &str, kind: Type, error: impl Error + Send + Sync + 'static) -> rusqlite::Error {
    let error = format!("column {column}: {error}");
    rusqlite::Error::FromSqlConversionFailure(0, kind, error.into())
}
