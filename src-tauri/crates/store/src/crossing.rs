//! Types of the store in the form in which they cross to the windows.

use vestibule_app_protocol::{RemovedServerView, RowFaultKind, RowRef, RowTable};

use crate::{RemovedServer, RowFault, RowKind, RowName};

impl From<RemovedServer> for RemovedServerView {
    fn from(server: RemovedServer) -> Self {
        Self {
            id: server.id,
            name: server.name,
            removed_ms: server.removed.as_millisecond(),
        }
    }
}

impl From<RowFault> for RowFaultKind {
    fn from(fault: RowFault) -> Self {
        match fault {
            RowFault::Changed => Self::Changed,
            RowFault::Unsigned => Self::Unsigned,
            RowFault::Missing => Self::Missing,
            RowFault::Stale => Self::Stale,
            RowFault::Unreadable => Self::Unreadable,
            RowFault::Unchecked => Self::Unchecked,
        }
    }
}

impl From<&RowName> for RowRef {
    fn from(name: &RowName) -> Self {
        let table = match name.kind {
            RowKind::Rule => RowTable::Rule,
            RowKind::Server => RowTable::Server,
            RowKind::Tool => RowTable::Tool,
        };
        Self {
            table,
            id: name.id.clone(),
        }
    }
}

impl From<RowRef> for RowName {
    fn from(row: RowRef) -> Self {
        let kind = match row.table {
            RowTable::Rule => RowKind::Rule,
            RowTable::Server => RowKind::Server,
            RowTable::Tool => RowKind::Tool,
        };
        Self { kind, id: row.id }
    }
}
