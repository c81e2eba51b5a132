//! Permission to start a program that serves a model of the user. No rule answers it and no yes lasts: each start is
//! asked, with the whole record of what will run.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{CLICK_DELAY_FOR_CODE, Gate, GateResult};
use crate::permit::StartModelServer;
use crate::{Cause, Draft, Launch, QuestionBody, ServerSummary};

/// A program that is to be started for a model.
pub struct ModelStartRequest {
    /// The model as the card names it. It is no server, so its id is only its own.
    pub model: ServerSummary,
    /// The chat that needs it, where one does.
    pub cause: Option<Cause>,
    /// What the card shows.
    pub launch: Launch,
    /// Of the launch record behind it.
    pub digest: Digest,
}

impl ModelStartRequest {
    /// Asks for permission to start the program. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The reason of the denial, when the user does not agree or it could not be written down.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<StartModelServer> {
        let Self {
            model,
            cause,
            launch,
            digest,
        } = self;
        let chat = cause.as_ref().map(|cause| cause.chat);
        let effect = EffectRecord::new(None, chat, "model.start", launch.program.clone());
        let facts = LedgerBody::from(json!({ "launch": digest }));
        let launch = Launch {
            serves_model: true,
            ..launch
        };
        let draft = Draft {
            click_delay: CLICK_DELAY_FOR_CODE,
            ..gate
                .questions
                .draft(model, cause, QuestionBody::StartServer(launch))
        };
        let what = StartModelServer { launch: digest };
        gate.questions
            .approve_once(effect, draft, facts, what, asked)
            .await
    }
}
