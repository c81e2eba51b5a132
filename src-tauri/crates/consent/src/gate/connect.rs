//! Starting a server and connecting to one: the two ways in which a server comes to be there. Both are asked with
//! the whole record of what will happen, and a yes holds for exactly that record. A yes to "once" means this run:
//! as long as the user does not stop the server, the same record may be opened again when the connection breaks,
//! which is what [`RunApproval`] stands for.

use serde_json::json;
use vestibule_policy::{
    Action, Because, Decision, DefinitionState, Digest, LaunchChange, LaunchRecord, Places, Request, Scope,
    Verdict,
};
use vestibule_protocol::{QuestionId, ServerId, WorkspaceId};
use vestibule_store::StoreError;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY, CLICK_DELAY_FOR_CODE, Denied, Gate};
use crate::effect::Intent;
use crate::permit::{ConnectServer, Permit, StartServer};
use crate::{About, Connection, Draft, Launch, ServerFace};

/// A server that is to be started.
pub struct StartRequest<'a> {
    pub server: ServerFace,
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
    pub server: ServerFace,
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

impl Gate {
    /// Asks for permission to start a server. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn start_server(
        &self,
        request: StartRequest<'_>,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<StartServer>, Denied> {
        let StartRequest {
            server: face,
            mut launch,
            record,
            former,
            agreed,
        } = request;
        let server = face.id;
        let digest = record.digest();
        launch.change = self.launch_change(server, record, former).await?;
        let scopes = launch.scopes();
        let mut wanted = self.opening_request(server, Action::StartServer, digest);
        // A rule can come from a file as well as from a card, and the card would not offer it.
        if !scopes.contains(&Scope::Always) {
            wanted.definition = DefinitionState::Unbound(digest);
        }
        let object = launch.program.clone();
        let draft = Draft {
            server: face,
            cause: None,
            about: About::StartServer(launch),
            scopes,
            click_delay: CLICK_DELAY_FOR_CODE,
            asked_ms: wanted.now.as_millisecond(),
            validate: None,
        };
        let (approval, intent) = self
            .approve_opening(wanted, object, "launch", digest, draft, agreed, asked)
            .await?;
        if approval.scope == Scope::Always {
            self.store
                .put_setting(&launch_setting(server), json!(record))
                .await?;
        }
        let what = StartServer {
            server,
            launch: digest,
        };
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Asks for permission to connect to a server at an address. `asked` is called when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn connect_server(
        &self,
        request: ConnectRequest<'_>,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<ConnectServer>, Denied> {
        let ConnectRequest {
            server: face,
            mut connection,
            digest,
            agreed,
        } = request;
        let server = face.id;
        connection.changed = self.ended_by_change(server, &Action::ConnectServer, digest);
        let wanted = self.opening_request(server, Action::ConnectServer, digest);
        // The rest of an address can hold secrets, and the ledger keeps none.
        let object = connection.origin.clone();
        let draft = Draft {
            server: face,
            cause: None,
            about: About::ConnectServer(connection),
            scopes: vec![Scope::Once, Scope::Always],
            click_delay: CLICK_DELAY,
            asked_ms: wanted.now.as_millisecond(),
            validate: None,
        };
        let (approval, intent) = self
            .approve_opening(wanted, object, "connection", digest, draft, agreed, asked)
            .await?;
        let what = ConnectServer {
            server,
            connection: digest,
        };
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Whether a server may be started or connected to without a question, for exactly this record.
    #[must_use]
    pub fn may_open(&self, server: ServerId, action: Action, record: Digest) -> bool {
        let wanted = self.opening_request(server, action, record);
        self.rules.evaluate(&wanted).decision == Decision::Allow
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the two kinds of opening share every step"
    )]
    async fn approve_opening(
        &self,
        wanted: Request,
        object: String,
        kind: &'static str,
        digest: Digest,
        draft: Draft,
        agreed: Option<&RunApproval>,
        asked: impl FnMut(QuestionId),
    ) -> Result<(Approval, Intent), Denied> {
        let verdict = self.rules.evaluate(&wanted);
        let again = agreed.filter(|agreed| verdict.decision == Decision::Ask && agreed.covers(&wanted));
        let details = LedgerBody::from(json!({ kind: digest, "again": again.is_some() }));
        let effect = EffectRecord::for_request(&wanted, object);
        let approval = match again {
            Some(agreed) => Approval {
                scope: Scope::Once,
                when: vec![],
                arguments: None,
                because: agreed.because.clone(),
                waited: None,
                shown: None,
            },
            None => {
                let draft = |_: &Verdict| draft.clone();
                self.decide(&wanted, &effect, &details, draft, asked).await?
            }
        };
        let intent = self.record_intent(effect, &approval, details).await?;
        self.store_rule(&wanted, digest, &approval).await?;
        Ok((approval, intent))
    }

    /// What changed since a start was allowed for longer; `None` where that permission holds or there is none. The record
    /// of that start is in the settings and is believed only where a permission is bound to its digest.
    async fn launch_change(
        &self,
        server: ServerId,
        record: &LaunchRecord,
        former: Digest,
    ) -> Result<Option<LaunchChange>, StoreError> {
        if !self.ended_by_change(server, &Action::StartServer, record.digest()) {
            return Ok(None);
        }
        if self.allows_start(server, former) {
            return Ok(Some(LaunchChange::BindsMore));
        }
        let known = self.store.setting(&launch_setting(server)).await?;
        let before = known
            .and_then(|known| serde_json::from_value::<LaunchRecord>(known).ok())
            .filter(|before| self.allows_start(server, before.digest()));
        Ok(Some(
            before.map_or(LaunchChange::Changed { parts: vec![] }, |before| {
                record.change_since(&before)
            }),
        ))
    }

    fn allows_start(&self, server: ServerId, record: Digest) -> bool {
        self.rules.of_server(server).iter().any(|rule| {
            rule.action == Action::StartServer
                && rule.decision == Decision::Allow
                && rule.bound_to == Some(record)
        })
    }

    /// Forgets what was allowed to start, of a server that is removed.
    ///
    /// # Errors
    /// When it may still be there.
    pub async fn forget_launch(&self, server: ServerId) -> Result<(), StoreError> {
        self.store.remove_setting(&launch_setting(server)).await
    }

    /// Whether a permission exists that was given for another record.
    fn ended_by_change(&self, server: ServerId, action: &Action, record: Digest) -> bool {
        self.rules.of_server(server).iter().any(|rule| {
            rule.action == *action && rule.decision == Decision::Allow && rule.bound_to != Some(record)
        })
    }

    fn opening_request(&self, server: ServerId, action: Action, record: Digest) -> Request {
        Request {
            server,
            action,
            definition: DefinitionState::Accepted(record),
            claims_destructive: false,
            arguments: None,
            carries_values: false,
            flow_unchecked: false,
            written_as_text: false,
            places: Places::default(),
            chat: None,
            workspace: WorkspaceId::home(),
            now: (self.clock)(),
        }
    }
}

/// The setting that keeps the record of the start that was last allowed for longer.
fn launch_setting(server: ServerId) -> String {
    format!("launch/{server}")
}
