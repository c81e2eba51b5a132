//! The opening handshake: propose a revision, accept another one that we speak, learn what the server can do,
//! and say that we are ready. Everything the server says during it is served already, because servers log and
//! ping before they are asked anything.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{INVALID_PARAMS, RpcError};
use vestibule_protocol::mcp::{Implementation, InitializeResult};
use vestibule_transport::Transport;

use crate::engine::{self, Note};
use crate::error::{CallError, OpenError};
use crate::event::SessionEvent;
use crate::handle::{Link, Request, SessionHandle, SessionInfo, read};
use crate::options::SessionOptions;

/// How many pictures of a server are kept, and how long the address of one may be (it may hold the picture).
const MAX_ICONS: usize = 16;
const MAX_ICON_BYTES: usize = 64 * 1024;
/// How much of a revision's name that we do not speak is repeated.
const MAX_REVISION_CHARS: usize = 40;

/// Opens a session over a transport that is connected already. Events go to `events` from the first moment
/// on; the last is [`SessionEvent::Closed`], also when this fails. Dropping the future ends the connection.
///
/// # Errors
/// See [`OpenError`]. The connection has ended when this returns an error.
pub async fn open(
    transport: Box<dyn Transport>,
    options: SessionOptions,
    events: mpsc::Sender<SessionEvent>,
) -> Result<SessionHandle, OpenError> {
    let ends = engine::start(transport, &options, events);
    let link = Link {
        commands: ends.commands,
        notes: ends.notes,
        ended: ends.ended,
        options,
        next_id: AtomicI64::new(1),
    };
    match handshake(&link).await {
        Ok(info) => Ok(SessionHandle::new(info, link)),
        Err(Failure::Call(error)) => Err(OpenError::from_call(error, link.close().await)),
        Err(Failure::Unsupported { offered, answered }) => {
            link.close().await;
            Err(OpenError::Unsupported {
                offered,
                answered: cut(&answered),
            })
        }
    }
}

enum Failure {
    Call(CallError),
    Unsupported { offered: Revision, answered: String },
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams<'a> {
    protocol_version: Revision,
    capabilities: &'a Value,
    client_info: &'a Implementation,
}

async fn handshake(link: &Link) -> Result<SessionInfo, Failure> {
    let end = Instant::now() + link.options.start_timeout;
    let mut offered = link.options.offer;
    let answer = match initialize(link, offered, link.options.start_timeout).await {
        Err(CallError::Rpc(error)) => match supported(&error) {
            Some(names) => {
                offered = common(&names)
                    .filter(|other| *other != offered)
                    .ok_or(Failure::Unsupported {
                        offered,
                        answered: names.join(", "),
                    })?;
                initialize(link, offered, end - Instant::now()).await?
            }
            None => return Err(CallError::Rpc(error).into()),
        },
        other => other?,
    };
    let answer: InitializeResult = read(&answer)?;
    let Ok(revision) = answer.protocol_version.parse() else {
        return Err(Failure::Unsupported {
            offered,
            answered: answer.protocol_version,
        });
    };
    // Told before anything that the server may say under the new agreement is read.
    let _ = link.notes.send(Note::Opened(revision));
    link.notify("notifications/initialized").await?;
    Ok(SessionInfo {
        revision,
        server: cut_names(answer.server_info, link.options.limits.name_bytes),
        capabilities: answer.capabilities,
        instructions: answer
            .instructions
            .map(|text| cut_bytes(text, link.options.limits.instructions_bytes)),
    })
}

async fn initialize(link: &Link, offered: Revision, timeout: Duration) -> Result<Box<RawValue>, CallError> {
    let capabilities = capabilities_for(offered, &link.options.capabilities);
    let client = client_for(offered, &link.options.client);
    let params = InitializeParams {
        protocol_version: offered,
        capabilities: &capabilities,
        client_info: &client,
    };
    let id = link.fresh_id();
    let request = Request {
        id,
        method: "initialize",
        timeout,
        progress: None,
        opening: true,
    };
    link.request(request, Some(&params)).await
}

/// The revisions the server names in a refusal of ours.
fn supported(error: &RpcError) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_ref().filter(|_| error.code == INVALID_PARAMS)?;
    serde_json::from_str::<Data>(data.get())
        .ok()
        .map(|data| data.supported)
}

fn common(names: &[String]) -> Option<Revision> {
    names.iter().filter_map(|name| name.parse().ok()).max()
}

/// Of our capabilities, those that the revision knows, in its shape.
pub(crate) fn capabilities_for(revision: Revision, all: &Value) -> Value {
    let mut declared = all.as_object().cloned().unwrap_or_default();
    if revision < Revision::V2025_11_25 {
        declared.remove("tasks");
        // Before this revision the objects were empty; modes and tools came with it.
        for name in ["elicitation", "sampling"] {
            if let Some(capability) = declared.get_mut(name) {
                *capability = Value::Object(serde_json::Map::new());
            }
        }
    }
    if revision < Revision::V2025_06_18 {
        declared.remove("elicitation");
    }
    Value::Object(declared)
}

/// What we say of ourselves, in the revision's shape.
fn client_for(revision: Revision, client: &Implementation) -> Implementation {
    let mut client = client.clone();
    if revision < Revision::V2025_11_25 {
        client.description = None;
        client.website_url = None;
        client.icons.clear();
    }
    if revision < Revision::V2025_06_18 {
        client.title = None;
    }
    client
}

fn cut(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_REVISION_CHARS)
        .collect()
}

/// A server's account of itself, each text within the limit. Pictures are kept if there are not too many.
fn cut_names(server: Implementation, limit: usize) -> Implementation {
    let cut = |text: String| cut_bytes(text, limit);
    Implementation {
        name: cut(server.name),
        version: cut(server.version),
        title: server.title.map(cut),
        description: server.description.map(cut),
        // A cut address would be another address.
        website_url: server.website_url.filter(|address| address.len() <= limit),
        icons: server
            .icons
            .into_iter()
            .take(MAX_ICONS)
            .filter(|icon| icon.src.len() <= MAX_ICON_BYTES)
            .collect(),
    }
}

fn cut_bytes(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// LC-009, LC-010.
    #[test]
    fn only_what_a_revision_knows_is_declared_to_it() {
        let all = json!({"roots": {"listChanged": true}, "sampling": {"tools": {}},
            "elicitation": {"form": {}, "url": {}}, "tasks": {}});
        let cases = [
            (Revision::V2025_11_25, all.clone()),
            (
                Revision::V2025_06_18,
                json!({"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}}),
            ),
            (
                Revision::V2025_03_26,
                json!({"roots": {"listChanged": true}, "sampling": {}}),
            ),
            (
                Revision::V2024_11_05,
                json!({"roots": {"listChanged": true}, "sampling": {}}),
            ),
        ];
        for (revision, expected) in cases {
            assert_eq!(capabilities_for(revision, &all), expected, "{revision}");
        }
    }
}
