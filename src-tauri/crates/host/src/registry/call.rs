//! Calling a tool: the other of the two ways to a server, and it takes a permit. What was agreed to is compared
//! with what stands there at this moment, and whatever comes of the call is written to the ledger, also when
//! nobody waits for it any more.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_consent::{CallTool, Cause, Permit};
use vestibule_policy::Digest;
use vestibule_protocol::ServerId;
use vestibule_protocol::elicitation::ElicitUrl;
use vestibule_protocol::mcp::Progress;
use vestibule_session::{CallError, CallOptions, Called, Challenge, RequiredPage, SessionHandle};

use super::Registry;
use super::pulse::Noticed;
use super::sign_in::Unsent;
use super::task::Following;
use super::under_way::UnderWay;
use crate::inbound::{Ended, PageToVisit};
use crate::problem_from::IntoProblem;
use crate::results;
use crate::view::{CallProblem, Problem, ResultView, ServerProblem};

/// How many times one call is sent again after pages were visited.
const VISITS: usize = 3;

/// What a call came to.
pub(crate) enum Reached {
    Done(ResultView),
    /// Work that goes on.
    Task(Following),
}

impl Registry {
    /// Calls the tool the permit is for, with exactly its arguments.
    pub(crate) async fn call(
        &self,
        permit: Permit<CallTool>,
        cause: Option<Cause>,
        progress: mpsc::Sender<Progress>,
    ) -> Result<Reached, Problem> {
        let (call, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "cancelled");
        let session = self.seats().get_mut(&call.server).and_then(|seat| {
            let session = seat.session.clone()?;
            let occasion = seat.occasions.begin(cause.clone());
            Some((session, seat.session_over.clone(), seat.sessions, occasion))
        });
        let Some((session, session_over, number, over)) = session else {
            under_way.end("not sent", None, 0).await;
            let server = self
                .record(call.server)
                .map_or_else(String::new, |record| record.name);
            let away = self.is_away(call.server);
            return Err(away.unwrap_or(Problem::Server(ServerProblem::ServerNotRunning { server })));
        };
        let listed = self
            .tool(call.server, &call.tool)
            .filter(|listed| listed.digest == call.definition && listed.held.is_none());
        let Some(listed) = listed else {
            under_way.end("not sent", None, 0).await;
            return Err(Problem::Call(CallProblem::ToolChangedMeanwhile {
                tool: call.tool,
            }));
        };
        let send = || {
            self.send(&session, &call, progress.clone(), |pages| {
                self.visit_all(call.server, cause.clone(), pages, &session_over)
            })
        };
        match self.authorized(call.server, true, send).await {
            Ok(Called::Task(task)) => {
                under_way.end("became a task", None, 0).await;
                let following = Following::new(self, call.server, number, task, over);
                Ok(Reached::Task(following))
            }
            Ok(Called::Done(result)) => {
                let raw = serde_json::to_value(&result).unwrap_or_default();
                let (digest, bytes) = (Digest::of_result(&raw), raw.to_string().len());
                let ended = if result.is_error { "failed" } else { "answered" };
                under_way.end(ended, Some(digest), bytes).await;
                results::checked_view(result, Some(&listed))
                    .await
                    .map(Reached::Done)
                    .map_err(|error| {
                        Problem::Call(CallProblem::MalformedReply {
                            detail: error.to_string(),
                        })
                    })
            }
            Err(Unsent::Call(error)) => {
                under_way.end(word(&error), None, 0).await;
                Err(self.told(call.server, error))
            }
            Err(Unsent::SignIn(challenge)) => {
                under_way.end("not signed in", None, 0).await;
                self.notice(call.server, &challenge);
                Err(self.sign_in_needed(call.server, &challenge))
            }
            Err(Unsent::Never(problem)) => {
                under_way.end("not signed in", None, 0).await;
                Err(problem)
            }
        }
    }

    /// Sends the call, and sends it again each time after pages that the server wanted visited first. It is the same
    /// call that was agreed to, because none before it was carried out.
    #[expect(clippy::disallowed_methods, reason = "the one place that calls tools")]
    async fn send<V: Future<Output = bool>>(
        &self,
        session: &SessionHandle,
        call: &CallTool,
        progress: mpsc::Sender<Progress>,
        visit: impl Fn(Vec<RequiredPage>) -> V,
    ) -> Result<Called, CallError> {
        let mut visits = 0;
        loop {
            let options = CallOptions {
                progress: Some(progress.clone()),
                as_task: true,
                ..CallOptions::default()
            };
            match session
                .start_tool(&call.tool, call.arguments.clone(), options)
                .await
            {
                Err(CallError::PagesRequired { pages, error }) => {
                    visits += 1;
                    if visits > VISITS || !visit(pages.clone()).await {
                        return Err(CallError::PagesRequired { pages, error });
                    }
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether the person visited all of these pages. They are asked about one after the other.
    async fn visit_all(
        &self,
        server: ServerId,
        cause: Option<Cause>,
        pages: Vec<RequiredPage>,
        session_over: &CancellationToken,
    ) -> bool {
        let Some(face) = self.face(server) else {
            return false;
        };
        for page in pages {
            let wanted = ElicitUrl {
                message: page.message,
                url: page.url,
                elicitation_id: Some(page.elicitation_id),
            };
            let page = PageToVisit::new(face.clone(), cause.clone(), wanted);
            let ended = tokio::select! {
                ended = self.0.inbound.visit_first(&page) => ended,
                () = session_over.cancelled() => Ended::Cancelled,
            };
            if ended != Ended::Visited {
                return false;
            }
        }
        true
    }

    /// What is said of a call that came to nothing, above all whether it may have happened. It is never sent again.
    pub(super) fn told(&self, server: ServerId, error: CallError) -> Problem {
        match error {
            CallError::Closed(reason) => Problem::Call(CallProblem::CallLost {
                detail: reason.to_string(),
                stderr: reason.diagnostics,
            }),
            CallError::NotAnswered(failure) => {
                if failure.status.is_none() {
                    self.doubted(server);
                }
                let (detail, stderr) = (failure.reason.clone(), vec![]);
                match failure.status {
                    None if failure.unsent => Problem::Call(CallProblem::CallNotSent { detail }),
                    None => Problem::Call(CallProblem::CallLost { detail, stderr }),
                    Some(_) if failure.cut => Problem::Call(CallProblem::CallLost { detail, stderr }),
                    Some(_) => (*failure).into_problem().naming(&self.origin(server)),
                }
            }
            error => error.into_problem(),
        }
    }

    /// A demand for a sign-in ends the session; one for more than was granted concerns this call alone.
    pub(super) fn notice(&self, server: ServerId, challenge: &Challenge) {
        let noticed = self.seats().get(&server).and_then(|seat| seat.noticed.clone());
        if let Some(noticed) = noticed.filter(|_| challenge.status == 401) {
            // One notice is enough; a second finds the place taken.
            let _ = noticed.try_send(Noticed::Challenged(challenge.clone()));
        }
    }

    fn doubted(&self, server: ServerId) {
        if let Some(seat) = self.seats().get(&server) {
            seat.doubt.notify_one();
        }
    }
}

/// How a call ended, for the ledger.
pub(super) fn word(error: &CallError) -> &'static str {
    match error {
        CallError::TimedOut { .. } => "timed out",
        CallError::Closed(_) => "server ended",
        CallError::Busy | CallError::NotSupported | CallError::NotSendable(_) => "not sent",
        CallError::NotAnswered(failure) if failure.unsent => "not sent",
        CallError::PagesRequired { .. } => "page not visited",
        CallError::Rpc(_)
        | CallError::Malformed(_)
        | CallError::CapabilitiesRequired { .. }
        | CallError::TaskCancelled
        | CallError::TaskGone
        | CallError::NotAnswered(_)
        | CallError::NotContinued(_) => "failed",
    }
}
