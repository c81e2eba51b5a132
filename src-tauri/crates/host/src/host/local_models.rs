//! The commands about local models: added from a file, started, stopped.

use std::path::Path;

use jiff::Timestamp;
use vestibule_model_setup::local::{LOCAL_ADDRESS, LocalModelRecord, PROGRAM, USUAL_CONTEXT, read_header};
use vestibule_models::{GgufHeader, KnownFacts, Wire};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_store::{ConnectionRecord, ModelRecord};

use super::Host;
use crate::view::{InputProblem, LocalModelDraft, Problem};

impl Host {
    /// Adds a model file with the program that serves it. Of the file its header is read; nothing is started.
    ///
    /// # Errors
    /// When the file is no GGUF file that can be read, or it could not be kept.
    pub async fn local_model_add(&self, draft: LocalModelDraft) -> Result<ModelId, Problem> {
        let file = draft.file.trim().to_owned();
        let header = read_header(&file).await?;
        let name = name_of(&header, &file);
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
        let record = record_of(&draft);
        let store = &self.0.store;
        self.0.models.local.put(store, connection.id, record).await?;
        store.put_connection(&connection).await?;
        store.put_model(&model).await?;
        self.tell_of_models().await?;
        Ok(model.id)
    }

    /// Changes the file and the program of a local model. One that runs is stopped; the next start is asked as any other.
    /// A name that the user gave the model stays.
    ///
    /// # Errors
    /// When there is no such local model, the file is no GGUF file that can be read, or it could not be kept.
    pub async fn local_model_save(
        &self,
        connection: ConnectionId,
        draft: LocalModelDraft,
    ) -> Result<(), Problem> {
        let local = &self.0.models.local;
        let held = self.0.models.connection(connection).await?;
        let Some(mut held) = held.filter(|_| local.is_local(connection)) else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        let after = record_of(&draft);
        let header = read_header(&after.file).await?;
        let name = name_of(&header, &after.file);
        let store = &self.0.store;
        local.stop(connection);
        local.put(store, connection, after).await?;
        let known = store.models().await?.into_iter();
        for model in known.filter(|model| model.connection == Some(connection)) {
            if held.label == model.model {
                held.label.clone_from(&name);
            }
            let (name, facts) = (name.clone(), facts_of(&header).to_json());
            let change = move |model: &mut ModelRecord| {
                if model.label == model.model {
                    model.label.clone_from(&name);
                }
                model.model = name;
                model.reported = Some(facts);
            };
            store.change_model(model.id, change).await?;
        }
        store.put_connection(&held).await?;
        self.tell_of_models().await
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

/// What the model is called: by its file's header, or else by the file's name.
fn name_of(header: &GgufHeader, file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    let named = header.name.clone().or(stem.map(str::to_owned));
    named.unwrap_or_default()
}

fn record_of(draft: &LocalModelDraft) -> LocalModelRecord {
    LocalModelRecord {
        program: match draft.program.trim() {
            "" => PROGRAM.to_owned(),
            program => program.to_owned(),
        },
        file: draft.file.trim().to_owned(),
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
