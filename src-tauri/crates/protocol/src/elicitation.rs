//! What a server may ask of a user: a form, or a visit to a page. Here the request is read and bounded; what the
//! fields of a form mean is read by the code that shows them, and an address is judged by the code that opens it. Nothing here
//! fetches anything.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::json::RawJson;

/// The longest request, in bytes of JSON.
const MAX_REQUEST_BYTES: usize = 1024 * 1024;
/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// The longest address or id, in bytes.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// Why a request of a server is refused. Short enough to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenRequest(pub String);

/// A form a user is asked to fill in. All texts are the server's.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitForm {
    /// What it is about.
    pub message: String,
    /// The fields, as the server wrote them and in its order: an object.
    pub requested_schema: Box<RawValue>,
}

/// A page a user is asked to visit. All texts are the server's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ElicitUrl {
    /// What it is about.
    pub message: String,
    pub url: String,
    /// The server's name for the visit, which it may announce as complete; up to 2025-11-25.
    pub elicitation_id: Option<String>,
}

/// What a user did with a question of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Filled in and sent, or agreed to visit.
    Accept,
    Decline,
    /// Put it away without an answer.
    Cancel,
}

/// The answer to a question of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What was filled in; only with an accepted form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// A form, filled in.
    #[must_use]
    pub fn filled(content: Map<String, Value>) -> Self {
        Self {
            action: ElicitAction::Accept,
            content: Some(content),
        }
    }

    /// An answer without content: a visit agreed to, a no, or nothing at all.
    #[must_use]
    pub fn bare(action: ElicitAction) -> Self {
        Self {
            action,
            content: None,
        }
    }
}

impl ElicitForm {
    /// Reads the parameters of a request for a form.
    ///
    /// # Errors
    /// When something is missing or too long, or when the schema is not an object. Whether it is one that can be
    /// shown is for others to say.
    pub fn read(params: RawJson<'_>) -> Result<Self, BrokenRequest> {
        let form: Self = read_params(params)?;
        check_message(&form.message)?;
        match form.requested_schema.get().starts_with('{') {
            true => Ok(form),
            false => Err(broken("\"requestedSchema\" is not an object")),
        }
    }
}

impl ElicitUrl {
    /// Reads the parameters of a request for a visit. `with_id` says whether the revision wants a name for it.
    ///
    /// # Errors
    /// When something is missing or too long. Whether the address is one is for others to judge.
    pub fn read(params: RawJson<'_>, with_id: bool) -> Result<Self, BrokenRequest> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            message: String,
            url: String,
            #[serde(default)]
            elicitation_id: Option<String>,
        }
        let members: Members = read_params(params)?;
        check_message(&members.message)?;
        let id = members.elicitation_id.filter(|_| with_id);
        let too_long = |text: &str| text.is_empty() || text.len() > MAX_TEXT_BYTES;
        if too_long(&members.url) || id.as_deref().is_some_and(too_long) {
            return Err(broken("an address or id that is empty or too long"));
        }
        if with_id && id.is_none() {
            return Err(broken("no \"elicitationId\""));
        }
        Ok(Self {
            message: members.message,
            url: members.url,
            elicitation_id: id,
        })
    }
}

fn read_params<'a, T: Deserialize<'a>>(params: RawJson<'a>) -> Result<T, BrokenRequest> {
    if params.get().len() > MAX_REQUEST_BYTES {
        return Err(BrokenRequest(format!(
            "the request is longer than {MAX_REQUEST_BYTES} bytes"
        )));
    }
    params.read().map_err(|error| BrokenRequest(error.to_string()))
}

fn broken(reason: &str) -> BrokenRequest {
    BrokenRequest(reason.to_owned())
}

fn check_message(message: &str) -> Result<(), BrokenRequest> {
    match message.len() {
        0..=MAX_MESSAGE_BYTES => Ok(()),
        _ => Err(broken("the message is too long")),
    }
}

#[cfg(test)]
mod tests;
