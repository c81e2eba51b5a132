//! The servers the person added: how each is started and whether it should run. Of its environment only the
//! names are kept; a name that carries a value is refused, so that no secret can slip into this file.

use jiff::Timestamp;
use rusqlite::{Row, params};
use vestibule_protocol::ServerId;

use crate::columns::{all, change, id, json, json_text, time};
use crate::{Store, StoreError};

/// A server as the person set it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRecord {
    /// Our own id for it.
    pub id: ServerId,
    /// The name the person gave it.
    pub name: String,
    /// The program to start.
    pub command: String,
    /// Its arguments, in order.
    pub args: Vec<String>,
    /// Names of the environment variables it is given. The values are in the keychain.
    pub env: Vec<String>,
    /// The folder it is started in; `None` for one of the host's choosing.
    pub cwd: Option<String>,
    /// Whether it should run.
    pub wanted: bool,
    /// When the person added it; kept to the millisecond.
    pub created: Timestamp,
}

impl Store {
    /// All servers, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row can not be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn servers(&self) -> Result<Vec<ServerRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM servers ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a server or replaces the one with the same id. Its rules and approved tools stay.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if a name in `env` is empty or contains `=`; otherwise as for every write.
    pub async fn put_server(&self, server: &ServerRecord) -> Result<(), StoreError> {
        if server
            .env
            .iter()
            .any(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            return Err(StoreError::Refused {
                detail: "of an environment only names are kept, and a name is not empty and has no \"=\""
                    .to_owned(),
            });
        }
        let server = server.clone();
        let args = json_text(&server.args.clone().into(), "list of arguments")?;
        let env = json_text(&server.env.clone().into(), "list of environment names")?;
        self.write(move |c| {
            change(
                c,
                "INSERT INTO servers (id, name, command, args, env, cwd, wanted, created)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (id) DO UPDATE SET name = ?2, command = ?3, args = ?4, env = ?5, cwd = ?6,
                                                wanted = ?7, created = ?8",
                params![
                    server.id.to_string(),
                    server.name,
                    server.command,
                    args,
                    env,
                    server.cwd,
                    server.wanted,
                    server.created.as_millisecond(),
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Removes a server with its rules and approved tools. What the ledger says of it stays. Removing one that
    /// is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_server(&self, server: ServerId) -> Result<(), StoreError> {
        self.write(move |c| {
            change(c, "DELETE FROM servers WHERE id = ?1", [server.to_string()])?;
            Ok(())
        })
        .await
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ServerRecord> {
    Ok(ServerRecord {
        id: id(row, "id")?,
        name: row.get("name")?,
        command: row.get("command")?,
        args: json(row, "args")?,
        env: json(row, "env")?,
        cwd: row.get("cwd")?,
        wanted: row.get("wanted")?,
        created: time(row, "created")?,
    })
}
