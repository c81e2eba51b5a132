//! Permission to send a filled form to the server that asked for it. No rule answers a form: what is in it is the
//! person's, each time.

use serde_json::{Map, Value, json};
use vestibule_policy::Digest;
use vestibule_protocol::{QuestionId, json_length};

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Gate, GateResult};
use crate::permit::SendForm;
use crate::{Answer, Cause, Form, QuestionBody, ServerSummary};

/// How much of the names of a form's fields the ledger keeps, in bytes.
const MAX_OBJECT: usize = 200;

/// A form a server wants filled in.
pub struct FormRequest {
    pub server: ServerSummary,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    pub form: Form,
}

impl FormRequest {
    /// Shows the form. `asked` is called when it waits. Dropping the future withdraws it.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`](crate::Denied::ByUser) is the user's no, [`Denied::Dismissed`](crate::Denied::Dismissed) none at all.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<SendForm> {
        let chat = self.cause.as_ref().map(|cause| cause.chat);
        let server = self.server.id;
        let effect = EffectRecord::new(server, chat, "form.send", field_names(&self.form));
        let questions = &gate.questions;
        let draft = questions.draft_without_yes(self.server, self.cause, QuestionBody::FillForm(self.form));
        let (answer, shown) = questions.ask_user(&effect, draft, asked).await?;
        let Answer::Submit { content, .. } = answer else {
            let details = LedgerBody::shown(shown);
            return Err(questions.deny_by_answer(&effect, answer, details).await);
        };
        let (approval, facts) = (Approval::once(shown), content_facts(&content));
        let what = SendForm { server, content };
        Ok(gate.ledger.mint(effect, approval, facts, what).await?)
    }
}

/// The ledger keeps of the answers that they were given, not what they were.
fn content_facts(content: &Map<String, Value>) -> LedgerBody {
    let content = Value::Object(content.clone());
    let bytes = json!({ "bytes": json_length(&content) });
    LedgerBody::from(bytes).with_digest("content", Digest::of_arguments(&content))
}

fn field_names(form: &Form) -> String {
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let mut names = names.join(", ");
    names.truncate(names.floor_char_boundary(MAX_OBJECT));
    names
}
