//! From an answer that is no success to what a session needs to know of it: what the status means for the
//! person, the beginning of the body, what is demanded, where it points. A redirect is reported and never
//! followed: what goes along with a request was meant for the address the user wrote.

use bytes::Bytes;
use vestibule_egress::StatusCode;

use super::context::HttpContext;
use crate::{Challenge, MAX_FAILURE_BYTES, Redirect, RequestFailure};
use vestibule_egress::{EgressError, HttpAnswer};

const MAX_LOCATION_CHARS: usize = 2048;

impl From<EgressError> for RequestFailure {
    fn from(error: EgressError) -> Self {
        if let EgressError::TooLarge(limit) = error {
            return Self::too_large(limit);
        }
        Self {
            unsent: error.is_unsent(),
            ..Self::new(error.to_string())
        }
    }
}

impl HttpContext {
    /// Reads an answer that is no success.
    pub(super) async fn refusal(&self, answer: HttpAnswer) -> RequestFailure {
        let status = answer.status();
        let challenge =
            matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN).then(|| challenge(&answer));
        let moved = self.moved(&answer);
        let retry_after = answer.retry_after();
        let body: Bytes = answer.beginning(MAX_FAILURE_BYTES, self.limits.head).await;
        RequestFailure {
            reason: reason(status, moved.as_ref()),
            status: Some(status.as_u16()),
            body: Some(body).filter(|body| !body.is_empty()),
            challenge,
            moved,
            retry_after,
            ..RequestFailure::default()
        }
    }

    fn moved(&self, answer: &HttpAnswer) -> Option<Redirect> {
        let target = self.address.join(answer.location()?).ok()?;
        Some(Redirect {
            to: target.as_str().chars().take(MAX_LOCATION_CHARS).collect(),
            same_origin: self.egress.leads_to(&target),
        })
    }
}

fn challenge(answer: &HttpAnswer) -> Challenge {
    Challenge {
        status: answer.status().as_u16(),
        www_authenticate: answer.challenges(),
    }
}

fn reason(status: StatusCode, moved: Option<&Redirect>) -> String {
    let code = status.as_u16();
    match (code, moved) {
        (300..=399, Some(moved)) => format!(
            "the server wants this sent to {} instead ({code}), which was not done; if that is right, change the \
             server's address",
            moved.to
        ),
        (300..=399, None) => format!("the server points somewhere else without saying where ({code})"),
        (401, _) => "the server asks for authorization (401)".into(),
        (403, _) => "the server refuses access (403); authorization may be missing or not enough".into(),
        (404 | 410, _) => format!("nothing answers at this address ({code}); check it"),
        (405, _) => "this address does not take such requests (405); check it".into(),
        (407, _) => "something on the way asks for authorization of its own (407)".into(),
        (408 | 504, _) => format!("the server or something before it gave up waiting ({code})"),
        (413 | 414 | 431, _) => {
            format!("the server or something before it does not take requests of this size ({code})")
        }
        (429, _) => "the server answered 429 Too Many Requests; try again later".into(),
        (500..=599, _) => format!("the server or something before it failed ({code})"),
        _ => format!("the server refused the request ({code})"),
    }
}

#[cfg(test)]
mod tests {
    use vestibule_egress::StatusCode;

    use super::reason;

    /// TR-120.
    #[test]
    fn a_request_that_is_too_large_for_the_server_is_said_in_words() {
        for status in [413, 414, 431] {
            let words = reason(StatusCode::from_u16(status).unwrap(), None);
            assert!(
                words.contains("requests of this size") && words.contains(&status.to_string()),
                "{words}"
            );
        }
    }
}
