//! Plan, ask, plan again, compare: the one way in which a permit to start or to connect comes to be spent. What is opened
//! is what was shown, because it is planned again once the answer is there.

use tokio_util::sync::CancellationToken;
use vestibule_consent::{Denied, Effect, EffectEnd, Permit, RunApproval};
use vestibule_protocol::QuestionId;

use super::session::{NotOpen, OpenSession};
use super::unless_stopped;
use crate::server::handle::ServerHandle;
use crate::server::state::Lifecycle;
use vestibule_app_protocol::{LogSource, Problem, StartRefusal};

/// How many times the user is asked again because the plan changed while they were asked.
const MAX_ASKS: usize = 3;

/// A way to open a session. What is planned may be another thing each time, because files and secrets change.
pub(super) trait OpenPlan {
    /// What would be opened now.
    type Plan;
    /// What the permit is for.
    type Approved;
    /// How the effect ends where nothing was opened.
    const NOT_OPENED: EffectEnd;

    async fn plan(&self) -> Result<Self::Plan, Problem>;

    /// Asks for a permit to open `plan`.
    async fn ask(
        &self,
        plan: &Self::Plan,
        agreed: Option<&RunApproval>,
        asking: impl FnMut(QuestionId),
    ) -> Result<Permit<Self::Approved>, Denied>;

    /// Whether `plan` is what the permit was given for, for this server.
    fn is_same(&self, plan: &Self::Plan, effect: &Self::Approved) -> bool;

    /// The approval, for opening the same again.
    fn run_approval(permit: &Permit<Self::Approved>) -> RunApproval;

    /// What is opened, as errors and the log name it.
    fn name(plan: &Self::Plan) -> &str;

    /// The line in the server's log when it begins.
    fn log_line(plan: &Self::Plan) -> String;

    /// Whether what is opened may first download a part of itself.
    fn may_download(_plan: &Self::Plan) -> bool {
        false
    }

    /// The error where the plan was another one each time.
    fn never_the_same(plan: Self::Plan) -> Problem;

    /// Does what the plan needs before anything is opened.
    async fn prepare(
        &self,
        permit: Permit<Self::Approved>,
        plan: Self::Plan,
    ) -> Result<Prepared<Self>, NotOpen> {
        Ok(Prepared::Ready(permit, plan))
    }

    /// Spends the permit. On an error the effect has ended, and nothing that was started is left.
    async fn open(
        &self,
        permit: Permit<Self::Approved>,
        plan: Self::Plan,
        stop: &CancellationToken,
    ) -> Result<(OpenSession, Effect), NotOpen>;
}

/// What came of preparing to open a plan.
pub(super) enum Prepared<P: OpenPlan + ?Sized> {
    Ready(Permit<P::Approved>, P::Plan),
    /// The permit was spent on the preparation. What is planned now is opened under this approval, or asked.
    PlanAgain(Option<RunApproval>),
}

/// Asks until the plan is the one that was shown, and opens it. `None` where it was not approved.
pub(super) async fn approve_and_open<P: OpenPlan>(
    server: &ServerHandle,
    way: &P,
    agreed: &mut Option<RunApproval>,
    stop: &CancellationToken,
) -> Result<Option<(OpenSession, Effect)>, NotOpen> {
    let Some((permit, plan)) = unless_stopped(stop, approve_and_prepare(server, way, agreed)).await? else {
        return Ok(None);
    };
    *agreed = Some(P::run_approval(&permit));
    let may_download = P::may_download(&plan);
    server.change(|snapshot| snapshot.state = Lifecycle::Starting { may_download });
    server.note(LogSource::Host, None, &P::log_line(&plan));
    let name = P::name(&plan).to_owned();
    let opened = way.open(permit, plan, stop).await;
    opened.map(Some).map_err(|error| error.naming(&name))
}

/// Asks until the plan is the one that was shown and nothing has to be done before it is opened.
async fn approve_and_prepare<P: OpenPlan>(
    server: &ServerHandle,
    way: &P,
    agreed: &mut Option<RunApproval>,
) -> Result<Option<(Permit<P::Approved>, P::Plan)>, NotOpen> {
    loop {
        let Some((permit, plan)) = approve(server, way, agreed.as_ref()).await? else {
            return Ok(None);
        };
        match way.prepare(permit, plan).await? {
            Prepared::Ready(permit, plan) => return Ok(Some((permit, plan))),
            Prepared::PlanAgain(approval) => *agreed = approval,
        }
    }
}

async fn approve<P: OpenPlan>(
    server: &ServerHandle,
    way: &P,
    agreed: Option<&RunApproval>,
) -> Result<Option<(Permit<P::Approved>, P::Plan)>, NotOpen> {
    let mut asks = 0;
    loop {
        let plan = way.plan().await?;
        server.change(|snapshot| snapshot.state = Lifecycle::AwaitingApproval { question: None });
        let asking = |question| {
            server.change(|snapshot| {
                snapshot.state = Lifecycle::AwaitingApproval {
                    question: Some(question),
                };
            });
        };
        let permit = match way.ask(&plan, agreed, asking).await {
            Ok(permit) => permit,
            Err(Denied::LedgerFailed(error)) => return Err(Problem::from(error).into()),
            Err(denied) => {
                let Some(refusal) = refusal(&denied) else {
                    return Ok(None);
                };
                let text = format!("not opened: {denied}");
                server.note(LogSource::Host, Some("warning".into()), &text);
                return Err(NotOpen::Refused(refusal));
            }
        };
        let now = way.plan().await?;
        if way.is_same(&now, permit.effect()) {
            return Ok(Some((permit, now)));
        }
        permit.begin().finish(P::NOT_OPENED).await;
        asks += 1;
        if asks == MAX_ASKS {
            return Err(P::never_the_same(plan).into());
        }
    }
}

/// Why it was not opened where no card said so.
fn refusal(denied: &Denied) -> Option<StartRefusal> {
    match denied {
        Denied::ByRule(_) => Some(StartRefusal::ByRule),
        Denied::Muted => Some(StartRefusal::Muted),
        Denied::NotAsked => Some(StartRefusal::TooManyWaiting),
        Denied::ByUser { .. } | Denied::Dismissed | Denied::DefinitionChanged | Denied::LedgerFailed(_) => {
            None
        }
    }
}
