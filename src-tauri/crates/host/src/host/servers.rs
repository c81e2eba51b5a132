//! Servers: added, started, stopped and removed, with their log and their traffic.

use jiff::Timestamp;
use secrecy::SecretString;
use tokio::sync::MutexGuard;
use vestibule_consent::NamedValue;
use vestibule_policy::inspect::looks_same;
use vestibule_protocol::ServerId;
use vestibule_store::{Endpoint, OWN_FOLDER, Program, ServerPlace, ServerRecord, server_folder};

use super::{Host, TourServer};
use crate::view::{
    EnvPair, InputProblem, LogPage, ParsedServers, PlaceDraft, Problem, ServerDraft, TrafficPage,
};
use vestibule_servers::config::{connection, variables};
use vestibule_servers::{ServerHandle, forget_listed_tools, gone};

/// The longest name of a server, in characters.
const NAME: usize = 64;

impl Host {
    /// Reads a pasted configuration. Adds nothing.
    ///
    /// # Errors
    /// Where the text breaks.
    pub fn server_parse(&self, text: &str) -> Result<ParsedServers, Problem> {
        Ok(vestibule_config_import::parse(text, |url| {
            connection::address(url).map(drop)
        })?)
    }

    /// Splits a command line into a program and its arguments as a POSIX shell does. Nothing is expanded and nothing runs.
    ///
    /// # Errors
    /// When a quote is not closed.
    pub fn command_line_split(&self, line: &str) -> Result<Vec<String>, Problem> {
        shell_words::split(line).map_err(|_| Problem::Input(InputProblem::CommandLineUnclosed))
    }

    /// Adds a server. It does not start by itself.
    ///
    /// # Errors
    /// When the draft is not complete, the name is taken, or something could not be kept.
    pub async fn server_add(&self, draft: ServerDraft) -> Result<ServerId, Problem> {
        let name = self.checked_name(&draft.name, None)?;
        let draft = ServerDraft { name, ..draft };
        self.add_server(ServerId::new(), draft).await
    }

    /// Adds a server whose name was checked.
    pub(super) async fn add_server(&self, id: ServerId, draft: ServerDraft) -> Result<ServerId, Problem> {
        let (place, given) = placed(self.with_network_values(draft.place))?;
        place.check_names()?;
        let record = ServerRecord {
            id,
            name: draft.name,
            place,
            era: draft.era,
            wanted: false,
            created: Timestamp::now(),
        };
        if let Err(problem) = self.keep_server(&record, given).await {
            self.forget_values(&record).await;
            return Err(problem);
        }
        self.0.servers.add(record).await;
        Ok(id)
    }

    /// Keeps the values of a new server, then the server.
    async fn keep_server(&self, record: &ServerRecord, given: Vec<EnvPair>) -> Result<(), Problem> {
        for pair in given.into_iter().filter(|pair| !pair.value.is_empty()) {
            let secret = variables::secret(record.id, &record.place, &pair.name);
            let value = SecretString::from(pair.value);
            self.0.secrets.set(&secret, &value).await?;
        }
        Ok(self.0.store.put_server(record).await?)
    }

    /// Removes the values of a server that could not be added.
    async fn forget_values(&self, record: &ServerRecord) {
        for name in record.place.secrets() {
            let secret = variables::secret(record.id, &record.place, name);
            if let Err(error) = self.0.secrets.remove(&secret).await {
                tracing::error!(name = %secret, %error, "failed to remove a value of a server that was not added");
            }
        }
    }

    /// Waits until no other change of a server is under way.
    ///
    /// # Errors
    /// When the server was removed meanwhile.
    pub(super) async fn begin_server_change<'a>(
        &self,
        handle: &'a ServerHandle,
    ) -> Result<MutexGuard<'a, ()>, Problem> {
        let guard = handle.begin_change().await;
        self.0.servers.get(handle.id())?;
        Ok(guard)
    }

    /// A name as it is kept. No other server than `own` has it, or one that looks the same: a card would not tell them
    /// apart.
    pub(super) fn checked_name(&self, name: &str, own: Option<ServerId>) -> Result<String, Problem> {
        let name: String = name.trim().chars().take(NAME).collect();
        if name.is_empty() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let mut others = self.0.servers.all().into_iter();
        let alike = others.find(|server| Some(server.id()) != own && looks_same(&server.name(), &name));
        match alike.map(|server| server.name()) {
            None => Ok(name),
            Some(other) if other == name => Err(Problem::Input(InputProblem::NameTaken { name })),
            Some(other) => Err(Problem::Input(InputProblem::NameAlike { name, other })),
        }
    }

    /// Stops a server and removes it with its rules and secrets. The ledger keeps its name and what it could have seen
    /// until [`Host::ledger_forget_server`].
    ///
    /// # Errors
    /// When something of it could not be removed; `ServerProblem::NotWithdrawn` when it is removed and the access that it
    /// was given may still be accepted elsewhere.
    pub async fn server_remove(&self, server: ServerId) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        let _one_at_a_time = self.begin_server_change(&handle).await?;
        let record = handle.record();
        // Until the folder of the packages is gone: npm or uv would write into it.
        let _no_update = handle.end_updates().await;
        handle.stop_and_wait().await;
        let told = handle.forget_sign_in().await?;
        for name in record.place.secrets() {
            let secret = variables::secret(server, &record.place, name);
            self.0.secrets.remove(&secret).await?;
        }
        self.0.store.remove_server(server).await?;
        forget_listed_tools(&self.0.store, server).await?;
        self.0.gate.rules().forget_launch(server).await?;
        self.0.gate.server_removed(server);
        self.0.servers.remove(&handle);
        self.forget_server_switches(server).await;
        // What the server left in its folder belongs to the user, so only an empty folder goes.
        let _ = std::fs::remove_dir(server_folder(&self.0.data_folder, server));
        if let Err(error) = handle.packages().remove() {
            tracing::warn!(%error, "failed to remove the downloaded packages of a server");
        }
        self.remove_bundles(&handle).await;
        told.map_or(Ok(()), Err)
    }

    /// Starts or connects a server, once the user or a rule lets it; one that waits to be opened again is opened
    /// now.
    ///
    /// # Errors
    /// When it is gone, or the setting could not be stored.
    pub async fn server_start(&self, server: ServerId) -> Result<(), Problem> {
        self.want(server, true).await?;
        self.0.servers.get(server)?.start(false);
        Ok(())
    }

    /// Stops a server.
    ///
    /// # Errors
    /// When it is gone, or the setting could not be stored.
    pub async fn server_stop(&self, server: ServerId) -> Result<(), Problem> {
        self.0.servers.get(server)?.stop();
        let kept = self.want(server, false).await;
        // One that was removed meanwhile is stopped.
        self.0.servers.get(server).map_or(Ok(()), |_| kept)
    }

    pub(super) async fn want(&self, server: ServerId, wanted: bool) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        let _one_at_a_time = self.begin_server_change(&handle).await?;
        let record = ServerRecord {
            wanted,
            ..handle.record()
        };
        // A row that was changed from outside is signed only when the user says so. Without the key, a change would
        // look like one from outside at the next start.
        if self.is_faulty(server).await? {
            return Ok(());
        }
        self.0.store.update_server(&record).await?;
        handle.set_record(record);
        Ok(())
    }

    /// Gives a variable or a header of a server its value.
    ///
    /// # Errors
    /// When the server does not declare it, or the keychain did not keep it.
    pub async fn server_secret(&self, server: ServerId, name: &str, value: String) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        let _one_at_a_time = self.begin_server_change(&handle).await?;
        let record = handle.record();
        if !record.place.secrets().iter().any(|declared| declared == name) {
            return Err(gone());
        }
        let value = SecretString::from(value);
        check_value(&record.place, name, &value)?;
        // Before the value is there, so that what was typed is never shown as pasted.
        if record.place.pasted().iter().any(|pasted| pasted == name) {
            let mut typed = record.clone();
            typed.place.set_typed(name);
            self.0.store.update_server(&typed).await?;
            handle.set_record(typed);
        }
        self.0
            .secrets
            .set(&variables::secret(server, &record.place, name), &value)
            .await?;
        handle.look_for_variables().await;
        Ok(())
    }

    /// The variables of a server whose values decide what runs. No other value is given.
    ///
    /// # Errors
    /// When the server is gone, or the keychain did not answer.
    pub async fn server_variables(&self, server: ServerId) -> Result<Vec<NamedValue>, Problem> {
        let record = self.0.servers.get(server)?.record();
        Ok(variables::deciding(&record, &*self.0.secrets).await?)
    }

    /// The log of a server from a line on.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn server_log(&self, server: ServerId, after: u64) -> Result<LogPage, Problem> {
        Ok(self.0.servers.get(server)?.log(after))
    }

    /// The traffic with a server since a change.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn server_traffic(&self, server: ServerId, after: u64) -> Result<TrafficPage, Problem> {
        Ok(self.0.servers.get(server)?.traffic(after))
    }

    /// Starts the servers that ran at the last end and may start without a question. One whose row was changed from
    /// outside is not started.
    pub(super) fn start_wanted(&self, tour: Option<TourServer>) {
        let host = self.clone();
        self.0.tasks.spawn(async move {
            if let Some(tour) = tour
                && let Err(problem) = host.vouch_for_tour(&tour).await
            {
                tracing::error!(%problem, "failed to set up the tour's permission; its start will be asked");
            }
            let servers = host.0.store.checked_servers().await.unwrap_or_default();
            let genuine = servers.into_iter().filter(|checked| checked.fault.is_none());
            let genuine = genuine.filter_map(|checked| checked.row);
            for server in genuine.filter(|server| server.wanted) {
                // One that was removed in this moment is skipped.
                let Ok(handle) = host.0.servers.get(server.id) else {
                    continue;
                };
                if handle.may_open().await {
                    // The network may come up later than the application.
                    handle.start(matches!(server.place, ServerPlace::Address(_)));
                }
            }
        });
    }
}

/// Where a server is, and the values that go to the keychain.
pub(super) fn placed(draft: PlaceDraft) -> Result<(ServerPlace, Vec<EnvPair>), Problem> {
    match draft {
        PlaceDraft::Here(program) => {
            if program.command.trim().is_empty() {
                return Err(Problem::Input(InputProblem::CommandMissing));
            }
            let place = ServerPlace::Here(Program {
                command: program.command.trim().to_owned(),
                args: program.args,
                env: program.env.iter().map(|pair| pair.name.clone()).collect(),
                pasted: pasted(&program.env),
                cwd: Some(
                    program
                        .folder
                        .filter(|folder| !folder.trim().is_empty())
                        .unwrap_or_else(own),
                ),
            });
            Ok((place, program.env))
        }
        PlaceDraft::Address(endpoint) => {
            if endpoint.url.trim().is_empty() {
                return Err(Problem::Input(InputProblem::AddressMissing));
            }
            connection::address(&endpoint.url)?;
            let place = ServerPlace::Address(Endpoint {
                url: endpoint.url.trim().to_owned(),
                transport: endpoint.transport,
                headers: endpoint.headers.iter().map(|pair| pair.name.clone()).collect(),
                pasted: pasted(&endpoint.headers),
            });
            for pair in &endpoint.headers {
                check_value(&place, &pair.name, &SecretString::from(pair.value.clone()))?;
            }
            Ok((place, endpoint.headers))
        }
    }
}

fn own() -> String {
    OWN_FOLDER.to_owned()
}

fn pasted(pairs: &[EnvPair]) -> Vec<String> {
    let pasted = pairs.iter().filter(|pair| pair.pasted && !pair.value.is_empty());
    pasted.map(|pair| pair.name.clone()).collect()
}

/// A header whose name or value could be more than that is refused here, where the user can still mend it.
fn check_value(place: &ServerPlace, name: &str, value: &SecretString) -> Result<(), Problem> {
    let fits = connection::is_header_name(name) && connection::is_header_value(value);
    match place {
        ServerPlace::Address(_) if !fits => Err(Problem::Input(InputProblem::HeaderInvalid {
            name: name.to_owned(),
        })),
        _ => Ok(()),
    }
}
