//! The probe that shows the era of a server and, where it is a modern one, what it can do. Only an answer
//! that is a discovery, or an error that only a modern server can have meant, counts as modern; whatever else
//! comes back, in whatever form, is a legacy server's way of not understanding.

use std::time::Duration;

use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::{RpcError, RpcResult, RpcResultBuf};
use vestibule_protocol::modern::{DiscoverResult, ResultKind, supported_versions};
use vestibule_transport::RequestFailure;

use super::{Negotiated, OpenFailure};
use crate::ask::standalone;
use crate::error::CallError;
use crate::link::{Link, RequestExchange};

pub(crate) const DISCOVER: &str = "server/discover";

/// What the probe showed.
pub(super) enum Probe {
    /// A modern server, and what it said.
    Modern(Negotiated),
    /// A server that knows the modern way and speaks only these revisions, none of them modern and known to us.
    Older(Vec<String>),
    /// Something that only a legacy server does.
    Legacy(CallError),
    /// Nothing, for this long.
    Silent(Duration),
}

/// Sends the probe. An error is one that says nothing about the era.
pub(super) async fn probe(link: &Link, end: Instant) -> Result<Probe, OpenFailure> {
    let answer = match discover(link, end).await {
        // There is only one modern revision so far: a server that names it gets it once more.
        Err(CallError::Rpc(error)) if names_ours(&error) => discover(link, end).await,
        answer => answer,
    };
    match answer {
        Ok(result) => Ok(read_probe(result.as_result())),
        Err(CallError::Rpc(error)) if error.is_modern() => read_refusal(error),
        Err(error @ (CallError::Rpc(_) | CallError::Malformed(_))) => Ok(Probe::Legacy(error)),
        Err(CallError::NotAnswered(failure)) if is_from_a_server(&failure) => {
            Ok(Probe::Legacy(CallError::NotAnswered(failure)))
        }
        Err(CallError::TimedOut { after }) => Ok(Probe::Silent(after)),
        Err(other) => Err(other.into()),
    }
}

/// Whether a modern server refuses with the revision that it was asked in among those it speaks.
fn names_ours(error: &RpcError) -> bool {
    error.is_modern() && supported_versions(error).is_some_and(|names| speaks_modern(&names))
}

/// What the refusal of a modern server shows.
fn read_refusal(error: RpcError) -> Result<Probe, OpenFailure> {
    match supported_versions(&error) {
        Some(names) if speaks_modern(&names) => Err(OpenFailure::unsupported(Revision::NEWEST, &names)),
        Some(names) => Ok(Probe::Older(names)),
        None => Err(CallError::Rpc(error).into()),
    }
}

/// A status that is neither a demand to sign in nor a redirect nor a request to wait.
fn is_from_a_server(failure: &RequestFailure) -> bool {
    let waits = failure.challenge.is_some() || failure.moved.is_some() || failure.retry_after.is_some();
    failure.status.is_some() && !waits
}

async fn discover(link: &Link, end: Instant) -> Result<RpcResultBuf, CallError> {
    let id = link.fresh_id();
    let (frame, headers) = standalone(
        id,
        DISCOVER,
        None::<&()>,
        Revision::NEWEST,
        &link.options,
        link.wire,
    )?;
    let exchange = RequestExchange {
        id,
        method: DISCOVER,
        frame,
        headers,
        timeout: end.saturating_duration_since(Instant::now()),
        progress: None,
        opening: true,
        keeps_progress: false,
    };
    link.exchange(exchange).await
}

fn read_probe(result: RpcResult<'_>) -> Probe {
    let cache = match ResultKind::read(result) {
        Ok(ResultKind::Complete(cache)) => cache,
        Ok(ResultKind::InputRequired(_) | ResultKind::Task) => {
            return Probe::Legacy(CallError::Malformed("a discovery needs no input".into()));
        }
        Err(error) => return Probe::Legacy(CallError::Malformed(error.0)),
    };
    match result.raw().read::<DiscoverResult>() {
        Ok(discovered) if speaks_modern(&discovered.supported_versions) => Probe::Modern(Negotiated {
            revision: Revision::NEWEST,
            server: discovered.server_info().clone(),
            capabilities: discovered.capabilities,
            instructions: discovered.instructions,
            cache,
        }),
        Ok(discovered) => Probe::Older(discovered.supported_versions),
        Err(error) => Probe::Legacy(CallError::Malformed(error.to_string())),
    }
}

fn speaks_modern(names: &[String]) -> bool {
    names.iter().any(|name| name == Revision::NEWEST.as_str())
}
