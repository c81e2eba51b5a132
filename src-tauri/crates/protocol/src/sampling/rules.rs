//! What the messages of a request must be like, beyond the shape of each: results of tools stand alone, answer
//! exactly the uses before them, and data is what it claims to be. Checked before a person or a model sees any
//! of it.

use std::collections::HashSet;

use super::{BrokenRequest, SamplingContent, SamplingMessage};
use crate::prompt::Role;

const MIXED: &str = "Tool results mixed with other content";
const MISSING: &str = "Tool result missing in request";

pub(super) fn check(messages: &[SamplingMessage]) -> Result<(), BrokenRequest> {
    let mut owed = HashSet::new();
    for message in messages {
        message.content.iter().try_for_each(check_data)?;
        let results = results_of(message)?;
        if results != owed {
            return Err(BrokenRequest::new(MISSING));
        }
        owed = uses_of(message)?;
    }
    match owed.is_empty() {
        true => Ok(()),
        false => Err(BrokenRequest::new(MISSING)),
    }
}

/// The uses a message answers. A message with one result holds nothing else. SA-016.
fn results_of(message: &SamplingMessage) -> Result<HashSet<&str>, BrokenRequest> {
    let ids: Vec<&str> = message
        .content
        .iter()
        .filter_map(|block| match block {
            SamplingContent::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
            _ => None,
        })
        .collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    if message.role != Role::User {
        return Err(BrokenRequest::new(
            "a tool result in a message that is not the user's",
        ));
    }
    if ids.len() != message.content.len() {
        return Err(BrokenRequest::new(MIXED));
    }
    unique(ids, "two results of one tool use")
}

/// The uses a message makes, each of which the next message has to answer. SA-017.
fn uses_of(message: &SamplingMessage) -> Result<HashSet<&str>, BrokenRequest> {
    let ids: Vec<&str> = message
        .content
        .iter()
        .filter_map(|block| match block {
            SamplingContent::ToolUse { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    if !ids.is_empty() && message.role != Role::Assistant {
        return Err(BrokenRequest::new(
            "a tool use in a message that is not the assistant's",
        ));
    }
    unique(ids, "two tool uses under one id")
}

fn unique<'a>(ids: Vec<&'a str>, otherwise: &str) -> Result<HashSet<&'a str>, BrokenRequest> {
    let count = ids.len();
    let ids: HashSet<&str> = ids.into_iter().collect();
    match ids.len() == count {
        true => Ok(ids),
        false => Err(BrokenRequest::new(otherwise)),
    }
}

/// SA-025.
fn check_data(block: &SamplingContent) -> Result<(), BrokenRequest> {
    let (data, mime_type, family) = match block {
        SamplingContent::Image { data, mime_type } => (data, mime_type, "image/"),
        SamplingContent::Audio { data, mime_type } => (data, mime_type, "audio/"),
        _ => return Ok(()),
    };
    if !mime_type.starts_with(family) || mime_type.len() > 128 {
        return Err(BrokenRequest(format!("a type of data that is none of {family}")));
    }
    match is_base64(data.as_bytes()) {
        true => Ok(()),
        false => Err(BrokenRequest::new("data that is not Base64")),
    }
}

/// Whether this can be decoded, without decoding it.
fn is_base64(data: &[u8]) -> bool {
    let letters = data.strip_suffix(b"==").or_else(|| data.strip_suffix(b"="));
    let letters = letters.unwrap_or(data);
    data.len().is_multiple_of(4)
        && letters
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}
