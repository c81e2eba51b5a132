//! Models that the user's own `llama-server` reads from a file on this computer. Vestibule downloads nothing: it starts
//! the program after the user saw exactly what would run, waits until the model is loaded, and ends it when it is idle.
//! The program listens on a port of this computer alone and expects a key that is made for each start.

mod header;
mod known;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vestibule_app_protocol::{LocalModelState, Problem, ServerProblem};
use vestibule_consent::Cause;
use vestibule_models::{RemoteModel, Wire};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_servers::{ModelServer, ModelServerEnd, ModelServerLaunch};
use vestibule_store::ConnectionRecord;

use super::facts::facts_of;
use super::{Models, address, shown_label};
pub use header::read_header;
use known::{LocalModel, RunningModel};
pub use known::{LocalModelRecord, LocalModelSet};

/// What a program is looked for as where the user names none.
pub const PROGRAM: &str = "llama-server";
/// How many tokens a local model reads where the user says nothing. What it was trained to read can take more memory
/// than a computer has.
pub const USUAL_CONTEXT: u32 = 16_384;
/// The address of every local model in the database; the port is another one in each run.
pub const LOCAL_ADDRESS: &str = "http://127.0.0.1/v1";
/// How long a model may take to load.
const LOADED_WITHIN: Duration = Duration::from_secs(300);
/// How often it is looked whether it is loaded.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long a program stays that no chat uses.
const IDLE: Duration = Duration::from_secs(600);
/// How often it is looked whether one is idle.
const IDLE_LOOK: Duration = Duration::from_secs(30);

impl Models {
    /// The connection with the address it is reached at now.
    ///
    /// # Errors
    /// When it is a local model that does not run.
    pub fn reached(&self, connection: &ConnectionRecord) -> Result<ConnectionRecord, Problem> {
        let Some(local) = self.local.get(connection.id) else {
            return Ok(connection.clone());
        };
        let base_url = local.address().ok_or_else(|| not_running(connection))?;
        Ok(ConnectionRecord {
            base_url,
            ..connection.clone()
        })
    }

    /// Whether a model is sent images. Of a local model that does not run, only what is known of it counts: it is started
    /// with its turn, which the user is asked about.
    pub async fn sees_images(&self, id: ModelId) -> Result<bool, Problem> {
        let (record, connection) = self.records(id).await?;
        match self.provider_of(&record, connection.as_ref()).await {
            Ok(provider) => Ok(provider.sees_images().await),
            Err(problem) => match connection.filter(|connection| self.local.get(connection.id).is_some()) {
                Some(local) => Ok(facts_of(&record, Some(&local))
                    .images
                    .is_some_and(|fact| fact.value)),
                None => Err(problem),
            },
        }
    }

    /// Starts the program of a local model where it does not run, and waits until it can be asked. Dropping the future
    /// gives up the start.
    ///
    /// # Errors
    /// When the user did not agree, or it did not start or load.
    pub async fn start_local(
        &self,
        connection: &ConnectionRecord,
        cause: Option<Cause>,
    ) -> Result<(), Problem> {
        let Some(local) = self.local.get(connection.id) else {
            return Ok(());
        };
        if local.address().is_some() {
            return Ok(());
        }
        let cancel = self.local.closing().child_token();
        let _given_up = cancel.clone().drop_guard();
        let stopped = not_running(connection);
        let (models, connection) = (self.clone(), connection.clone());
        let start = async move { models.run_start(&local, &connection, cause, cancel).await };
        let started = self.local.tasks().spawn(start).await;
        started.unwrap_or(Err(stopped))
    }

    async fn run_start(
        &self,
        local: &Arc<LocalModel>,
        connection: &ConnectionRecord,
        cause: Option<Cause>,
        cancel: CancellationToken,
    ) -> Result<(), Problem> {
        let _one_at_a_time = local.starting.lock().await;
        if local.address().is_some() {
            return Ok(());
        }
        if cancel.is_cancelled() {
            return Err(not_running(connection));
        }
        local.state().cancel = cancel.clone();
        local.set(LocalModelState::Starting, None);
        self.tell_of_local().await;
        let opened = tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(None),
            opened = self.open_local(local, connection, cause) => opened,
        };
        let (shown, running, outcome) = match opened {
            Ok(Some(running)) => (LocalModelState::Running, Some(running), Ok(())),
            Ok(None) => (stopped(None), None, Err(not_running(connection))),
            Err(problem) => (stopped(Some(problem.clone())), None, Err(problem)),
        };
        local.set(shown, running.clone());
        // A stop that came before this line found no program to stop.
        if cancel.is_cancelled()
            && let Some(running) = &running
        {
            running.server.stop();
        }
        self.tell_of_local().await;
        if let Some(running) = running {
            let watched = self
                .clone()
                .watch_local(connection.id, local.clone(), running.server);
            self.local.tasks().spawn(watched);
        }
        outcome
    }

    /// `None` where the user did not agree.
    async fn open_local(
        &self,
        local: &LocalModel,
        connection: &ConnectionRecord,
        cause: Option<Cause>,
    ) -> Result<Option<RunningModel>, Problem> {
        let servers = self.local.servers().ok_or_else(|| not_running(connection))?;
        // A file that was moved is named before anything is asked.
        let record = local.state().record.clone();
        read_header(&record.file).await?;
        let known = self.store.models().await?;
        let own = known.iter().find(|model| model.connection == Some(connection.id));
        let context = own.and_then(|model| model.context);
        let (port, key) = (free_port()?, new_key());
        let launch = ModelServerLaunch {
            id: connection
                .id
                .to_string()
                .parse()
                .expect("one id reads as another"),
            name: shown_label(connection),
            command: record.program,
            args: arguments(&record.file, port, context.unwrap_or(USUAL_CONTEXT)),
            key: key.clone(),
        };
        let Some(server) = servers.start_model_server(&launch, cause).await? else {
            return Ok(None);
        };
        let base_url = format!("http://127.0.0.1:{port}/v1");
        let probe = self.remote(Wire::ChatCompletions, address(&base_url)?, None, String::new())?;
        wait_until_loaded(&server, &probe, &launch.command).await?;
        self.kept.forget(connection.id).await;
        self.kept.keep_key(connection.id, key).await;
        Ok(Some(RunningModel { server, base_url }))
    }

    /// Follows a program to its end, and ends it when it is idle.
    async fn watch_local(self, id: ConnectionId, local: Arc<LocalModel>, server: ModelServer) {
        let server = &server;
        let end = end_when_idle(
            &local,
            || server.ended(),
            || self.kept.is_used(id),
            || server.stop(),
        )
        .await;
        let problem = match end {
            ModelServerEnd::Stopped => None,
            ModelServerEnd::ByItself(problem) => Some(problem),
        };
        local.set(stopped(problem), None);
        self.kept.forget(id).await;
        self.tell_of_local().await;
    }

    async fn tell_of_local(&self) {
        if let Err(problem) = self.tell_of_models().await {
            tracing::warn!(%problem, "failed to tell of a local model");
        }
    }
}

/// Waits for the end of a program, and stops it once no chat used it for [`IDLE`].
async fn end_when_idle<Ended: Future>(
    local: &LocalModel,
    ended: impl Fn() -> Ended,
    is_used: impl Fn() -> bool,
    stop: impl Fn(),
) -> Ended::Output {
    loop {
        match timeout(IDLE_LOOK, ended()).await {
            Ok(end) => return end,
            Err(_) if is_used() => local.state().used = Instant::now(),
            Err(_) if local.state().used.elapsed() >= IDLE => stop(),
            Err(_) => {}
        }
    }
}

fn stopped(problem: Option<Problem>) -> LocalModelState {
    LocalModelState::Stopped { problem }
}

fn not_running(connection: &ConnectionRecord) -> Problem {
    Problem::Server(ServerProblem::ServerNotRunning {
        server: shown_label(connection),
    })
}

/// What the program is started with. It listens to this computer alone; the key is not among the arguments, because
/// everyone on the computer can read those.
fn arguments(file: &str, port: u16, context: u32) -> Vec<String> {
    let (port, context) = (port.to_string(), context.to_string());
    let all = [
        "--model",
        file,
        "--host",
        "127.0.0.1",
        "--port",
        &port,
        "--ctx-size",
        &context,
        "--parallel",
        "1",
        "--jinja",
    ];
    all.map(str::to_owned).to_vec()
}

/// A port that was free a moment ago. Where another program takes it meanwhile, the start fails and says so.
fn free_port() -> Result<u16, Problem> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let port = port.map_err(|error| {
        Problem::Server(ServerProblem::NotStarted {
            program: PROGRAM.to_owned(),
            detail: error.to_string(),
        })
    })?;
    Ok(port.port())
}

/// A key of 244 random bits.
fn new_key() -> SecretString {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()).into()
}

async fn wait_until_loaded(server: &ModelServer, probe: &RemoteModel, program: &str) -> Result<(), Problem> {
    let loaded = async {
        while !probe.is_loaded().await {
            sleep(LOOK_AGAIN).await;
        }
    };
    let ended = |end: ModelServerEnd| match end {
        ModelServerEnd::ByItself(problem) => problem,
        ModelServerEnd::Stopped => Problem::Server(ServerProblem::ServerNotRunning {
            server: program.to_owned(),
        }),
    };
    tokio::select! {
        biased;
        end = server.ended() => Err(ended(end)),
        waited = timeout(LOADED_WITHIN, loaded) => waited.map_err(|_| Problem::Server(ServerProblem::StartTimedOut {
            seconds: u32::try_from(LOADED_WITHIN.as_secs()).unwrap_or(u32::MAX),
            stderr: server.output(),
        })),
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn it_listens_to_this_computer_alone_and_the_key_is_no_argument() {
        let args = arguments("/models/a b.gguf", 4011, 8192);
        let follows = |name: &str| {
            let at = args.iter().position(|arg| arg == name).unwrap();
            args[at + 1].as_str()
        };
        assert_eq!(follows("--model"), "/models/a b.gguf");
        assert_eq!(follows("--host"), "127.0.0.1");
        assert_eq!((follows("--port"), follows("--ctx-size")), ("4011", "8192"));
        assert!(!args.iter().any(|arg| arg.contains("key")));
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_that_no_chat_uses_is_stopped_after_ten_minutes() {
        let local = LocalModel::new(LocalModelRecord {
            program: PROGRAM.to_owned(),
            file: "/models/small.gguf".to_owned(),
        });
        let (began, stop) = (Instant::now(), CancellationToken::new());
        let used_until = began + Duration::from_secs(1200);
        end_when_idle(
            &local,
            || stop.cancelled(),
            || Instant::now() < used_until,
            || stop.cancel(),
        )
        .await;
        let idle = began.elapsed().checked_sub(Duration::from_secs(1200)).unwrap();
        // Use and idleness are each looked at every half minute.
        assert!(idle >= IDLE - IDLE_LOOK && idle <= IDLE + IDLE_LOOK, "{idle:?}");
    }

    #[test]
    fn each_start_has_a_key_of_its_own() {
        let (one, other) = (new_key(), new_key());
        assert_ne!(one.expose_secret(), other.expose_secret());
        assert_eq!(one.expose_secret().len(), 64);
    }
}
