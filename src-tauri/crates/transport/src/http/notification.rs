//! Messages that the server accepts without an answer: notifications, and our answers to its requests.

use vestibule_egress::StatusCode;
use vestibule_protocol::jsonrpc::RequestId;

use super::context::{HttpContext, HttpEvent};
use super::exchange::LINGER;
use crate::{Challenge, Incoming, MAX_FAILURE_BYTES};

pub(super) async fn post(context: HttpContext, what: String, frame: Vec<u8>) {
    send(&context, &what, frame).await;
}

/// Sends our answer to a request of the server. Where the request is named and the server demands a sign-in, the answer
/// comes back.
pub(super) async fn answer(context: HttpContext, request: Option<RequestId>, frame: Vec<u8>) {
    let kept = request.map(|id| (id, frame.clone()));
    let demanded = send(&context, "an answer to the server", frame).await;
    let challenge = demanded.filter(|challenge| challenge.status == 401);
    if let (Some((id, frame)), Some(challenge)) = (kept, challenge) {
        let refused = Incoming::AnswerRefused { id, frame, challenge };
        context.emit(refused).await;
    }
}

/// Sends a message; gives back what the server demands before it accepts the message.
async fn send(context: &HttpContext, what: &str, frame: Vec<u8>) -> Option<Challenge> {
    match context.post(frame, context.limits.head).await {
        Ok(answer) if answer.status().is_success() => {
            // Read to its end, the connection serves again.
            answer.beginning(MAX_FAILURE_BYTES, LINGER).await;
            None
        }
        Ok(answer) if answer.status() == StatusCode::NOT_FOUND && context.session.is_some() => {
            context.send_event(HttpEvent::SessionLost).await;
            None
        }
        Ok(answer) => {
            let refusal = context.refusal(answer).await;
            context
                .emit_oddity(format!("{what} was not taken: {}", refusal.reason))
                .await;
            refusal.challenge
        }
        Err(error) => {
            context
                .emit_oddity(format!("{what} did not get through: {error}"))
                .await;
            None
        }
    }
}
