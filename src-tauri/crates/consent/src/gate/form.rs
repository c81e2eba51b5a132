//! Leave to send a filled form to the server that asked for it. No rule answers a form: what is in it is the
//! person's, each time.

use serde_json::{Map, Value, json};
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::details::Details;
use super::written::Deed;
use super::{Gate, NoPermit, Yes};
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
    /// Shows a form. `asked` is told when it waits. Dropping the future withdraws it.
    ///
    /// # Errors
    /// The refusal: [`NoPermit::Refused`] is the person's no, [`NoPermit::NotNow`] none at all.
    pub async fn fill_form(
        &self,
        request: FormRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<SendForm>, NoPermit> {
        let FormRequest { server, cause, form } = request;
        let chat = cause.as_ref().map(|cause| cause.chat);
        let id = server.id;
        let deed = Deed::new(id, chat, "form.send", field_names(&form));
        let (answer, shown) = self
            .ask_person(&deed, server, cause, About::FillForm(form), &mut asked)
            .await?;
        let Answer::Submit { content } = answer else {
            let details = Details::from(json!({})).said("question", shown);
            return Err(self.no(&deed, answer, details).await);
        };
        let yes = Yes::once(shown);
        let receipt = self.intend(deed, &yes, content_facts(&content)).await?;
        let what = SendForm { server: id, content };
        Ok(Permit::mint(what, yes.because, receipt))
    }
}

/// The ledger keeps of the answers that they were given, not what they were.
fn content_facts(content: &Map<String, Value>) -> Details {
    let content = Value::Object(content.clone());
    let bytes = json!({ "bytes": content.to_string().len() });
    Details::from(bytes).said("content", Digest::of_arguments(&content))
}

fn field_names(form: &Form) -> String {
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let mut names = names.join(", ");
    names.truncate(names.floor_char_boundary(MAX_OBJECT));
    names
}
