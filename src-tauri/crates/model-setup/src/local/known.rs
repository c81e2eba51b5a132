//! The local models that are set up, and how each is now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vestibule_app_protocol::{LocalModelState, LocalModelView};
use vestibule_protocol::ConnectionId;
use vestibule_servers::{ModelServer, Servers};
use vestibule_store::{Store, StoreError};

/// What the keys of these settings begin with; the id of the connection follows.
const PREFIX: &str = "local-model.";

/// A model file and its program, as the user set them up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalModelRecord {
    pub program: String,
    pub file: String,
}

impl LocalModelRecord {
    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        Some(Self {
            program: text("program")?,
            file: text("file")?,
        })
    }
}

/// All local models. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub struct LocalModelSet(Arc<SharedModels>);

#[derive(Default)]
struct SharedModels {
    /// Where programs are started; set once the host is open.
    servers: OnceLock<Servers>,
    models: Mutex<HashMap<ConnectionId, Arc<LocalModel>>>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

pub(super) struct LocalModel {
    /// Held while it starts, so that it is asked about once however many chats need it.
    pub(super) starting: tokio::sync::Mutex<()>,
    state: Mutex<LocalState>,
}

pub(super) struct LocalState {
    /// What the next start runs.
    pub(super) record: LocalModelRecord,
    shown: LocalModelState,
    running: Option<RunningModel>,
    pub(super) used: Instant,
    /// Gives up the start that is under way.
    pub(super) cancel: CancellationToken,
}

#[derive(Clone)]
pub(super) struct RunningModel {
    pub(super) server: ModelServer,
    pub(super) base_url: String,
}

impl LocalModel {
    pub(super) fn new(record: LocalModelRecord) -> Self {
        Self {
            starting: tokio::sync::Mutex::default(),
            state: Mutex::new(LocalState {
                record,
                shown: LocalModelState::Stopped { problem: None },
                running: None,
                used: Instant::now(),
                cancel: CancellationToken::new(),
            }),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LocalState> {
        // Each change is one assignment of whole values.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, shown: LocalModelState, running: Option<RunningModel>) {
        let mut state = self.state();
        state.shown = shown;
        state.running = running;
        state.used = Instant::now();
    }

    /// Its address while it runs; asking for it counts as a use.
    pub(super) fn address(&self) -> Option<String> {
        let mut state = self.state();
        state.used = Instant::now();
        state.running.as_ref().map(|running| running.base_url.clone())
    }
}

impl LocalModelSet {
    /// Reads what earlier runs kept. Nothing is started.
    pub async fn load(&self, store: &Store, servers: Servers) -> Result<(), StoreError> {
        for (key, value) in store.settings().await? {
            let id = key.strip_prefix(PREFIX).and_then(|id| id.parse().ok());
            if let (Some(id), Some(record)) = (id, LocalModelRecord::from_json(&value)) {
                self.models().insert(id, Arc::new(LocalModel::new(record)));
            }
        }
        let _ = self.0.servers.set(servers);
        Ok(())
    }

    /// Adds a local model, or changes what the next start of a known one runs.
    pub async fn put(
        &self,
        store: &Store,
        id: ConnectionId,
        record: LocalModelRecord,
    ) -> Result<(), StoreError> {
        let value = json!({ "program": record.program, "file": record.file });
        store.put_setting(&format!("{PREFIX}{id}"), value).await?;
        let mut models = self.models();
        match models.get(&id) {
            Some(known) => known.state().record = record,
            None => {
                models.insert(id, Arc::new(LocalModel::new(record)));
            }
        }
        Ok(())
    }

    /// Stops and forgets a local model. Another connection is left alone.
    pub async fn remove(&self, store: &Store, id: ConnectionId) -> Result<(), StoreError> {
        if self.get(id).is_none() {
            return Ok(());
        }
        self.stop(id);
        store.remove_setting(&format!("{PREFIX}{id}")).await?;
        self.models().remove(&id);
        Ok(())
    }

    pub fn is_local(&self, id: ConnectionId) -> bool {
        self.get(id).is_some()
    }

    pub fn view(&self, id: ConnectionId) -> Option<LocalModelView> {
        let model = self.get(id)?;
        let state = model.state();
        Some(LocalModelView {
            program: state.record.program.clone(),
            file: state.record.file.clone(),
            state: state.shown.clone(),
        })
    }

    /// Stops a program, or gives up its start.
    pub fn stop(&self, id: ConnectionId) {
        if let Some(model) = self.get(id) {
            let state = model.state();
            state.cancel.cancel();
            if let Some(running) = &state.running {
                running.server.stop();
            }
        }
    }

    pub fn stop_all(&self) {
        let all: Vec<ConnectionId> = self.models().keys().copied().collect();
        all.into_iter().for_each(|id| self.stop(id));
    }

    /// Gives up every start and ends what watches over programs. The programs themselves end with the servers.
    pub async fn close(&self) {
        self.0.closing.cancel();
        self.stop_all();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<Arc<LocalModel>> {
        self.models().get(&id).cloned()
    }

    /// Where programs are started; `None` until the host is open.
    pub(super) fn servers(&self) -> Option<&Servers> {
        self.0.servers.get()
    }

    pub(super) fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }

    /// Cancelled when the application closes.
    pub(super) fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    fn models(&self) -> MutexGuard<'_, HashMap<ConnectionId, Arc<LocalModel>>> {
        // Each change is one insert or remove.
        self.0.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
