//! Permission to ask one of the user's models in the name of a server, and permission to tell the server what it said. No
//! rule answers either: each time the user reads both, and may change both.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use vestibule_policy::Digest;
use vestibule_protocol::{QuestionId, json_length};

use super::exact_numbers::restore_numbers;
use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate, GateResult};
use crate::permit::{RunSample, SendReply};
use crate::{
    Answer, Cause, Draft, PromptEdit, QuestionBody, ReplyEdit, SamplePrompt, SampleReply, ServerSummary,
    Validate,
};

/// What a server wants to ask a model.
pub struct SampleRequest {
    pub server: ServerSummary,
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
    pub server: ServerSummary,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    /// What the card shows.
    pub reply: SampleReply,
    /// Says what is wrong with what the user changed.
    pub validate: Validate,
}

impl SampleRequest {
    /// Shows what a server wants to tell a model. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<RunSample> {
        let (server, prompt) = (self.server.id, self.prompt);
        let as_shown = edit_of(&prompt);
        let chat = self.cause.as_ref().map(|cause| cause.chat);
        let effect = EffectRecord::new(server, chat, "sampling.run", prompt.picked.to_string());
        let about = QuestionBody::SamplePrompt(prompt);
        let draft = Draft {
            validate: Some(self.validate),
            ..gate.questions.draft(self.server, self.cause, about)
        };
        let left = LeftOnCard::ask(gate, &effect, draft, as_shown, asked).await?;
        let details = prompt_facts(&left.edit, left.is_edited);
        let effect = EffectRecord {
            object: left.edit.model.to_string(),
            ..effect
        };
        let prompt = left.edit;
        let what = RunSample { server, prompt };
        Ok(gate.ledger.mint(effect, left.approval, details, what).await?)
    }
}

impl ReplyRequest {
    /// Shows what a model said before the server hears it. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<SendReply> {
        let server = self.server.id;
        let as_shown = ReplyEdit {
            blocks: self.reply.blocks.clone(),
        };
        let chat = self.cause.as_ref().map(|cause| cause.chat);
        let effect = EffectRecord::new(server, chat, "sampling.reply", self.reply.model.as_str());
        let about = QuestionBody::SampleReply(self.reply);
        let draft = Draft {
            validate: Some(self.validate),
            ..gate.questions.draft(self.server, self.cause, about)
        };
        let left = LeftOnCard::ask(gate, &effect, draft, as_shown, asked).await?;
        let details = reply_facts(&left.edit, left.is_edited);
        let blocks = left.edit.blocks;
        let what = SendReply { server, blocks };
        Ok(gate.ledger.mint(effect, left.approval, details, what).await?)
    }
}

/// What the user agrees to without a change of the card.
fn edit_of(prompt: &SamplePrompt) -> PromptEdit {
    PromptEdit {
        system: prompt.system.clone(),
        messages: prompt.messages.clone(),
        model: prompt.picked,
        max_tokens: prompt.max_tokens,
    }
}

/// What the ledger says of a prompt that was agreed to.
fn prompt_facts(prompt: &PromptEdit, is_edited: bool) -> LedgerBody {
    let messages = json!({ "system": prompt.system, "messages": prompt.messages });
    let facts = json!({
        "model": prompt.model,
        "max_tokens": prompt.max_tokens,
        "bytes": json_length(&messages),
        "edited": is_edited,
    });
    LedgerBody::from(facts).with_digest("messages", Digest::of_arguments(&messages))
}

/// What the ledger says of a reply that was agreed to.
fn reply_facts(reply: &ReplyEdit, is_edited: bool) -> LedgerBody {
    let blocks = json!({ "blocks": reply.blocks });
    let facts = json!({ "bytes": json_length(&blocks), "edited": is_edited });
    LedgerBody::from(facts).with_digest("reply", Digest::of_result(&blocks))
}

/// What the user left on a card that can be edited.
struct LeftOnCard<Edit> {
    edit: Edit,
    is_edited: bool,
    approval: Approval,
}

impl<Edit: Serialize + DeserializeOwned + PartialEq> LeftOnCard<Edit> {
    async fn ask(
        gate: &Gate,
        effect: &EffectRecord,
        draft: Draft,
        as_shown: Edit,
        asked: impl FnMut(QuestionId),
    ) -> Result<Self, Denied> {
        let (answer, shown) = gate.questions.ask_user(effect, draft, asked).await?;
        let Answer::Accept { arguments, .. } = answer else {
            let details = LedgerBody::shown(shown);
            return Err(gate.questions.deny_by_answer(effect, answer, details).await);
        };
        let left = arguments.map(|edited| read(edited, &as_shown)).transpose()?;
        Ok(Self {
            is_edited: left.as_ref().is_some_and(|left| *left != as_shown),
            edit: left.unwrap_or(as_shown),
            approval: Approval::once(shown),
        })
    }
}

/// The check of the card has read it already.
fn read<Edit: Serialize + DeserializeOwned>(
    edited: Map<String, Value>,
    as_shown: &Edit,
) -> Result<Edit, Denied> {
    let mut edited = Value::Object(edited);
    restore_numbers(&mut edited, &json!(as_shown));
    serde_json::from_value(edited).map_err(|error| {
        tracing::error!(%error, "failed to parse an edited sampling card");
        Denied::Dismissed
    })
}
