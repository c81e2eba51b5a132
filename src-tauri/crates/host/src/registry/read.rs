//! Reading a resource and expanding a prompt: two more of the ways to a server, and each takes a permit. What comes
//! back is bounded here and goes to whoever spent the permit, and nowhere else.

use std::time::Duration;

use serde_json::Value;
use vestibule_consent::{GetPrompt, Permit, ReadResource};
use vestibule_policy::Digest;
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::{Completion, CompletionParams, GetPromptResult, ReadResourceResult};
use vestibule_session::{CallError, CallOptions, SessionHandle};

use super::sign_in::Unsent;
use super::under_way::UnderWay;
use super::{Registry, gone};
use crate::view::{CallProblem, Problem, ServerProblem};

/// How long a proposal may be waited for.
const COMPLETION: Duration = Duration::from_secs(5);

impl Registry {
    /// Reads the resource the permit is for.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads resources")]
    pub(crate) async fn read(&self, permit: Permit<ReadResource>) -> Result<ReadResourceResult, Problem> {
        let (read, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "cancelled");
        let session = self.connected(read.server, &mut under_way).await?;
        let ask = || session.read_resource(&read.uri, CallOptions::default());
        match self.authorized(read.server, true, ask).await {
            Ok(answer) => {
                let raw = serde_json::to_value(&answer.value).unwrap_or_default();
                ended(&mut under_way, &raw).await;
                Ok(answer.value)
            }
            Err(Unsent::Call(error)) if error.is_not_found() => {
                under_way.end("failed", None, 0).await;
                Err(Problem::Call(CallProblem::NoSuchResource { uri: read.uri }))
            }
            Err(error) => Err(self.came_to_nothing(read.server, under_way, error).await),
        }
    }

    /// Expands the prompt the permit is for.
    #[expect(clippy::disallowed_methods, reason = "the one place that expands prompts")]
    pub(crate) async fn expand(&self, permit: Permit<GetPrompt>) -> Result<GetPromptResult, Problem> {
        let (get, receipt) = permit.spend();
        let mut under_way = UnderWay::new(receipt, self, "cancelled");
        let session = self.connected(get.server, &mut under_way).await?;
        let ask = || session.get_prompt(&get.prompt, &get.arguments, CallOptions::default());
        match self.authorized(get.server, true, ask).await {
            Ok(answer) => {
                let raw = serde_json::to_value(&answer).unwrap_or_default();
                ended(&mut under_way, &raw).await;
                Ok(answer)
            }
            Err(error) => Err(self.came_to_nothing(get.server, under_way, error).await),
        }
    }

    /// Asks what could stand in a field. A server that proposes nothing in time proposes nothing.
    pub(crate) async fn complete(
        &self,
        server: ServerId,
        params: &CompletionParams,
    ) -> Result<Completion, Problem> {
        let session = self.session(server).ok_or_else(gone)?;
        match tokio::time::timeout(COMPLETION, session.complete(params)).await {
            Ok(Ok(completion)) => Ok(completion),
            Ok(Err(CallError::NotSupported)) | Err(_) => Ok(Completion::default()),
            Ok(Err(error)) => Err(self.told(server, error)),
        }
    }

    async fn connected(&self, server: ServerId, under_way: &mut UnderWay) -> Result<SessionHandle, Problem> {
        if let Some(session) = self.session(server) {
            return Ok(session);
        }
        under_way.end("not sent", None, 0).await;
        let name = self.record(server).map_or_else(String::new, |record| record.name);
        Err(self
            .is_away(server)
            .unwrap_or(Problem::Server(ServerProblem::ServerNotRunning { server: name })))
    }

    async fn came_to_nothing(&self, server: ServerId, mut under_way: UnderWay, unsent: Unsent) -> Problem {
        let (word, problem) = match unsent {
            Unsent::Call(error) => (super::call::word(&error), self.told(server, error)),
            Unsent::SignIn(challenge) => {
                self.notice(server, &challenge);
                ("not signed in", self.sign_in_needed(server, &challenge))
            }
            Unsent::Never(problem) => ("not signed in", problem),
        };
        under_way.end(word, None, 0).await;
        problem
    }
}

async fn ended(under_way: &mut UnderWay, raw: &Value) {
    let (digest, bytes) = (Digest::of_result(raw), raw.to_string().len());
    under_way.end("answered", Some(digest), bytes).await;
}
