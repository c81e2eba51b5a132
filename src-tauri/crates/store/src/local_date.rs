//! Dates in the zone of this computer, as SQLite reckons them for what models cost on a day.

use jiff::Timestamp;
use rusqlite::Connection;

/// The date of a moment in the zone of this computer, as in `2026-11-30`; that of UTC where the zone cannot be asked.
#[must_use]
pub fn local_date(at: Timestamp) -> String {
    let local = Connection::open_in_memory().and_then(|memory| {
        let sql = "SELECT date(?1, 'unixepoch', 'localtime')";
        memory.query_row(sql, [at.as_second()], |row| row.get::<_, String>(0))
    });
    local.unwrap_or_else(|_| at.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests;
