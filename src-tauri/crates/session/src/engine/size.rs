//! How long a message of a server may be. A transport reads frames as long as the longest result of a tool; every other
//! message has to be shorter, and a result that long may have only so many values.

use std::borrow::Cow;

use tokio::time::Instant;
use vestibule_protocol::jsonrpc::{Frame, INVALID_PARAMS, Message, ParseError, RequestId, RpcError};
use vestibule_transport::{RequestFailure, response_id};

use super::{EndReason, Engine};

/// How much of something that is no message is repeated.
const MAX_SAMPLE_BYTES: usize = 200;

impl Engine {
    /// What is wrong with the size of a frame, which has so many JSON values; `None` where nothing is.
    pub(super) fn wrong_size(
        &self,
        parsed: &Result<Frame<'_>, ParseError>,
        values: usize,
        frame: &[u8],
    ) -> Option<RequestFailure> {
        let limits = &self.outbound.options.limits;
        if frame.len() <= limits.message_bytes {
            return None;
        }
        if !self.is_awaited_result(parsed) {
            return Some(RequestFailure::too_large(limits.message_bytes));
        }
        (values > limits.result_values).then(|| RequestFailure {
            too_large: true,
            ..RequestFailure::new(format!(
                "the answer had more than {} JSON values",
                limits.result_values
            ))
        })
    }

    /// Whether a tool's result that is waited for stands in this frame.
    fn is_awaited_result(&self, parsed: &Result<Frame<'_>, ParseError>) -> bool {
        match parsed {
            Ok(Frame::One(Message::Response {
                id: Some(RequestId::Number(id)),
                ..
            })) => self.outbound.pending.is_for_result(*id),
            _ => false,
        }
    }

    /// Fails the request that a frame of the wrong size answers, and refuses a request of the server.
    pub(super) fn on_wrong_size(
        &mut self,
        parsed: &Result<Frame<'_>, ParseError>,
        frame: &[u8],
        failure: RequestFailure,
    ) -> Result<(), EndReason> {
        let limit = self.outbound.options.limits.message_bytes;
        if let Ok(Frame::One(Message::Request { id, .. })) = parsed
            && self.outbound.may_answer()
        {
            self.unasked(Instant::now());
            let reason = format!("a request has at most {limit} bytes");
            return self.refuse(id, RpcError::new(INVALID_PARAMS, reason));
        }
        if let Some(id) = response_id(frame) {
            self.on_request_failed(id, failure);
            return Ok(());
        }
        let reason = format!("a message of {} bytes, at most {limit} are read", frame.len());
        self.on_junk(&reason, &sample(frame))
    }
}

/// The beginning of something that is no message.
pub(super) fn sample(frame: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&frame[..frame.len().min(MAX_SAMPLE_BYTES)])
}
