//! The commands about local models: added from a file, started, stopped.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use vestibule_models::{GgufHeader, KnownFacts, Wire, read_gguf};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_store::{ConnectionRecord, ModelRecord};

use super::Host;
use crate::model_setup::local::{LOCAL_ADDRESS, LocalModelRecord, PROGRAM, USUAL_CONTEXT};
use crate::view::{InputProblem, LocalModelDraft, Problem};

impl Host {
    /// Adds a model file with the program that serves it. Of the file its header is read; nothing is started.
    ///
    /// # Errors
    /// When the file is no GGUF file that can be read, or it could not be kept.
    pub async fn local_model_add(&self, draft: LocalModelDraft) -> Result<ModelId, Problem> {
        let file = draft.file.trim().to_owned();
        let header = header_of(&file).await?;
        let stem = Path::new(&file).file_stem().and_then(|stem| stem.to_str());
        let name = header
            .name
            .clone()
            .or(stem.map(str::to_owned))
            .unwrap_or_default();
        let connection = ConnectionRecord {
            id: ConnectionId::new(),
            label: name.clone(),
            wire: Wire::ChatCompletions.name().to_owned(),
            base_url: LOCAL_ADDRESS.to_owned(),
            headers: vec![],
            created: Timestamp::now(),
            unmerged: false,
        };
        let model = ModelRecord {
            reported: Some(facts_of(&header).to_json()),
            ..ModelRecord::new(Some(connection.id), &name, Timestamp::now())
        };
        let record = LocalModelRecord {
            program: match draft.program.trim() {
                "" => PROGRAM.to_owned(),
                program => program.to_owned(),
            },
            file,
        };
        let store = &self.0.store;
        self.0.models.local.add(store, connection.id, record).await?;
        store.put_connection(&connection).await?;
        store.put_model(&model).await?;
        self.tell_of_models().await?;
        Ok(model.id)
    }

    /// Begins to start the program of a local model; an event tells how it goes on.
    pub fn local_model_start(&self, connection: ConnectionId) {
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let record = match host.0.models.connection(connection).await {
                Ok(Some(record)) => record,
                Ok(None) => return,
                Err(problem) => return tracing::error!(%problem, "failed to read a connection"),
            };
            // How it ended is shown with the model.
            if let Err(problem) = host.0.models.start_local(&record, None).await {
                tracing::info!(%problem, "a local model was not started");
            }
        });
    }

    /// Stops the program of a local model, or gives up its start.
    pub fn local_model_stop(&self, connection: ConnectionId) {
        self.0.models.local.stop(connection);
    }
}

async fn header_of(file: &str) -> Result<GgufHeader, Problem> {
    let unusable = |detail: String| {
        Problem::Input(InputProblem::ModelFileUnusable {
            file: file.to_owned(),
            detail,
        })
    };
    let path = PathBuf::from(file);
    if !path.is_absolute() {
        return Err(unusable("its path must be whole, from / on".to_owned()));
    }
    let read = tokio::task::spawn_blocking(move || read_gguf(&path)).await;
    match read {
        Ok(read) => read.map_err(|error| unusable(error.to_string())),
        Err(error) => Err(unusable(error.to_string())),
    }
}

/// What the file says of the model, as far as the program will make use of it.
fn facts_of(header: &GgufHeader) -> KnownFacts {
    KnownFacts {
        context: header.context.map(|trained| trained.min(USUAL_CONTEXT)),
        tools: header.speaks_of_tools.then_some(true),
        ..KnownFacts::default()
    }
}
