//! Permission to ask one of the user's models in the name of a server, and permission to tell the server what it said. No
//! rule answers either: each time the user reads both, and may change both.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use vestibule_policy::{Digest, Scope};
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY, Denied, Gate};
use crate::permit::{Permit, RunSample, SendReply};
use crate::{
    About, Answer, Cause, Draft, PromptEdit, ReplyEdit, SamplePrompt, SampleReply, ServerFace, Validate,
};

/// What a server wants to ask a model.
pub struct SampleRequest {
    pub server: ServerFace,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    /// What the card shows.
    pub prompt: SamplePrompt,
    /// Says what is wrong with what the user changed.
    pub validate: Validate,
}

/// What a model said to a server.
pub struct ReplyRequest {
    /// Who is to hear it.
    pub server: ServerFace,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    /// What the card shows.
    pub reply: SampleReply,
    /// Says what is wrong with what the user changed.
    pub validate: Validate,
}

impl Gate {
    /// Shows what a server wants to tell a model. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal.
    pub async fn run_sample(
        &self,
        request: SampleRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<RunSample>, Denied> {
        let SampleRequest {
            server,
            cause,
            prompt,
            validate,
        } = request;
        let as_shown = PromptEdit {
            system: prompt.system.clone(),
            messages: prompt.messages.clone(),
            model: prompt.picked,
            max_tokens: prompt.max_tokens,
        };
        let id = server.id;
        let effect = effect_record(
            &server,
            cause.as_ref(),
            "sampling.run",
            &prompt.picked.to_string(),
        );
        let about = About::SamplePrompt(prompt);
        let (edit, edited, approval) = self
            .changed_or_not(&effect, server, cause, about, validate, as_shown, asked)
            .await?;
        let messages = json!({ "system": edit.system, "messages": edit.messages });
        let details = LedgerBody::from(json!({
            "model": edit.model,
            "max_tokens": edit.max_tokens,
            "bytes": messages.to_string().len(),
            "edited": edited,
        }))
        .with_digest("messages", Digest::of_arguments(&messages));
        let effect = EffectRecord {
            object: edit.model.to_string(),
            ..effect
        };
        let intent = self.record_intent(effect, &approval, details).await?;
        let what = RunSample {
            server: id,
            prompt: edit,
        };
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Shows what a model said before the server hears it. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal.
    pub async fn send_reply(
        &self,
        request: ReplyRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<SendReply>, Denied> {
        let ReplyRequest {
            server,
            cause,
            reply,
            validate,
        } = request;
        let as_shown = ReplyEdit {
            blocks: reply.blocks.clone(),
        };
        let id = server.id;
        let effect = effect_record(&server, cause.as_ref(), "sampling.reply", &reply.model);
        let about = About::SampleReply(reply);
        let (edit, edited, approval) = self
            .changed_or_not(&effect, server, cause, about, validate, as_shown, asked)
            .await?;
        let blocks = json!({ "blocks": edit.blocks });
        let details = json!({ "bytes": blocks.to_string().len(), "edited": edited });
        let details = LedgerBody::from(details).with_digest("reply", Digest::of_result(&blocks));
        let intent = self.record_intent(effect, &approval, details).await?;
        let what = SendReply {
            server: id,
            blocks: edit.blocks,
        };
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Asks, and gives back what the user left on the card.
    async fn changed_or_not<Edit: DeserializeOwned + PartialEq>(
        &self,
        effect: &EffectRecord,
        server: ServerFace,
        cause: Option<Cause>,
        about: About,
        validate: Validate,
        as_shown: Edit,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<(Edit, bool, Approval), Denied> {
        let draft = Draft {
            server,
            cause,
            about,
            scopes: vec![Scope::Once],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: Some(validate),
        };
        let mut waiting = self.ask_question(effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let shown = waiting.digest();
        let Answer::Accept { arguments, .. } = answer else {
            return Err(self
                .deny_by_answer(
                    effect,
                    answer,
                    LedgerBody::from(json!({})).with_digest("question", shown),
                )
                .await);
        };
        let left: Option<Edit> = arguments.map(read).transpose()?;
        let edited = left.as_ref().is_some_and(|left| *left != as_shown);
        Ok((left.unwrap_or(as_shown), edited, Approval::once(shown)))
    }
}

/// The check of the card has read it already.
fn read<Edit: DeserializeOwned>(arguments: Map<String, Value>) -> Result<Edit, Denied> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        tracing::error!(%error, "failed to parse an edited sampling card");
        Denied::Dismissed
    })
}

fn effect_record(
    server: &ServerFace,
    cause: Option<&Cause>,
    action: &'static str,
    object: &str,
) -> EffectRecord {
    EffectRecord::new(server.id, cause.map(|cause| cause.chat), action, object)
}
