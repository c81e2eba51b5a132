//! Forms: a server's request is shown to the user, and the answer goes back. A user who declines or closes the card has
//! answered, in both eras. A form is refused only where it cannot be shown truthfully.

use serde_json::{Map, Value, json};
use vestibule_consent::{Denied, EffectEnd, Form, FormRequest, Permit, SendForm};
use vestibule_protocol::elicitation::ElicitForm;
use vestibule_protocol::json_length;

use crate::{AcceptedRequest, ClientFeatures, INTERNAL, INVALID_PARAMS, NOT_KEPT, Wanted};

pub(crate) async fn elicit(features: &ClientFeatures, asking: AcceptedRequest, form: &ElicitForm) {
    match Form::read(&form.message, form.requested_schema.get()) {
        Ok(form) => fill(features, asking, form).await,
        Err(no) => asking.reply.refuse(INVALID_PARAMS, no.0),
    }
}

async fn fill(features: &ClientFeatures, asking: AcceptedRequest, form: Form) {
    let request = FormRequest {
        server: asking.face.clone(),
        cause: asking.cause(),
        form,
    };
    let filled = features
        .while_wanted(&asking, request.approve(&features.0.gate, |_| {}))
        .await;
    match filled {
        Wanted::Done(Ok(permit)) => send(asking, permit).await,
        Wanted::Done(Err(denied)) => answer_denied(asking, denied),
        // The request was withdrawn; the answer is sent and goes nowhere.
        Wanted::Over | Wanted::Withdrawn => asking.reply.reply(&json!({ "action": "cancel" })),
    }
}

/// Sends what the user filled in.
async fn send(asking: AcceptedRequest, permit: Permit<SendForm>) {
    let (sent, effect) = permit.begin().split();
    let bytes = json_length(&sent.content);
    asking.reply.reply(&accept(sent.content));
    effect.finish_of_size(EffectEnd::Sent, bytes).await;
}

fn answer_denied(asking: AcceptedRequest, denied: Denied) {
    match denied {
        Denied::ByUser { .. } | Denied::Muted => asking.reply.reply(&json!({ "action": "decline" })),
        Denied::LedgerFailed(error) => {
            tracing::error!(%error, "failed to record the answer to a form in the ledger");
            asking.reply.refuse(INTERNAL, NOT_KEPT);
        }
        Denied::Dismissed | Denied::NotAsked | Denied::ByRule(_) | Denied::DefinitionChanged => {
            asking.reply.reply(&json!({ "action": "cancel" }));
        }
    }
}

fn accept(content: Map<String, Value>) -> Value {
    json!({ "action": "accept", "content": content })
}
