//! Spawning a local server under the guard, which takes a permit.

use std::ffi::OsString;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vestibule_consent::{Denied, Effect, EffectEnd, Permit, RunApproval, StartRequest, StartServer};
use vestibule_protocol::{EraChoice, QuestionId};
use vestibule_session::{MAX_RESULT_BYTES, OpenError};
use vestibule_store::{Program, ServerRecord};
use vestibule_transport::stdio::{Patience, StdioTransport};

use super::approve::{OpenPlan, Prepared};
use super::download::download;
use super::session::{NotOpen, OpenSession, open_session};
use super::unless_stopped;
use crate::config::launch::{self, Brought, LaunchPlan};
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{LogSource, Problem, ServerProblem};

/// The longest that a start may take whose program may first download what it runs.
const WITH_DOWNLOAD: Duration = Duration::from_secs(5 * 60);

/// Starts the program of one server.
pub(super) struct StdioPlan<'a> {
    server: &'a ServerHandle,
    record: &'a ServerRecord,
    program: &'a Program,
    search_path: OsString,
    /// The number of the session.
    number: u64,
}

impl<'a> StdioPlan<'a> {
    pub(super) async fn new(
        server: &'a ServerHandle,
        record: &'a ServerRecord,
        program: &'a Program,
        number: u64,
    ) -> Self {
        let search_path = server.context().search_path().await.clone();
        Self {
            server,
            record,
            program,
            search_path,
            number,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts servers")]
    async fn spawn_stdio(
        &self,
        plan: LaunchPlan,
        era: EraChoice,
        stop: &CancellationToken,
    ) -> Result<OpenSession, NotOpen> {
        self.make_own_folder();
        let longest = Self::may_download(&plan).then_some(WITH_DOWNLOAD);
        let spawn = async {
            let guard = self.server.context().guard().await.map_err(OpenError::Spawn)?;
            let spawned = StdioTransport::spawn(plan.launch, &guard, Patience::default()).await;
            Ok(spawned.map_err(OpenError::Spawn)?)
        };
        // Where this is dropped before it is ready, the program never runs.
        let mut transport = unless_stopped(stop, spawn).await?;
        transport.limit_frames(MAX_RESULT_BYTES);
        let transport = Box::new(transport);
        open_session(self.server, transport, era, self.number, longest, stop).await
    }

    /// Makes the folder of a server that works in one of its own. Where that fails, the start says that it is missing.
    fn make_own_folder(&self) {
        if self.program.cwd.as_deref() == Some(vestibule_store::OWN_FOLDER) {
            let folder = self.server.working_folder_of(self.program);
            if let Err(error) = vestibule_store::make_folder_private(&folder) {
                tracing::warn!(%error, "failed to create the folder of a server");
            }
        }
    }

    /// Starts the program once more without a request before `initialize`, unless it replaced a part of itself
    /// meanwhile. Some servers end at any request before that one.
    async fn spawn_without_probe(
        &self,
        start: &StartServer,
        program: String,
        stop: &CancellationToken,
    ) -> Result<OpenSession, NotOpen> {
        let plan = self.plan().await?;
        if plan.digest != start.launch {
            return Err(Problem::Server(ServerProblem::NotStarted {
                program,
                detail: "the first start changed what would run, so it was not started again".to_owned(),
            })
            .into());
        }
        let text = "it ended when it was asked which protocol it speaks; started again without asking";
        self.server.note(LogSource::Host, None, text);
        self.spawn_stdio(plan, EraChoice::Legacy, stop).await
    }
}

impl OpenPlan for StdioPlan<'_> {
    type Plan = LaunchPlan;
    type Approved = StartServer;
    const NOT_OPENED: EffectEnd = EffectEnd::NotStarted;

    async fn plan(&self) -> Result<LaunchPlan, Problem> {
        let secrets = self.server.secrets();
        let folder = self.server.working_folder_of(self.program);
        let brought = Brought::of(self.server);
        launch::plan_server(
            self.record,
            self.program,
            secrets,
            &self.search_path,
            folder,
            &brought,
        )
        .await
    }

    async fn ask(
        &self,
        plan: &LaunchPlan,
        agreed: Option<&RunApproval>,
        asking: impl FnMut(QuestionId),
    ) -> Result<Permit<StartServer>, Denied> {
        let request = StartRequest {
            server: self.server.face(),
            launch: plan.facts.clone(),
            record: &plan.record,
            former: plan.former,
            agreed,
        };
        request.approve(self.server.gate(), asking).await
    }

    fn is_same(&self, plan: &LaunchPlan, effect: &StartServer) -> bool {
        effect.server == self.record.id && plan.digest == effect.launch
    }

    fn run_approval(permit: &Permit<StartServer>) -> RunApproval {
        permit.run_approval()
    }

    fn name(plan: &LaunchPlan) -> &str {
        &plan.facts.program
    }

    fn log_line(plan: &LaunchPlan) -> String {
        format!("starting {}", plan.facts.program)
    }

    fn may_download(plan: &LaunchPlan) -> bool {
        launch::may_download(&plan.launch.program, &plan.launch.args)
    }

    fn never_the_same(plan: LaunchPlan) -> Problem {
        Problem::Server(ServerProblem::NotStarted {
            program: plan.facts.program,
            detail: "it changed each time it was looked at".to_owned(),
        })
    }

    /// Downloads the package where it is not there. The permit covers starting what arrives.
    async fn prepare(
        &self,
        permit: Permit<StartServer>,
        mut plan: LaunchPlan,
    ) -> Result<Prepared<Self>, NotOpen> {
        let Some(fetch) = plan.fetch.take() else {
            return Ok(Prepared::Ready(permit, plan));
        };
        let (approval, effect) = permit.begin_fetch(plan.record.clone());
        let downloaded = download(self.server, &plan, &fetch, &self.search_path).await;
        let end = match &downloaded {
            Ok(()) => EffectEnd::Downloaded,
            Err(_) => EffectEnd::Failed,
        };
        effect.finish(end).await;
        downloaded?;
        let fetched = self.plan().await?;
        Ok(Prepared::PlanAgain(approval.start_of(&fetched.record)))
    }

    async fn open(
        &self,
        permit: Permit<StartServer>,
        plan: LaunchPlan,
        stop: &CancellationToken,
    ) -> Result<(OpenSession, Effect), NotOpen> {
        let (start, effect) = permit.begin().if_dropped(EffectEnd::EndedWhileStarting).split();
        let program = plan.facts.program.clone();
        let mut opened = self.spawn_stdio(plan, self.record.era, stop).await;
        if let Err(NotOpen::EndedByProbe) = opened {
            opened = self.spawn_without_probe(&start, program, stop).await;
        }
        match opened {
            Ok(open) => Ok((open, effect)),
            Err(NotOpen::Stopped) => {
                effect.finish(EffectEnd::EndedWhileStarting).await;
                Err(NotOpen::Stopped)
            }
            Err(error) => {
                effect.finish(Self::NOT_OPENED).await;
                Err(error)
            }
        }
    }
}
