//! Forms: a server's request is shown to the user, and the answer goes back. A user who declines or closes the card has
//! answered, in both eras. A form is refused only where it cannot be shown truthfully.

use serde_json::{Map, Value, json};
use vestibule_consent::{Denied, EffectOutcome, Form, FormRequest};
use vestibule_protocol::elicitation::ElicitForm;

use super::{Asking, INTERNAL, INVALID_PARAMS, Inbound, Wanted};

impl Inbound {
    pub(super) async fn elicit(&self, asking: Asking, form: &ElicitForm) {
        match Form::read(&form.message, form.requested_schema.get()) {
            Ok(form) => self.fill(asking, form).await,
            Err(no) => asking.reply.refuse(INVALID_PARAMS, no.0),
        }
    }

    async fn fill(&self, asking: Asking, form: Form) {
        let request = FormRequest {
            server: asking.face.clone(),
            cause: asking.cause(),
            form,
        };
        let filled = self
            .while_wanted(&asking, self.0.gate.fill_form(request, |_| {}))
            .await;
        match filled {
            Wanted::Done(Ok(permit)) => {
                let (sent, receipt) = permit.spend();
                let bytes = Value::Object(sent.content.clone()).to_string().len();
                asking.reply.reply(&accept(sent.content));
                let outcome = EffectOutcome {
                    ended: "sent",
                    result: None,
                    bytes,
                    took: std::time::Duration::ZERO,
                };
                if let Err(error) = self.0.gate.record_outcome(receipt, outcome).await {
                    tracing::error!(%error, "failed to record a sent form in the ledger");
                }
            }
            Wanted::Done(Err(Denied::ByUser { .. } | Denied::Muted)) => {
                asking.reply.reply(&json!({ "action": "decline" }));
            }
            Wanted::Done(Err(Denied::LedgerFailed(error))) => {
                tracing::error!(%error, "failed to record the answer to a form in the ledger");
                asking.reply.refuse(INTERNAL, "the answer could not be kept, so it was not given");
            }
            Wanted::Done(Err(Denied::Dismissed | Denied::ByRule(_) | Denied::DefinitionChanged))
            | Wanted::Over
            // The request was withdrawn; the answer is sent and goes nowhere.
            | Wanted::Withdrawn => asking.reply.reply(&json!({ "action": "cancel" })),
        }
    }
}

fn accept(content: Map<String, Value>) -> Value {
    json!({ "action": "accept", "content": content })
}
