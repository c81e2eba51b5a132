//! Leave to start a server's program.

use serde_json::json;
use vestibule_policy::{Action, Decision, Definition, Digest, Request, Scope, Verdict};
use vestibule_protocol::{QuestionId, WorkspaceId};

use super::written::Deed;
use super::{GUARD_FOR_CODE, Gate, NoPermit};
use crate::permit::{Permit, StartServer};
use crate::{About, Draft, Launch, ServerFace};

/// A server that is to be started.
pub struct StartRequest {
    /// Who.
    pub server: ServerFace,
    /// What the card shows.
    pub launch: Launch,
    /// Of the launch record behind it.
    pub digest: Digest,
}

impl Gate {
    /// Asks for leave to start a server. `asked` is told when a question waits.
    ///
    /// # Errors
    /// The refusal.
    pub async fn start_server(
        &self,
        request: StartRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<StartServer>, NoPermit> {
        let StartRequest {
            server: face,
            mut launch,
            digest,
        } = request;
        let server = face.id;
        launch.changed = self.rules.of(server).iter().any(|rule| {
            rule.action == Action::StartServer
                && rule.decision == Decision::Allow
                && rule.bound_to != Some(digest)
        });
        let object = launch.program.clone();
        let wanted = Request {
            server,
            action: Action::StartServer,
            definition: Definition::Accepted(digest),
            claims_destructive: false,
            arguments: None,
            carries_values: false,
            chat: None,
            workspace: WorkspaceId::home(),
            now: (self.clock)(),
        };
        let draft = |_: &Verdict| Draft {
            server: face.clone(),
            cause: None,
            about: About::StartServer(launch.clone()),
            scopes: vec![Scope::Once, Scope::Always],
            guard: GUARD_FOR_CODE,
            asked_ms: (self.clock)().as_millisecond(),
            fits: None,
        };
        let details = json!({ "launch": digest });
        let deed = Deed::of(&wanted, object);
        let yes = self.decide(&wanted, &deed, &details, draft, asked).await?;
        let receipt = self.intend(deed, &yes, details).await?;
        self.remember(&wanted, digest, yes.scope).await?;
        Ok(Permit::mint(
            StartServer {
                server,
                launch: digest,
            },
            yes.because,
            receipt,
        ))
    }
}
