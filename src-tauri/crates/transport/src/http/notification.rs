//! Messages that the server accepts without an answer: notifications, and our answers to its requests.

use vestibule_egress::StatusCode;

use super::context::{HttpContext, HttpEvent};
use super::exchange::LINGER;
use crate::MAX_FAILURE_BYTES;

pub(super) async fn post(context: HttpContext, what: String, frame: Vec<u8>) {
    match context.post(frame, context.limits.head).await {
        Ok(answer) if answer.status().is_success() => {
            // Read to its end, the connection serves again.
            answer.beginning(MAX_FAILURE_BYTES, LINGER).await;
        }
        Ok(answer) if answer.status() == StatusCode::NOT_FOUND && context.session.is_some() => {
            context.send_event(HttpEvent::SessionLost).await;
        }
        Ok(answer) => {
            let refusal = context.refusal(answer).await;
            context
                .emit_oddity(format!("{what} was not taken: {}", refusal.reason))
                .await;
        }
        Err(error) => {
            context
                .emit_oddity(format!("{what} did not get through: {error}"))
                .await
        }
    }
}
