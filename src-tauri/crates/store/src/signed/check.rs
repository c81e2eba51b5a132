//! Rows as they are in the file, each with what is wrong with it.

use std::collections::BTreeSet;

use rusqlite::{Connection, Row};
use serde_json::Value;
use vestibule_protocol::ServerId;

use super::list::{Member, SignedList};
use super::row::{StoredRow, StoredTable, content_of};
use crate::columns::all;
use crate::ledger::LedgerFile;
use crate::{ApprovedTool, RowKey, RuleRecord, ServerRecord, Store, StoreError, rules, servers, tools};
use vestibule_app_protocol::{RowFault, RowRef, RowTable};

/// A row with what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRow<T> {
    pub name: RowRef,
    /// As it is in the file; `None` where it is missing or cannot be read.
    pub row: Option<T>,
    /// What is wrong with it.
    pub fault: Option<RowFault>,
    /// The columns as they were signed, where the list keeps them.
    kept: Option<Value>,
}

impl CheckedRow<RuleRecord> {
    /// The server and the body of the rule as it was signed.
    #[must_use]
    pub fn kept_rule(&self) -> Option<(ServerId, Value)> {
        let kept = self.kept.as_ref()?;
        let server = kept[1].as_str()?.parse().ok()?;
        Some((server, serde_json::from_str(kept[3].as_str()?).ok()?))
    }
}

impl CheckedRow<ServerRecord> {
    /// The name of the server as it was signed.
    #[must_use]
    pub fn kept_name(&self) -> Option<&str> {
        self.kept.as_ref()?[1].as_str()
    }
}

impl Store {
    /// All rules, oldest first, each with what is wrong with it; those that are missing at the end.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn checked_rules(&self) -> Result<Vec<CheckedRow<RuleRecord>>, StoreError> {
        self.read_signed(|c, list, is_unchecked| {
            let mut rows = check(c, list, RowTable::Rule, None, rules::from_row)?;
            if is_unchecked {
                rows.iter_mut()
                    .for_each(|row| row.fault = row.fault.or(Some(RowFault::Unchecked)));
            }
            Ok(rows)
        })
        .await
    }

    /// All servers, oldest first, each with what is wrong with it; those that are missing at the end.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn checked_servers(&self) -> Result<Vec<CheckedRow<ServerRecord>>, StoreError> {
        self.read_signed(|c, list, _| check(c, list, RowTable::Server, None, servers::from_row))
            .await
    }

    /// The accepted tools of one server, or of all, each with what is wrong with it.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn checked_tools(
        &self,
        server: Option<ServerId>,
    ) -> Result<Vec<CheckedRow<ApprovedTool>>, StoreError> {
        self.read_signed(move |c, list, _| check(c, list, RowTable::Tool, server, tools::from_row))
            .await
    }
}

impl LedgerFile {
    /// The rows of the file that do not match their signatures; `None` where it is of a format without any.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn faulty_rows(
        &self,
        key: RowKey,
        remembered: i64,
    ) -> Result<Option<Vec<(RowRef, RowFault)>>, StoreError> {
        let c = self.connection();
        let is_there: bool = c.query_row(
            "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'row_macs_head'",
            [],
            |row| row.get(0),
        )?;
        if !is_there {
            return Ok(None);
        }
        let list = SignedList::load(c, key, remembered)?;
        let list = Some(&list);
        let mut faulty = vec![];
        faulty.extend(
            check(c, list, RowTable::Rule, None, rules::from_row)?
                .into_iter()
                .filter_map(fault),
        );
        faulty.extend(
            check(c, list, RowTable::Server, None, servers::from_row)?
                .into_iter()
                .filter_map(fault),
        );
        faulty.extend(
            check(c, list, RowTable::Tool, None, tools::from_row)?
                .into_iter()
                .filter_map(fault),
        );
        Ok(Some(faulty))
    }
}

fn fault<T>(row: CheckedRow<T>) -> Option<(RowRef, RowFault)> {
    row.fault.map(|fault| (row.name, fault))
}

fn check<T>(
    connection: &Connection,
    list: Option<&SignedList>,
    kind: RowTable,
    server: Option<ServerId>,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<CheckedRow<T>>, StoreError> {
    let server = server.map(|server| server.to_string());
    let mut rows = all(
        connection,
        &kind.select(server.is_some()),
        rusqlite::params_from_iter(server.iter()),
        |row| {
            let name = RowRef::of(kind, row)?;
            let member = list.and_then(|list| list.get(&name));
            let content = content_of(kind, row)?;
            let fault = list.and_then(|list| judge(list, &name, member, &content));
            let row = read(row).ok();
            Ok(CheckedRow {
                fault: fault.or(row.is_none().then_some(RowFault::Unreadable)),
                row,
                kept: member.and_then(|member| kept_content(list?, &name, member)),
                name,
            })
        },
    )?;
    let found: BTreeSet<RowRef> = rows.iter().map(|row| row.name.clone()).collect();
    let wanted =
        |name: &RowRef| name.table == kind && !found.contains(name) && is_of(name, server.as_deref());
    let missing = list.into_iter().flat_map(|list| {
        let members = list.members().filter(|(name, _)| wanted(name));
        members.map(|(name, member)| CheckedRow {
            name: name.clone(),
            row: None,
            fault: Some(RowFault::Missing),
            kept: kept_content(list, name, member),
        })
    });
    rows.extend(missing);
    Ok(rows)
}

fn judge(list: &SignedList, name: &RowRef, member: Option<&Member>, content: &str) -> Option<RowFault> {
    match member {
        None => Some(RowFault::Unsigned),
        Some(member) if !list.matches(name, member, content) => Some(RowFault::Changed),
        Some(member) if member.stale => Some(RowFault::Stale),
        Some(_) => None,
    }
}

fn is_of(name: &RowRef, server: Option<&str>) -> bool {
    match (server, name.as_tool()) {
        (None, _) => true,
        (Some(server), Some((of, _))) => of == server,
        (Some(server), None) => name.id == server,
    }
}

/// The copy of the columns that the list keeps, where it is what was signed.
fn kept_content(list: &SignedList, name: &RowRef, member: &Member) -> Option<Value> {
    let content = member
        .content
        .as_ref()
        .filter(|content| list.matches(name, member, content))?;
    serde_json::from_str(content).ok()
}
