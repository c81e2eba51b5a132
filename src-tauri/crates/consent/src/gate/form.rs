//! Permission to send a filled form to the server that asked for it. No rule answers a form: what is in it is the
//! person's, each time.

use serde_json::{Map, Value, json};
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate};
use crate::permit::{Permit, SendForm};
use crate::{About, Answer, Cause, Form, ServerFace};

/// How much of the names of a form's fields the ledger keeps, in bytes.
const MAX_OBJECT: usize = 200;

/// A form a server wants filled in.
pub struct FormRequest {
    pub server: ServerFace,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    pub form: Form,
}

impl Gate {
    /// Shows a form. `asked` is called when it waits. Dropping the future withdraws it.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`] is the user's no, [`Denied::Dismissed`] none at all.
    pub async fn fill_form(
        &self,
        request: FormRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<SendForm>, Denied> {
        let FormRequest { server, cause, form } = request;
        let chat = cause.as_ref().map(|cause| cause.chat);
        let id = server.id;
        let effect = EffectRecord::new(id, chat, "form.send", field_names(&form));
        let (answer, shown) = self
            .ask_user(&effect, server, cause, About::FillForm(form), &mut asked)
            .await?;
        let Answer::Submit { content, .. } = answer else {
            let details = LedgerBody::from(json!({})).with_digest("question", shown);
            return Err(self.deny_by_answer(&effect, answer, details).await);
        };
        let approval = Approval::once(shown);
        let intent = self
            .record_intent(effect, &approval, content_facts(&content))
            .await?;
        let what = SendForm { server: id, content };
        Ok(Permit::mint(what, approval.because, intent))
    }
}

/// The ledger keeps of the answers that they were given, not what they were.
fn content_facts(content: &Map<String, Value>) -> LedgerBody {
    let content = Value::Object(content.clone());
    let bytes = json!({ "bytes": content.to_string().len() });
    LedgerBody::from(bytes).with_digest("content", Digest::of_arguments(&content))
}

fn field_names(form: &Form) -> String {
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let mut names = names.join(", ");
    names.truncate(names.floor_char_boundary(MAX_OBJECT));
    names
}
