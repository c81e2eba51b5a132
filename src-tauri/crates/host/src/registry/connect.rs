//! Connecting to a server at an address: asked with everything that leads there, looked at again when the answer is
//! there, sent over the one way out. The second of the ways to a server, and it takes a permit.

use vestibule_consent::{ConnectRequest, ConnectServer, Permit, RunApproval};
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_store::{Endpoint, ServerRecord};
use vestibule_transport::http::HttpTransport;

use super::open::{NotOpen, Open};
use super::start::leave;
use super::under_way::UnderWay;
use super::{Registry, gone};
use crate::connection::{self, ConnectPlan};
use crate::view::{InputProblem, Problem, ServerProblem, ServerState};

/// How many times a connection is asked again because it changed while it was being asked.
const ASKS: usize = 3;

impl Registry {
    /// Asks and connects. `None` where the person did not let it.
    pub(super) async fn connect(
        &self,
        record: &ServerRecord,
        endpoint: &Endpoint,
        agreed: &mut Option<RunApproval>,
    ) -> Result<Option<(Open, UnderWay)>, NotOpen> {
        let mut asks = 0;
        let (permit, plan) = loop {
            let plan = self.connect_plan(record, endpoint).await?;
            let Some(permit) = self.leave_to_connect(record.id, &plan, agreed.as_ref()).await? else {
                return Ok(None);
            };
            // A header may have got another value while the card was read.
            let now = self.connect_plan(record, endpoint).await?;
            if now.digest == permit.effect().connection {
                break (permit, now);
            }
            let (_, receipt) = permit.spend();
            let mut unused = UnderWay::new(receipt, self, "not connected");
            unused.end("not connected", None, 0).await;
            asks += 1;
            if asks == ASKS {
                let detail = "what is sent along changed each time it was looked at".to_owned();
                return Err(Problem::Server(ServerProblem::ServerUnreachable {
                    origin: plan.facts.origin,
                    detail,
                })
                .into());
            }
        };
        *agreed = Some(permit.run_approval());
        let origin = plan.facts.origin.clone();
        self.starting(record.id, &format!("connecting to {origin}"));
        let opened = self.dial(permit, plan, record.era).await;
        opened.map(Some).map_err(|error| error.naming(&origin))
    }

    /// What connecting would do now.
    pub(super) async fn connect_plan(
        &self,
        record: &ServerRecord,
        endpoint: &Endpoint,
    ) -> Result<ConnectPlan, Problem> {
        let authorization = self.authorizer(record.id).map(|held| held.authorization());
        connection::plan(record, endpoint, &*self.0.secrets, authorization, &self.0.proxies).await
    }

    async fn leave_to_connect(
        &self,
        server: ServerId,
        plan: &ConnectPlan,
        agreed: Option<&RunApproval>,
    ) -> Result<Option<Permit<ConnectServer>>, Problem> {
        let request = ConnectRequest {
            server: self.face(server).ok_or_else(gone)?,
            connection: plan.facts.clone(),
            digest: plan.digest,
            agreed,
        };
        self.change(server, |seat| seat.state = ServerState::Asking { question: None });
        leave(
            self.0
                .gate
                .connect_server(request, |question| self.asking(server, question))
                .await,
        )
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that connects to servers")]
    async fn dial(
        &self,
        permit: Permit<ConnectServer>,
        plan: ConnectPlan,
        era: EraChoice,
    ) -> Result<(Open, UnderWay), NotOpen> {
        let (connect, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "ended while connecting");
        let ConnectPlan {
            options,
            egress,
            facts,
            ..
        } = plan;
        let opened = match HttpTransport::new(options, egress) {
            Ok(transport) => self.open_session(connect.server, Box::new(transport), era).await,
            Err(error) => Err(Problem::Input(InputProblem::AddressInvalid {
                url: facts.origin,
                detail: error.to_string(),
            })
            .into()),
        };
        match opened {
            Ok(open) => Ok((open, under_way)),
            Err(error) => {
                under_way.end("not connected", None, 0).await;
                Err(error)
            }
        }
    }
}
