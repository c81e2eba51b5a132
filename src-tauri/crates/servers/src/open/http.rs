//! Connecting to a remote server over the one HTTP client, which takes a permit.

use tokio_util::sync::CancellationToken;
use vestibule_consent::{ConnectRequest, ConnectServer, Denied, Effect, EffectEnd, Permit, RunApproval};
use vestibule_protocol::QuestionId;
use vestibule_store::{Endpoint, ServerRecord};
use vestibule_transport::http::HttpTransport;

use super::approve::OpenPlan;
use super::session::{NotOpen, OpenSession, open_session};
use crate::config::connection::{self, ConnectPlan};
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{InputProblem, Problem, ServerProblem};

/// Connects to the address of one server.
pub(super) struct HttpPlan<'a> {
    server: &'a ServerHandle,
    record: &'a ServerRecord,
    endpoint: &'a Endpoint,
    /// The number of the session.
    number: u64,
}

impl<'a> HttpPlan<'a> {
    pub(super) fn new(
        server: &'a ServerHandle,
        record: &'a ServerRecord,
        endpoint: &'a Endpoint,
        number: u64,
    ) -> Self {
        Self {
            server,
            record,
            endpoint,
            number,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that connects to servers")]
    async fn connect_http(
        &self,
        plan: ConnectPlan,
        stop: &CancellationToken,
    ) -> Result<OpenSession, NotOpen> {
        match HttpTransport::new(plan.options, plan.egress) {
            Ok(transport) => {
                let era = self.record.era;
                open_session(self.server, Box::new(transport), era, self.number, None, stop).await
            }
            Err(error) => Err(Problem::Input(InputProblem::AddressInvalid {
                url: plan.facts.origin,
                detail: error.to_string(),
            })
            .into()),
        }
    }
}

/// What connecting to a server would do now.
pub(crate) async fn connect_plan(
    server: &ServerHandle,
    record: &ServerRecord,
    endpoint: &Endpoint,
) -> Result<ConnectPlan, Problem> {
    let authorization = server.auth().map(|auth| auth.authorizer.authorization());
    let context = server.context();
    let (proxies, clients) = (&context.options.proxies, &context.clients);
    connection::plan(
        record,
        endpoint,
        server.secrets(),
        authorization,
        proxies,
        clients,
    )
    .await
}

impl OpenPlan for HttpPlan<'_> {
    type Plan = ConnectPlan;
    type Approved = ConnectServer;
    const NOT_OPENED: EffectEnd = EffectEnd::NotConnected;

    async fn plan(&self) -> Result<ConnectPlan, Problem> {
        connect_plan(self.server, self.record, self.endpoint).await
    }

    async fn ask(
        &self,
        plan: &ConnectPlan,
        agreed: Option<&RunApproval>,
        asking: impl FnMut(QuestionId),
    ) -> Result<Permit<ConnectServer>, Denied> {
        let request = ConnectRequest {
            server: self.server.face(),
            connection: plan.facts.clone(),
            digest: plan.digest,
            agreed,
        };
        request.approve(self.server.gate(), asking).await
    }

    fn is_same(&self, plan: &ConnectPlan, effect: &ConnectServer) -> bool {
        effect.server == self.record.id && plan.digest == effect.connection
    }

    fn run_approval(permit: &Permit<ConnectServer>) -> RunApproval {
        permit.run_approval()
    }

    fn name(plan: &ConnectPlan) -> &str {
        &plan.facts.origin
    }

    fn log_line(plan: &ConnectPlan) -> String {
        format!("connecting to {}", plan.facts.origin)
    }

    fn never_the_same(plan: ConnectPlan) -> Problem {
        Problem::Server(ServerProblem::ServerUnreachable {
            origin: plan.facts.origin,
            detail: "what is sent along changed each time it was looked at".to_owned(),
        })
    }

    async fn open(
        &self,
        permit: Permit<ConnectServer>,
        plan: ConnectPlan,
        stop: &CancellationToken,
    ) -> Result<(OpenSession, Effect), NotOpen> {
        let (_, effect) = permit.begin().if_dropped(EffectEnd::EndedWhileConnecting).split();
        match self.connect_http(plan, stop).await {
            Ok(open) => Ok((open, effect)),
            Err(NotOpen::Stopped) => {
                effect.finish(EffectEnd::EndedWhileConnecting).await;
                Err(NotOpen::Stopped)
            }
            Err(error) => {
                effect.finish(Self::NOT_OPENED).await;
                Err(error)
            }
        }
    }
}
