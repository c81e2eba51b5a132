//! The list of all signed rows, in memory and in the file. The list in memory is what later changes build on, so an
//! edit of the file while Vestibule runs is not signed by the next change.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::Changes;
use super::key::{Mac, RowKey};
use super::row::{StoredRow, StoredTable, content_of};
use crate::columns::all;
use crate::rules::RuleRecord;
use crate::servers::ServerRecord;
use crate::tools::ApprovedTool;
use crate::{StoreError, rules, servers, tools};
use vestibule_app_protocol::{RowRef, RowTable};

/// A row that was never signed, for the caller that knows whether it is genuine.
#[derive(Clone, Debug, PartialEq)]
pub enum UnsignedRow {
    Rule(RuleRecord),
    Server(ServerRecord),
    Tool(ApprovedTool),
}

/// A signature of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) mac: Mac,
    pub(super) content: Option<String>,
    pub(super) stale: bool,
}

/// All signatures of a database, and the key they are made with.
#[derive(Clone, Debug)]
pub(crate) struct SignedList {
    key: RowKey,
    generation: i64,
    members: BTreeMap<RowRef, Member>,
    /// The list in the file is not the one in memory, and is written as a whole by the next change.
    rewrite: bool,
}

/// What a change replaced in the list.
pub(super) struct Undo {
    generation: i64,
    before: BTreeMap<RowRef, Option<Member>>,
}

impl SignedList {
    /// Reads the list of a file. Where it is not the newest there was, each row that matches its own MAC stays known,
    /// and rules are marked stale.
    pub(crate) fn load(connection: &Connection, key: RowKey, remembered: i64) -> Result<Self, StoreError> {
        let members = read_members(connection)?;
        let head = read_head(connection)?;
        let (generation, mac) = head.unwrap_or_default();
        let mut list = Self {
            key,
            generation,
            members,
            rewrite: false,
        };
        if generation < remembered || list.mac() != mac {
            list.generation = generation.max(remembered);
            list.rewrite = true;
            list.keep_what_matches_by_itself(connection)?;
        }
        Ok(list)
    }

    /// Begins a list with the rows that are proven, and writes it.
    pub(super) fn begin(
        connection: &Connection,
        key: RowKey,
        remembered: i64,
        is_proven: &dyn Fn(&UnsignedRow) -> bool,
    ) -> Result<Self, StoreError> {
        let generation = read_head(connection)?.unwrap_or_default().0.max(remembered);
        let mut list = Self {
            key,
            generation: generation + 1,
            members: BTreeMap::new(),
            rewrite: true,
        };
        for kind in RowTable::ALL {
            let rows = all(connection, &kind.select(false), [], |row| {
                let content = content_of(kind, row)?;
                // What cannot be read has no effect, and is not signed.
                let read = match kind {
                    RowTable::Rule => rules::from_row(row).map(UnsignedRow::Rule).ok(),
                    RowTable::Server => servers::from_row(row).map(UnsignedRow::Server).ok(),
                    RowTable::Tool => tools::from_row(row).map(UnsignedRow::Tool).ok(),
                };
                Ok((RowRef::of(kind, row)?, content, read))
            })?;
            for (name, content, read) in rows {
                if read.as_ref().is_some_and(is_proven) {
                    let member = list.member(&name, content);
                    list.members.insert(name, member);
                }
            }
        }
        let nothing = Undo {
            generation,
            before: BTreeMap::new(),
        };
        list.write(connection, &nothing)?;
        list.committed();
        Ok(list)
    }

    /// Whether the list in the file is the one that was written last.
    pub(super) fn is_newest(&self) -> bool {
        !self.rewrite
    }

    pub(super) fn generation(&self) -> i64 {
        self.generation
    }

    pub(super) fn get(&self, name: &RowRef) -> Option<&Member> {
        self.members.get(name)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&RowRef, &Member)> {
        self.members.iter()
    }

    /// Whether these are the columns that were signed.
    pub(super) fn matches(&self, name: &RowRef, member: &Member, content: &str) -> bool {
        self.key.of_row(name, content) == member.mac
    }

    /// Changes the list in memory.
    pub(super) fn apply(&mut self, connection: &Connection, changes: Changes) -> Result<Undo, StoreError> {
        let mut next: BTreeMap<RowRef, Option<Member>> = BTreeMap::new();
        if changes.takes_others() {
            let taken = self
                .members
                .iter()
                .filter(|(name, member)| changes.takes(name, member.content.as_deref()));
            next.extend(taken.map(|(name, _)| (name.clone(), None)));
        }
        let grows = !(changes.signed.is_empty() && changes.dropped.is_empty() && next.is_empty());
        for (name, before) in changes.touched {
            let known = self
                .members
                .get(&name)
                .filter(|known| self.matches(&name, known, &before));
            let Some(stale) = known.map(|known| known.stale) else {
                continue;
            };
            if let Some(content) = name.content(connection)? {
                let member = Member {
                    stale,
                    ..self.member(&name, content)
                };
                next.insert(name, Some(member));
            }
        }
        for name in changes.dropped {
            next.insert(name, None);
        }
        for name in changes.signed {
            let content = name.content(connection)?;
            let member = content.map(|content| self.member(&name, content));
            next.insert(name, member);
        }
        let mut undo = Undo {
            generation: self.generation,
            before: BTreeMap::new(),
        };
        if grows {
            self.generation += 1;
        }
        for (name, member) in next {
            let before = match member {
                Some(member) => self.members.insert(name.clone(), member),
                None => self.members.remove(&name),
            };
            undo.before.insert(name, before);
        }
        Ok(undo)
    }

    /// Writes what a change did to the list.
    pub(super) fn write(&self, connection: &Connection, changed: &Undo) -> Result<(), StoreError> {
        if self.rewrite {
            connection.execute("DELETE FROM row_macs", [])?;
            for (name, member) in &self.members {
                write_member(connection, name, Some(member))?;
            }
        } else {
            for name in changed.before.keys() {
                write_member(connection, name, self.members.get(name))?;
            }
        }
        let sql = "INSERT INTO row_macs_head (one, generation, mac) VALUES (1, ?1, ?2)
                   ON CONFLICT (one) DO UPDATE SET generation = ?1, mac = ?2";
        connection
            .prepare_cached(sql)?
            .execute(params![self.generation, self.mac()])?;
        Ok(())
    }

    pub(super) fn committed(&mut self) {
        self.rewrite = false;
    }

    pub(super) fn take_back(&mut self, undo: Undo) {
        self.generation = undo.generation;
        for (name, before) in undo.before {
            match before {
                Some(member) => drop(self.members.insert(name, member)),
                None => drop(self.members.remove(&name)),
            }
        }
    }

    fn member(&self, name: &RowRef, content: String) -> Member {
        let mac = self.key.of_row(name, &content);
        let content = (name.table != RowTable::Tool).then_some(content);
        Member {
            mac,
            content,
            stale: false,
        }
    }

    fn mac(&self) -> Mac {
        let members = self.members.values();
        self.key
            .of_list(self.generation, members.map(|member| (&member.mac, member.stale)))
    }

    fn keep_what_matches_by_itself(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let members = std::mem::take(&mut self.members);
        for (name, member) in members {
            let there = name.content(connection)?;
            let signed = member.content.as_ref().or(there.as_ref());
            if signed.is_some_and(|content| self.matches(&name, &member, content)) {
                let stale = name.table == RowTable::Rule;
                self.members.insert(name, Member { stale, ..member });
            }
        }
        Ok(())
    }
}

fn read_members(connection: &Connection) -> Result<BTreeMap<RowRef, Member>, StoreError> {
    let rows = all(
        connection,
        "SELECT kind, id, mac, content, stale FROM row_macs",
        [],
        |row| {
            let kind: String = row.get(0)?;
            let mac: Option<Mac> = row.get(2).ok();
            Ok((kind, row.get::<_, String>(1)?, mac, row.get(3)?, row.get(4)?))
        },
    )?;
    // An entry of another shape was not written by Vestibule; without it the list does not match.
    let member = |(kind, id, mac, content, stale): (String, String, Option<Mac>, Option<String>, bool)| {
        let name = RowRef::new(RowTable::from_word(&kind)?, id);
        Some((
            name,
            Member {
                mac: mac?,
                content,
                stale,
            },
        ))
    };
    Ok(rows.into_iter().filter_map(member).collect())
}

fn read_head(connection: &Connection) -> Result<Option<(i64, Mac)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT generation, mac FROM row_macs_head WHERE one = 1")?;
    let head = statement.query_row([], |row| {
        Ok((row.get(0)?, row.get::<_, Mac>(1).unwrap_or_default()))
    });
    Ok(head.optional()?)
}

fn write_member(connection: &Connection, name: &RowRef, member: Option<&Member>) -> Result<(), StoreError> {
    let kind = name.table.as_str();
    match member {
        Some(member) => {
            let sql = "INSERT INTO row_macs (kind, id, mac, content, stale) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (kind, id) DO UPDATE SET mac = ?3, content = ?4, stale = ?5";
            let values = params![kind, name.id, member.mac, member.content, member.stale];
            connection.prepare_cached(sql)?.execute(values)?;
        }
        None => {
            let sql = "DELETE FROM row_macs WHERE kind = ?1 AND id = ?2";
            connection.prepare_cached(sql)?.execute(params![kind, name.id])?;
        }
    }
    Ok(())
}
