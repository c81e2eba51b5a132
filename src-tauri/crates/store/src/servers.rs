//! The servers the user added: how each is started or reached and whether it should run. Of its environment and
//! its headers only the names are kept; a name that carries a value is refused, so that no secret can slip into this
//! file.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vestibule_protocol::{EraChoice, ServerId, TransportChoice};

use crate::columns::{self, all, change, id, json_text, time};
use crate::ledger;
use crate::signed::{Changes, RowRef, RowTable};
use crate::{Store, StoreError};

/// A server as the user set it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRecord {
    /// Our own id for it.
    pub id: ServerId,
    /// The name the user gave it.
    pub name: String,
    pub place: ServerPlace,
    /// Which era of the protocol to speak with it.
    pub era: EraChoice,
    /// Whether it should run.
    pub wanted: bool,
    /// When the user added it; kept to the millisecond.
    pub created: Timestamp,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerPlace {
    /// On this computer: it is started.
    Here(Program),
    /// At an address: it is connected to.
    Address(Endpoint),
}

/// How a server on this computer is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The program to start.
    pub command: String,
    /// Its arguments, in order.
    pub args: Vec<String>,
    /// Names of the environment variables it is given. The values are in the keychain.
    pub env: Vec<String>,
    /// The names among them whose value came with a pasted configuration; the user typed the other values.
    pub pasted: Vec<String>,
    /// The folder it is started in, or [`OWN_FOLDER`](crate::OWN_FOLDER); `None` for the home folder.
    pub cwd: Option<String>,
}

/// How a server at an address is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    pub url: String,
    /// Which transport to speak.
    pub transport: TransportChoice,
    /// Names of the headers it is sent. The values are in the keychain.
    pub headers: Vec<String>,
    /// The names among them whose value came with a pasted configuration; the user typed the other values.
    pub pasted: Vec<String>,
}

impl ServerPlace {
    /// The names whose values are in the keychain: variables of a program, headers of an address.
    #[must_use]
    pub fn secrets(&self) -> &[String] {
        match self {
            Self::Here(program) => &program.env,
            Self::Address(endpoint) => &endpoint.headers,
        }
    }

    /// The names whose value came with a pasted configuration.
    #[must_use]
    pub fn pasted(&self) -> &[String] {
        match self {
            Self::Here(program) => &program.pasted,
            Self::Address(endpoint) => &endpoint.pasted,
        }
    }

    /// Marks a value as typed by the user.
    pub fn set_typed(&mut self, name: &str) {
        self.pasted_mut().retain(|pasted| pasted != name);
    }

    /// Marks a value as one that came with a pasted configuration.
    pub fn set_pasted(&mut self, name: &str) {
        self.set_typed(name);
        self.pasted_mut().push(name.to_owned());
    }

    /// Whether each name can be kept. A name that could carry its value is no name.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the name of a variable or header is empty or could carry a value.
    pub fn check_names(&self) -> Result<(), StoreError> {
        let stops: &[char] = match self {
            Self::Here(_) => &['=', '\0'],
            Self::Address(_) => &[':', '=', ' ', '\0', '\r', '\n'],
        };
        let mut names = self.secrets().iter();
        if names.any(|name| name.is_empty() || name.contains(stops)) {
            return Err(StoreError::Refused {
                detail:
                    "of variables and headers only names are kept, and a name is not empty and carries no value"
                        .to_owned(),
            });
        }
        Ok(())
    }

    fn pasted_mut(&mut self) -> &mut Vec<String> {
        match self {
            Self::Here(program) => &mut program.pasted,
            Self::Address(endpoint) => &mut endpoint.pasted,
        }
    }
}

/// A name in the columns `env` and `headers`: text where the user typed its value, an object where it was pasted.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredName {
    Typed(String),
    Pasted { pasted: String },
}

fn stored_names(names: &[String], pasted: &[String]) -> Value {
    let stored = names.iter().cloned().map(|name| {
        if pasted.contains(&name) {
            StoredName::Pasted { pasted: name }
        } else {
            StoredName::Typed(name)
        }
    });
    json!(stored.collect::<Vec<_>>())
}

/// All names, and those whose value was pasted.
fn names(row: &Row<'_>, column: &str) -> rusqlite::Result<(Vec<String>, Vec<String>)> {
    let stored: Vec<StoredName> = columns::json(row, column)?;
    let mut pasted = vec![];
    let names = stored.into_iter().map(|stored| match stored {
        StoredName::Typed(name) => name,
        StoredName::Pasted { pasted: name } => {
            pasted.push(name.clone());
            name
        }
    });
    Ok((names.collect(), pasted))
}

impl Store {
    /// All servers, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn servers(&self) -> Result<Vec<ServerRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM servers ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a server or replaces the one with the same id. Its rules and approved tools stay.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the name of a variable or header is empty or could carry a value; otherwise as for
    /// every write.
    pub async fn put_server(&self, server: &ServerRecord) -> Result<(), StoreError> {
        server.place.check_names()?;
        let server = server.clone();
        self.change_signed(move |c, changes| write_row(c, changes, &server))
            .await
    }

    /// Removes a server with its rules and approved tools. What the ledger knows of it stays, its name included, until
    /// [`Store::forget_server`]. Removing one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_server(&self, server: ServerId) -> Result<(), StoreError> {
        self.change_signed(move |c, changes| {
            change(c, "DELETE FROM servers WHERE id = ?1", [server.to_string()])?;
            changes.drop_server(server);
            ledger::note_removed(c, server)?;
            Ok(())
        })
        .await
    }
}

/// Writes the row of a server, which is signed at the end of the change.
pub(crate) fn write_row(
    c: &Transaction<'_>,
    changes: &mut Changes,
    server: &ServerRecord,
) -> Result<(), StoreError> {
    let (program, endpoint) = match server.place.clone() {
        ServerPlace::Here(program) => (program, None),
        ServerPlace::Address(endpoint) => (Program::default(), Some(endpoint)),
    };
    let url = endpoint.as_ref().map(|endpoint| endpoint.url.clone());
    let endpoint = endpoint.unwrap_or_default();
    let env = stored_names(&program.env, &program.pasted);
    let headers = stored_names(&endpoint.headers, &endpoint.pasted);
    ledger::keep_name(c, server.id, &server.name)?;
    change(
        c,
        "INSERT INTO servers (id, name, command, args, env, cwd, wanted, created, era, url, transport, headers)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (id) DO UPDATE SET name = ?2, command = ?3, args = ?4, env = ?5, cwd = ?6, wanted = ?7,
                                        created = ?8, era = ?9, url = ?10, transport = ?11, headers = ?12",
        params![
            server.id.to_string(),
            server.name,
            program.command,
            json_text(&program.args.into(), "list of arguments")?,
            json_text(&env, "list of environment names")?,
            program.cwd,
            server.wanted,
            server.created.as_millisecond(),
            server.era.as_str(),
            url,
            endpoint.transport.as_str(),
            json_text(&headers, "list of header names")?,
        ],
    )?;
    changes.sign(RowRef::new(RowTable::Server, server.id));
    Ok(())
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<ServerRecord> {
    let url: Option<String> = row.get("url")?;
    let place = match url {
        Some(url) => {
            let (headers, pasted) = names(row, "headers")?;
            ServerPlace::Address(Endpoint {
                url,
                transport: id(row, "transport")?,
                headers,
                pasted,
            })
        }
        None => {
            let (env, pasted) = names(row, "env")?;
            ServerPlace::Here(Program {
                command: row.get("command")?,
                args: columns::json(row, "args")?,
                env,
                pasted,
                cwd: row.get("cwd")?,
            })
        }
    };
    Ok(ServerRecord {
        id: id(row, "id")?,
        name: row.get("name")?,
        place,
        era: id(row, "era")?,
        wanted: row.get("wanted")?,
        created: time(row, "created")?,
    })
}
