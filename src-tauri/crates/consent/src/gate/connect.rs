//! Starting a server and connecting to one: the two ways in which a server comes to be there. Both are asked with
//! the whole record of what will happen, and a yes holds for exactly that record. A yes to "once" means this run:
//! as long as the user does not stop the server, the same record may be opened again when the connection breaks,
//! which is what [`RunApproval`] stands for.

use jiff::Timestamp;
use serde_json::json;
use vestibule_policy::{
    Action, Because, Decision, DefinitionState, Digest, LaunchRecord, Request, Scope, Verdict,
};
use vestibule_protocol::{QuestionId, ServerId};

use super::launch_change::{is_ended_by_change, launch_change, remember_launch};
use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY_FOR_CODE, Denied, Gate, GateResult};
use crate::effect::{Effect, EffectEnd};
use crate::permit::{ConnectServer, Permit, StartServer};
use crate::{Connection, Draft, Launch, QuestionBody, ServerSummary};

/// A server that is to be started.
pub struct StartRequest<'a> {
    pub server: ServerSummary,
    /// What the card shows.
    pub launch: Launch,
    /// What a permission is bound to.
    pub record: &'a LaunchRecord,
    /// The digest of the same launch as version 1 of the record had it.
    pub former: Digest,
    /// What was agreed to earlier in the same run, where it is opened again.
    pub agreed: Option<&'a RunApproval>,
}

/// A server that is to be connected to.
pub struct ConnectRequest<'a> {
    pub server: ServerSummary,
    /// What the card shows.
    pub connection: Connection,
    /// Of the connection record behind it.
    pub digest: Digest,
    /// What was agreed to earlier in the same run, where it is opened again.
    pub agreed: Option<&'a RunApproval>,
}

/// That a server was agreed to in this run, and as what. It comes out of a permit alone, covers opening the very same
/// record again, and is gone with the run.
#[derive(Debug)]
pub struct RunApproval {
    server: ServerId,
    action: Action,
    record: Digest,
    because: Vec<Because>,
}

impl RunApproval {
    fn covers(&self, wanted: &Request) -> bool {
        wanted.server == self.server
            && wanted.action == self.action
            && matches!(wanted.definition, DefinitionState::Accepted(record) | DefinitionState::Unbound(record) if record == self.record)
    }
}

impl Permit<StartServer> {
    /// For opening the same launch again in this run.
    #[must_use]
    pub fn run_approval(&self) -> RunApproval {
        RunApproval {
            server: self.effect().server,
            action: Action::StartServer,
            record: self.effect().launch,
            because: self.because().to_vec(),
        }
    }
}

/// That a download and the start of what is downloaded were agreed to.
#[derive(Debug)]
pub struct FetchApproval {
    run: RunApproval,
    fetch: LaunchRecord,
}

impl FetchApproval {
    /// For starting what was downloaded. `None` where `fetched` is anything else than that.
    #[must_use]
    pub fn start_of(self, fetched: &LaunchRecord) -> Option<RunApproval> {
        let covers = self.fetch.digest() == self.run.record && fetched.is_fetched_under(&self.fetch);
        covers.then(|| RunApproval {
            record: fetched.digest(),
            ..self.run
        })
    }
}

impl Permit<StartServer> {
    /// Gives up the permit for downloading what `fetch` starts.
    pub fn begin_fetch(self, fetch: LaunchRecord) -> (FetchApproval, Effect) {
        let run = self.run_approval();
        let (_, effect) = self.begin().if_dropped(EffectEnd::Cancelled).split();
        (FetchApproval { run, fetch }, effect)
    }
}

impl Permit<ConnectServer> {
    /// For opening the same connection again in this run.
    #[must_use]
    pub fn run_approval(&self) -> RunApproval {
        RunApproval {
            server: self.effect().server,
            action: Action::ConnectServer,
            record: self.effect().connection,
            because: self.because().to_vec(),
        }
    }
}

impl StartRequest<'_> {
    /// Asks for permission to start a server. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<StartServer> {
        let (server, digest) = (self.server.id, self.record.digest());
        let mut launch = self.launch;
        launch.change = launch_change(&gate.rules, server, self.record, self.former).await?;
        let scopes = launch.scopes();
        let mut wanted = opening_request(server, Action::StartServer, digest, (gate.clock)());
        // A rule can come from a file as well as from a card, and the card would not offer it.
        if !scopes.contains(&Scope::Always) {
            wanted.definition = DefinitionState::Unbound(digest);
        }
        let effect = EffectRecord::for_request(&wanted, launch.program.clone());
        let draft = Draft {
            scopes,
            click_delay: CLICK_DELAY_FOR_CODE,
            ..gate
                .questions
                .draft(self.server, None, QuestionBody::StartServer(launch))
        };
        let opening = Opening {
            wanted,
            effect,
            kind: "launch",
            digest,
            draft,
            agreed: self.agreed,
        };
        let what = StartServer {
            server,
            launch: digest,
        };
        let (permit, scope) = opening.approve(gate, what, asked).await?;
        if scope == Scope::Always {
            remember_launch(&gate.ledger.store, server, self.record).await?;
        }
        Ok(permit)
    }
}

impl ConnectRequest<'_> {
    /// Asks for permission to connect to a server at an address. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<ConnectServer> {
        let (server, digest) = (self.server.id, self.digest);
        let mut connection = self.connection;
        connection.changed = is_ended_by_change(&gate.rules, server, &Action::ConnectServer, digest);
        let wanted = opening_request(server, Action::ConnectServer, digest, (gate.clock)());
        // The rest of an address can hold secrets, and the ledger keeps none.
        let effect = EffectRecord::for_request(&wanted, connection.origin.clone());
        let draft = Draft {
            scopes: vec![Scope::Once, Scope::Always],
            ..gate
                .questions
                .draft(self.server, None, QuestionBody::ConnectServer(connection))
        };
        let opening = Opening {
            wanted,
            effect,
            kind: "connection",
            digest,
            draft,
            agreed: self.agreed,
        };
        let what = ConnectServer {
            server,
            connection: digest,
        };
        Ok(opening.approve(gate, what, asked).await?.0)
    }
}

/// What starting and connecting have in common.
struct Opening<'a> {
    wanted: Request,
    effect: EffectRecord,
    /// What the digest is of, as the ledger names it.
    kind: &'static str,
    digest: Digest,
    draft: Draft,
    agreed: Option<&'a RunApproval>,
}

impl Opening<'_> {
    /// The permit, and for how long it was given.
    async fn approve<T>(
        self,
        gate: &Gate,
        what: T,
        asked: impl FnMut(QuestionId),
    ) -> Result<(Permit<T>, Scope), Denied> {
        let is_asked = gate.rules.evaluate(&self.wanted).decision == Decision::Ask;
        let again = self
            .agreed
            .filter(|agreed| is_asked && agreed.covers(&self.wanted));
        let details = LedgerBody::from(json!({ self.kind: self.digest, "again": again.is_some() }));
        let approval = match again {
            Some(agreed) => Approval::because(agreed.because.clone()),
            None => {
                let draft = |_: &Verdict| self.draft.clone();
                gate.decide(&self.wanted, &self.effect, &details, draft, asked)
                    .await?
            }
        };
        let scope = approval.scope;
        let intent = gate.ledger.record_intent(self.effect, &approval, details);
        let permit = gate.mint_with_rule(&self.wanted, self.digest, approval, intent, what);
        Ok((permit.await?, scope))
    }
}

/// Starting a server or connecting to one, for exactly this record.
pub(super) fn opening_request(server: ServerId, action: Action, record: Digest, now: Timestamp) -> Request {
    Request::new(server, action, DefinitionState::Accepted(record), now)
}
