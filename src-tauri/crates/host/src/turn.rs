//! One turn of a chat: the model speaks, asks for tools, reads what came of them, and speaks again until it is
//! done, stopped or out of rounds. Each call goes through the gate; the turn only carries words back and forth
//! and keeps the transcript true.

mod call;
mod data_flow;
mod history;
mod tool_names;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::future::join_all;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_consent::Gate;
use vestibule_models::{FinishReason, ModelCall, ModelEvent, ModelProvider, ModelRequest, ToolSpec};
use vestibule_protocol::{ChatId, WorkspaceId};

use crate::folders::Folders;
use crate::problem_from::IntoProblem;
use crate::servers::{OfferedTool, Servers};
use crate::tasks::Tasks;
use crate::transcript::Transcript;
use crate::view::{EntryBody, EntryView, ModelProblem, Problem, TextState};
use tool_names::{ToolNames, ToolRef};

/// How often the words of a model that is speaking are written to disk.
const KEEP: Duration = Duration::from_millis(500);

/// What a turn needs.
pub(crate) struct Turn {
    pub(crate) chat: ChatId,
    pub(crate) chat_title: String,
    pub(crate) workspace: WorkspaceId,
    pub(crate) model: Arc<dyn ModelProvider>,
    pub(crate) servers: Servers,
    pub(crate) folders: Folders,
    pub(crate) gate: Arc<Gate>,
    pub(crate) transcript: Transcript,
    pub(crate) tasks: Tasks,
    pub(crate) most_rounds: u32,
}

/// The tools of one round, and what their names stand for.
struct RoundTools {
    names: ToolNames,
    tools: Vec<OfferedTool>,
    specs: Vec<ToolSpec>,
}

impl RoundTools {
    /// The span of one call; `server` stays empty where the model named no tool on offer.
    fn span(&self, call: &ModelCall) -> tracing::Span {
        let span = tracing::info_span!("call", server = tracing::field::Empty);
        if let Some(target) = self.names.find(&call.name) {
            span.record("server", tracing::field::display(target.server));
        }
        span
    }
}

impl Turn {
    /// Runs to its end. Whatever goes wrong stands in the transcript.
    pub(crate) async fn run(self, stop: CancellationToken) {
        if let Err((problem, retryable)) = self.rounds(&stop).await {
            let failure = EntryBody::Failure { problem, retryable };
            if let Err(error) = self.transcript.add(self.chat, failure).await {
                tracing::error!(%error, "failed to persist a turn failure");
            }
        }
    }

    async fn rounds(&self, stop: &CancellationToken) -> Result<(), (Problem, bool)> {
        for _ in 0..self.most_rounds {
            let entries = self
                .transcript
                .entries(self.chat)
                .await
                .map_err(storage_problem)?
                .entries;
            let offer = self.offer();
            let request = ModelRequest {
                system: Some(history::system(&self.servers.instructions())),
                messages: history::messages(&entries),
                tools: offer.specs.clone(),
                ..ModelRequest::default()
            };
            let calls = match self.speak(request, stop).await? {
                Some(calls) if !calls.is_empty() => calls,
                _ => return Ok(()),
            };
            // Every call stands in the transcript, in the model's order, before the first one is decided.
            let mut placed = vec![];
            for call in calls {
                let entry = self.place(&call, &offer).await.map_err(storage_problem)?;
                placed.push((call, entry));
            }
            let runs = placed.into_iter().map(|(call, entry)| {
                let span = offer.span(&call);
                self.call(call, entry, &offer, &entries, stop).instrument(span)
            });
            join_all(runs)
                .await
                .into_iter()
                .collect::<Result<Vec<()>, Problem>>()
                .map_err(|p| (p, false))?;
            if stop.is_cancelled() {
                return Ok(());
            }
        }
        Err((
            Problem::Model(ModelProblem::TooManyRounds {
                rounds: self.most_rounds,
            }),
            true,
        ))
    }

    /// What the model may call in this round.
    fn offer(&self) -> RoundTools {
        let tools = self.servers.offered();
        let mut names = ToolNames::default();
        let specs = tools
            .iter()
            .map(|offered| {
                let tool = &offered.tool.tool;
                let target = ToolRef {
                    server: offered.server.id(),
                    tool: tool.name.clone(),
                };
                ToolSpec {
                    name: names.add(&offered.server.name(), target),
                    description: tool.description.clone().unwrap_or_default(),
                    input_schema: tool.input_schema().clone(),
                }
            })
            .collect();
        RoundTools { names, tools, specs }
    }

    /// Lets the model speak once. Gives back the calls it asks for; `None` where it was stopped.
    async fn speak(
        &self,
        request: ModelRequest,
        stop: &CancellationToken,
    ) -> Result<Option<Vec<ModelCall>>, (Problem, bool)> {
        let mut stream = tokio::select! {
            () = stop.cancelled() => return Ok(None),
            stream = self.model.stream(request) => stream.map_err(model)?,
        };
        let mut spoken = RoundReply {
            turn: self,
            entry: None,
            kept: Instant::now(),
        };
        let mut calls = vec![];
        loop {
            let event = tokio::select! {
                () = stop.cancelled() => {
                    spoken.finish(TextState::Stopped).await.map_err(storage_problem)?;
                    return Ok(None);
                }
                event = stream.next() => event,
            };
            match event {
                Some(Ok(ModelEvent::Text(text))) => {
                    spoken.append_text(&text, "").await.map_err(storage_problem)?
                }
                Some(Ok(ModelEvent::Reasoning(text))) => {
                    spoken.append_text("", &text).await.map_err(storage_problem)?
                }
                Some(Ok(ModelEvent::Call(call))) => calls.push(call),
                Some(Ok(ModelEvent::Usage { .. })) => {}
                Some(Ok(ModelEvent::Finished(reason))) => {
                    // Each round has its entry, so that the calls that follow belong to it.
                    if !calls.is_empty() {
                        spoken.entry().await.map_err(storage_problem)?;
                    }
                    let cut = reason == FinishReason::Length;
                    spoken
                        .finish(if cut {
                            TextState::Interrupted
                        } else {
                            TextState::Done
                        })
                        .await
                        .map_err(storage_problem)?;
                    return if cut {
                        Err((Problem::Model(ModelProblem::ModelCut), true))
                    } else {
                        Ok(Some(calls))
                    };
                }
                Some(Err(error)) => {
                    spoken
                        .finish(TextState::Interrupted)
                        .await
                        .map_err(storage_problem)?;
                    return Err(model(error));
                }
                None => {
                    spoken
                        .finish(TextState::Interrupted)
                        .await
                        .map_err(storage_problem)?;
                    return Err((Problem::Model(ModelProblem::ModelCut), true));
                }
            }
        }
    }
}

/// What the model has said in this round, on screen and on disk.
struct RoundReply<'a> {
    turn: &'a Turn,
    entry: Option<EntryView>,
    kept: Instant,
}

impl RoundReply<'_> {
    async fn append_text(&mut self, text: &str, reasoning: &str) -> Result<(), vestibule_store::StoreError> {
        let transcript = self.turn.transcript.clone();
        let due = self.kept.elapsed() >= KEEP;
        let entry = self.entry().await?;
        transcript.grow(entry, text, reasoning);
        if due {
            transcript.keep(entry).await?;
            self.kept = Instant::now();
        }
        Ok(())
    }

    /// The entry of this round, made when it is first needed.
    async fn entry(&mut self) -> Result<&mut EntryView, vestibule_store::StoreError> {
        let entry = match self.entry.take() {
            Some(entry) => entry,
            None => {
                let body = EntryBody::Assistant {
                    text: String::new(),
                    reasoning: String::new(),
                    model: self.turn.model.label().to_owned(),
                    scripted: self.turn.model.scripted(),
                    state: TextState::Streaming,
                };
                self.turn.transcript.add(self.turn.chat, body).await?
            }
        };
        Ok(self.entry.insert(entry))
    }

    async fn finish(&mut self, end: TextState) -> Result<(), vestibule_store::StoreError> {
        let Some(mut entry) = self.entry.take() else {
            return Ok(());
        };
        if let EntryBody::Assistant { state, .. } = &mut entry.body {
            *state = end;
        }
        self.turn.transcript.put(&entry).await
    }
}

fn storage_problem(error: vestibule_store::StoreError) -> (Problem, bool) {
    (error.into(), true)
}

fn model(error: vestibule_models::ModelError) -> (Problem, bool) {
    // Trying again is worth it also where the user first has to change something: the key, the address, the model.
    (error.into_problem(), true)
}
