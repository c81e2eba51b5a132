//! The user's own program that serves a model from a file. It is no MCP server, and starts the same way: the whole launch
//! is planned and asked, planned again and compared, and run under the guard process. It is given a key that is made
//! for one start, in a variable, because everyone on the computer can read arguments.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use vestibule_app_protocol::{Problem, ServerProblem};
use vestibule_consent::{
    Cause, Denied, Effect, EffectEnd, ModelStartRequest, NamedValue, ServerSummary, ValueDisplay,
};
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_store::{Program, ServerPlace, ServerRecord};
use vestibule_transport::stdio::{Patience, StdioTransport};
use vestibule_transport::{CloseReason, Incoming, Transport};

use crate::Servers;
use crate::config::launch::{self, LaunchPlan, command_line};
use crate::problem_from::IntoProblem;

/// The variable in which llama.cpp's server expects its key.
const KEY_VARIABLE: &str = "LLAMA_API_KEY";
/// The folder it starts in: one in which nothing lies that it could obey.
const FOLDER: &str = "/";
/// How many lines of its output are kept, and how much of each, in bytes.
const KEPT_LINES: usize = 20;
const KEPT_LINE: usize = 1024;

/// A program that is to serve a model.
pub struct ModelServerLaunch {
    /// A name of its own. No server has it.
    pub id: ServerId,
    /// What the user calls the model.
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
    /// What it is to accept requests with.
    pub key: SecretString,
}

/// A program that serves a model. It ends when the last clone is dropped.
#[derive(Clone)]
pub struct ModelServer {
    output: Output,
    ended: watch::Receiver<Option<ModelServerEnd>>,
    stop: CancellationToken,
    _drop_guard: Arc<DropGuard>,
}

/// How such a program ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelServerEnd {
    /// It was asked to end.
    Stopped,
    /// It ended by itself, or never ran.
    ByItself(Problem),
}

impl ModelServer {
    /// Asks it to end. [`ModelServer::ended`] says when it has.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until nothing of it is left.
    pub async fn ended(&self) -> ModelServerEnd {
        let mut ended = self.ended.clone();
        let end = ended.wait_for(Option::is_some).await;
        // Without its task it was dropped with the application.
        end.ok()
            .and_then(|end| end.clone())
            .unwrap_or(ModelServerEnd::Stopped)
    }

    /// The last lines that it wrote. Untrusted text.
    #[must_use]
    pub fn output(&self) -> Vec<String> {
        self.output.lines()
    }
}

impl Servers {
    /// Starts a program that serves a model, after the user agreed to exactly that. `None` where they did not. Dropping
    /// the future withdraws the question.
    ///
    /// # Errors
    /// When the program is not found, cannot be started, or the decision could not be written down.
    pub async fn start_model_server(
        &self,
        wanted: &ModelServerLaunch,
        cause: Option<Cause>,
    ) -> Result<Option<ModelServer>, Problem> {
        let plan = self.plan_model_server(wanted).await?;
        let request = ModelStartRequest {
            model: ServerSummary {
                id: wanted.id,
                name: wanted.name.clone(),
                provenance: command_line(&wanted.command, &wanted.args),
            },
            cause,
            launch: plan.facts,
            digest: plan.digest,
        };
        let permit = match request.approve(&self.0.context.options.gate, |_| ()).await {
            Ok(permit) => permit,
            Err(Denied::LedgerFailed(error)) => return Err(error.into()),
            Err(_) => return Ok(None),
        };
        let now = self.plan_model_server(wanted).await?;
        if now.digest != permit.effect().launch {
            permit.begin().finish(EffectEnd::NotStarted).await;
            return Err(Problem::Server(ServerProblem::NotStarted {
                program: now.facts.program,
                detail: "it changed while its start was asked about".to_owned(),
            }));
        }
        let (_, effect) = permit.begin().if_dropped(EffectEnd::EndedWhileStarting).split();
        self.run_model_server(wanted, now, effect).await.map(Some)
    }

    async fn plan_model_server(&self, wanted: &ModelServerLaunch) -> Result<LaunchPlan, Problem> {
        let context = &self.0.context;
        let program = Program {
            command: wanted.command.clone(),
            args: wanted.args.clone(),
            cwd: Some(FOLDER.to_owned()),
            ..Program::default()
        };
        let record = ServerRecord {
            id: wanted.id,
            name: wanted.name.clone(),
            place: ServerPlace::Here(program.clone()),
            era: EraChoice::Auto,
            wanted: false,
            created: Timestamp::UNIX_EPOCH,
        };
        let secrets = &*context.options.secrets;
        let search_path = context.search_path().await;
        let mut plan = launch::plan(&record, &program, secrets, search_path, PathBuf::from(FOLDER)).await?;
        plan.facts.variables.push(NamedValue {
            name: KEY_VARIABLE.to_owned(),
            effect: None,
            value: ValueDisplay::Hidden,
        });
        plan.launch
            .env
            .push((KEY_VARIABLE.to_owned(), wanted.key.clone()));
        Ok(plan)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that starts programs for models"
    )]
    async fn run_model_server(
        &self,
        wanted: &ModelServerLaunch,
        plan: LaunchPlan,
        effect: Effect,
    ) -> Result<ModelServer, Problem> {
        let context = &self.0.context;
        let program = plan.facts.program;
        let patience = Patience {
            // It does not read its input, so the end of that says nothing to it.
            after_end_of_input: std::time::Duration::ZERO,
            ..Patience::default()
        };
        let spawned = async {
            let guard = context.guard().await?;
            StdioTransport::spawn(plan.launch, &guard, patience).await
        };
        let transport = match spawned.await {
            Ok(transport) => transport,
            Err(error) => {
                effect.finish(EffectEnd::NotStarted).await;
                let detail = error.to_string();
                return Err(Problem::Server(ServerProblem::NotStarted { program, detail }));
            }
        };
        let stop = context.closing.child_token();
        let (tell, ended) = watch::channel(None);
        let output = Output::default();
        let running = Running {
            transport,
            effect,
            program,
            output: output.clone(),
            stop: stop.clone(),
        };
        tracing::info!(model = %wanted.id, "started a program that serves a model");
        context.tasks.spawn(async move {
            let _ = tell.send(Some(running.until_end().await));
        });
        Ok(ModelServer {
            output,
            ended,
            _drop_guard: Arc::new(stop.clone().drop_guard()),
            stop,
        })
    }
}

/// A program that runs, owned by its task.
struct Running {
    transport: StdioTransport,
    effect: Effect,
    program: String,
    output: Output,
    stop: CancellationToken,
}

impl Running {
    async fn until_end(mut self) -> ModelServerEnd {
        let closed = loop {
            tokio::select! {
                () = self.stop.cancelled() => break None,
                incoming = self.transport.receive() => match incoming {
                    Incoming::Diagnostic(line) => self.output.add(&line),
                    Incoming::Frame(line) => self.output.add(&String::from_utf8_lossy(&line)),
                    Incoming::Junk { sample, .. } => self.output.add(&sample),
                    Incoming::Closed(reason) => break Some(reason),
                    _ => {}
                },
            }
        };
        let Some(reason) = closed else {
            self.transport.close().await;
            self.effect.finish(EffectEnd::Stopped).await;
            return ModelServerEnd::Stopped;
        };
        self.effect.finish(EffectEnd::EndedByItself).await;
        let reason = CloseReason {
            diagnostics: self.output.lines(),
            ..reason
        };
        ModelServerEnd::ByItself(reason.into_problem().naming(&self.program))
    }
}

/// The last lines of a program, on whichever stream it wrote them.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<VecDeque<String>>>);

impl Output {
    fn add(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line[..line.floor_char_boundary(KEPT_LINE)].to_owned());
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }
}
