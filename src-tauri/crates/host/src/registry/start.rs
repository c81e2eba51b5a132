//! Starting a server on this computer: asked with everything that will run, looked at again when the answer is
//! there, started under the guard. The first of the ways to a server, and it takes a permit.

use vestibule_consent::{Denied, Permit, RunApproval, StartRequest, StartServer};
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_session::OpenError;
use vestibule_store::{Program, ServerRecord};
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};

use super::open::{NotOpen, Open};
use super::under_way::UnderWay;
use super::{Registry, gone};
use crate::launch::{self, LaunchPlan};
use crate::view::{LogSource, Problem, ServerProblem, ServerState};

/// How many times a start is asked again because its launch changed while it was being asked.
const ASKS: usize = 3;

impl Registry {
    /// Asks and starts. `None` where the person did not let it.
    pub(super) async fn start_program(
        &self,
        record: &ServerRecord,
        program: &Program,
        agreed: &mut Option<RunApproval>,
    ) -> Result<Option<(Open, UnderWay)>, NotOpen> {
        let search_path = self.search_path().await.clone();
        let mut asks = 0;
        let (permit, plan) = loop {
            let plan = launch::plan(record, program, &*self.0.secrets, &search_path).await?;
            let Some(permit) = self.leave_to_start(record.id, &plan, agreed.as_ref()).await? else {
                return Ok(None);
            };
            // What runs is what was shown: looked at again now that the answer is there.
            let now = launch::plan(record, program, &*self.0.secrets, &search_path).await?;
            if now.digest == permit.effect().launch {
                break (permit, now);
            }
            let (_, receipt) = permit.spend();
            let mut unused = UnderWay::new(receipt, self, "not started");
            unused.end("not started", None, 0).await;
            asks += 1;
            if asks == ASKS {
                let detail = "it changed each time it was looked at".to_owned();
                return Err(Problem::Server(ServerProblem::NotStarted {
                    program: plan.facts.program,
                    detail,
                })
                .into());
            }
        };
        *agreed = Some(permit.run_approval());
        self.starting(record.id, &format!("starting {}", plan.facts.program));
        let name = plan.facts.program.clone();
        let again = || launch::plan(record, program, &*self.0.secrets, &search_path);
        let opened = self.spawn(permit, plan, again, record.era).await;
        opened.map(Some).map_err(|error| error.naming(&name))
    }

    /// Says that a server is on its way.
    pub(super) fn starting(&self, server: ServerId, what: &str) {
        self.change(server, |seat| seat.state = ServerState::Starting);
        self.note(server, LogSource::Host, None, what);
    }

    async fn leave_to_start(
        &self,
        server: ServerId,
        plan: &LaunchPlan,
        agreed: Option<&RunApproval>,
    ) -> Result<Option<Permit<StartServer>>, Problem> {
        let request = StartRequest {
            server: self.face(server).ok_or_else(gone)?,
            launch: plan.facts.clone(),
            record: &plan.record,
            former: plan.former,
            agreed,
        };
        self.change(server, |seat| seat.state = ServerState::Asking { question: None });
        leave(
            self.0
                .gate
                .start_server(request, |question| self.asking(server, question))
                .await,
        )
    }

    /// Starts the program. `plan_again` looks at what would run once more, for a second start under the same permit.
    async fn spawn<F: Future<Output = Result<LaunchPlan, Problem>>>(
        &self,
        permit: Permit<StartServer>,
        plan: LaunchPlan,
        plan_again: impl Fn() -> F,
        era: EraChoice,
    ) -> Result<(Open, UnderWay), NotOpen> {
        let (start, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "ended while starting");
        let mut opened = self.spawn_and_open(start.server, plan.launch, era).await;
        if let Err(NotOpen::EndedByProbe) = opened {
            // Some servers end at any request before `initialize`. What was agreed to is started once more, without one,
            // unless the program replaced a part of itself meanwhile.
            opened = match plan_again().await {
                Ok(plan) if plan.digest == start.launch => {
                    let text =
                        "it ended when it was asked which protocol it speaks; started again without asking";
                    self.note(start.server, LogSource::Host, None, text);
                    self.spawn_and_open(start.server, plan.launch, EraChoice::Legacy)
                        .await
                }
                Ok(_) => Err(Problem::Server(ServerProblem::NotStarted {
                    program: plan.facts.program,
                    detail: "the first start changed what would run, so it was not started again".to_owned(),
                })
                .into()),
                Err(problem) => Err(problem.into()),
            };
        }
        match opened {
            Ok(open) => Ok((open, under_way)),
            Err(error) => {
                under_way.end("not started", None, 0).await;
                Err(error)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts servers")]
    async fn spawn_and_open(
        &self,
        server: ServerId,
        launch: LaunchSpec,
        era: EraChoice,
    ) -> Result<Open, NotOpen> {
        let guard = self.guard().await.map_err(OpenError::Spawn)?;
        let transport = StdioTransport::spawn(launch, &guard, Patience::default())
            .await
            .map_err(OpenError::Spawn)?;
        self.open_session(server, Box::new(transport), era).await
    }
}

/// The permit; `None` where the person did not let it.
pub(super) fn leave<T>(asked: Result<Permit<T>, Denied>) -> Result<Option<Permit<T>>, Problem> {
    match asked {
        Ok(permit) => Ok(Some(permit)),
        Err(Denied::LedgerFailed(error)) => Err(error.into()),
        Err(
            Denied::ByUser { .. }
            | Denied::Dismissed
            | Denied::Muted
            | Denied::ByRule(_)
            | Denied::DefinitionChanged,
        ) => Ok(None),
    }
}
