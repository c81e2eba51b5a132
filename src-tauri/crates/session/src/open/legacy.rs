//! The opening handshake: propose a revision, accept another one that we speak, learn what the server can do.
//! Everything the server says during it is served already, because servers log and ping before they are asked
//! anything.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{INVALID_PARAMS, RequestId, RpcError, RpcResultBuf, encode_request};
use vestibule_protocol::mcp::{CacheHint, Implementation, InitializeResult};
use vestibule_protocol::modern::supported_versions;

use super::{Negotiated, OpenFailure, refusal};
use crate::capabilities::{capabilities_for, client_for};
use crate::error::CallError;
use crate::link::{Link, RequestExchange, read_result_as};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams<'a> {
    protocol_version: Revision,
    capabilities: &'a Value,
    client_info: &'a Implementation,
}

pub(super) async fn handshake(
    link: &Link,
    offered: Revision,
    end: Instant,
) -> Result<Negotiated, OpenFailure> {
    let (offered, answer) = propose(link, offered.min(Revision::NEWEST_HANDSHAKE), end).await?;
    let answer: InitializeResult = read_result_as(&answer)?;
    // A handshake cannot agree on a revision without one.
    let agreed = answer.protocol_version.parse().ok();
    match agreed.filter(|revision: &Revision| !revision.is_modern()) {
        Some(revision) => Ok(negotiated(revision, answer)),
        None => Err(OpenFailure::Unsupported {
            offered,
            answered: answer.protocol_version,
        }),
    }
}

/// Proposes a revision, and where the server names another one that we speak, that one. Returns the last proposal
/// and the answer to it.
async fn propose(
    link: &Link,
    offered: Revision,
    end: Instant,
) -> Result<(Revision, RpcResultBuf), OpenFailure> {
    let error = match initialize(link, offered, end).await {
        Err(CallError::Rpc(error)) => error,
        other => return Ok((offered, other?)),
    };
    let names = supported(&error);
    let other = names
        .as_deref()
        .and_then(common)
        .filter(|other| *other != offered);
    match other {
        Some(other) => Ok((other, initialize(link, other, end).await?)),
        None => Err(refusal(offered, error, names)),
    }
}

fn negotiated(revision: Revision, answer: InitializeResult) -> Negotiated {
    Negotiated {
        revision,
        server: answer.server_info,
        capabilities: answer.capabilities,
        instructions: answer.instructions,
        cache: CacheHint::default(),
    }
}

async fn initialize(link: &Link, offered: Revision, end: Instant) -> Result<RpcResultBuf, CallError> {
    let params = InitializeParams {
        protocol_version: offered,
        capabilities: &capabilities_for(offered, &link.options.capabilities),
        client_info: &client_for(offered, &link.options.client),
    };
    let id = link.fresh_id();
    let frame = encode_request(&RequestId::Number(id), "initialize", Some(&params))
        .map_err(|error| CallError::NotSendable(error.to_string()))?;
    let exchange = RequestExchange {
        id,
        method: "initialize",
        frame,
        headers: Vec::new(),
        timeout: end.saturating_duration_since(Instant::now()),
        progress: None,
        opening: true,
        keeps_progress: false,
    };
    link.exchange(exchange).await
}

/// The revisions the server names in a refusal of ours, in the words of either era.
fn supported(error: &RpcError) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_ref().filter(|_| error.code == INVALID_PARAMS);
    data.and_then(|data| serde_json::from_str::<Data>(data.get()).ok())
        .map(|data| data.supported)
        .or_else(|| supported_versions(error))
}

/// The newest of these that a handshake can agree on.
pub(super) fn common(names: &[String]) -> Option<Revision> {
    let known = names.iter().filter_map(|name| name.parse().ok());
    known.filter(|revision: &Revision| !revision.is_modern()).max()
}
