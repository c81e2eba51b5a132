//! Opening a session: find out which era the server speaks, agree on a revision, learn what the server can do.
//! A server of unknown era is asked in the modern way first, because only a modern server understands that
//! and a legacy one answers with some error, whatever it is; then comes the handshake. An error that only a
//! modern server can have meant is never taken for a legacy server. Where the transport shows a legacy server, the
//! handshake comes at once.

mod legacy;
mod modern;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use vestibule_protocol::EraChoice;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::RpcError;
use vestibule_protocol::mcp::{CacheHint, Implementation, ServerCapabilities};
use vestibule_protocol::modern::SubscriptionFilter;
use vestibule_transport::{CloseCause, CloseReason, Transport, Wire};

use crate::capabilities::{cut_bytes, cut_names};
use crate::engine;
use crate::error::{CallError, OpenError};
use crate::event::SessionEvent;
use crate::handle::{SessionHandle, SessionInfo};
use crate::link::Link;
use crate::message::SessionSignal;
use crate::options::SessionOptions;
use modern::Probe;

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
    let wire = transport.wire();
    let ids = Arc::new(AtomicI64::new(1));
    let ends = engine::start(transport, &options, events, Arc::clone(&ids));
    let link = Link::new(ends, options, wire, ids);
    let opened = match agree(&link).await {
        Ok(agreed) => settle(&link, agreed).await.map_err(OpenFailure::Call),
        Err(failure) => Err(failure),
    };
    match opened {
        Ok(info) => Ok(SessionHandle::new(info, link)),
        Err(failure) => Err(close_after(failure, &link).await),
    }
}

/// Ends the connection, unless it has ended, and says why the session did not open.
async fn close_after(failure: OpenFailure, link: &Link) -> OpenError {
    match failure {
        OpenFailure::Call(error) => OpenError::from_call(error, link.close().await),
        OpenFailure::EndedByProbe(reason) => OpenError::EndedByProbe(reason),
        OpenFailure::Unsupported { offered, answered } => {
            link.close().await;
            OpenError::Unsupported {
                offered,
                answered: cut(&answered),
            }
        }
    }
}

/// What a server and we agreed on, as the server said it.
struct Negotiated {
    revision: Revision,
    server: Implementation,
    capabilities: ServerCapabilities,
    instructions: Option<String>,
    cache: CacheHint,
}

enum OpenFailure {
    Call(CallError),
    EndedByProbe(CloseReason),
    Unsupported { offered: Revision, answered: String },
}

impl From<CallError> for OpenFailure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl OpenFailure {
    fn unsupported(offered: Revision, names: &[String]) -> Self {
        Self::Unsupported {
            offered,
            answered: names.join(", "),
        }
    }
}

async fn agree(link: &Link) -> Result<Negotiated, OpenFailure> {
    let end = Instant::now() + link.options.start_timeout;
    match link.options.era {
        EraChoice::Legacy => legacy::handshake(link, link.options.offer, end).await,
        // Only the first revision has this transport, and its servers may keep silent about the probe or end.
        EraChoice::Auto if link.wire == Wire::HttpSse => {
            legacy::handshake(link, link.options.offer, end).await
        }
        EraChoice::Modern => match modern::probe(link, end).await? {
            Probe::Modern(agreed) => Ok(agreed),
            Probe::Older(names) => Err(OpenFailure::unsupported(Revision::NEWEST, &names)),
            Probe::Legacy(error) => Err(error.into()),
            Probe::Silent(after) => Err(CallError::TimedOut { after }.into()),
        },
        EraChoice::Auto => find_out(link, end).await,
    }
}

async fn find_out(link: &Link, end: Instant) -> Result<Negotiated, OpenFailure> {
    match first_probe(link, end).await? {
        Probe::Modern(agreed) => Ok(agreed),
        Probe::Legacy(_) => legacy::handshake(link, link.options.offer, end).await,
        // A server that names only older revisions knows what it says.
        Probe::Older(names) => match legacy::common(&names) {
            Some(revision) => legacy::handshake(link, revision, end).await,
            None => Err(OpenFailure::unsupported(Revision::NEWEST, &names)),
        },
        Probe::Silent(_) if link.wire == Wire::Stream => handshake_after_silence(link, end).await,
        Probe::Silent(after) => Err(CallError::TimedOut { after }.into()),
    }
}

/// Probes a server of unknown era. Over a stream it gets less time, and may end because of the probe.
async fn first_probe(link: &Link, end: Instant) -> Result<Probe, OpenFailure> {
    if link.wire != Wire::Stream {
        return modern::probe(link, end).await;
    }
    let patience = end.min(Instant::now() + link.options.probe_timeout);
    match modern::probe(link, patience).await {
        Err(OpenFailure::Call(CallError::Closed(reason))) if reason.cause == CloseCause::Ended => {
            Err(OpenFailure::EndedByProbe(reason))
        }
        outcome => outcome,
    }
}

/// The handshake with a server that did not answer the probe.
async fn handshake_after_silence(link: &Link, end: Instant) -> Result<Negotiated, OpenFailure> {
    match legacy::handshake(link, link.options.offer, end).await {
        // It had not begun to listen when it was asked; a modern server refuses the handshake, or answers it with a
        // modern revision.
        Err(refused @ (OpenFailure::Call(CallError::Rpc(_)) | OpenFailure::Unsupported { .. })) => {
            match modern::probe(link, end).await {
                Ok(Probe::Modern(agreed)) => Ok(agreed),
                _ => Err(refused),
            }
        }
        outcome => outcome,
    }
}

/// Tells the task what was agreed, before anything that the server may say under the agreement is read.
async fn settle(link: &Link, agreed: Negotiated) -> Result<SessionInfo, CallError> {
    let wire = tell_opened(link, &agreed).await?;
    if !agreed.revision.is_modern() {
        link.notify("notifications/initialized").await?;
    }
    // Only this code sets it.
    let _ = link.agreed.set(agreed.revision);
    let limits = &link.options.limits;
    Ok(SessionInfo {
        revision: agreed.revision,
        wire,
        server: cut_names(agreed.server, limits.name_bytes),
        capabilities: agreed.capabilities,
        instructions: agreed
            .instructions
            .map(|text| cut_bytes(text, limits.instructions_bytes)),
        cache: agreed.cache,
    })
}

/// Tells the task what was agreed. Returns the wire that the session then uses.
async fn tell_opened(link: &Link, agreed: &Negotiated) -> Result<Wire, CallError> {
    let (wire_sender, wire) = oneshot::channel();
    // Fails only when the session has ended, which shows below.
    let _ = link.signals.send(SessionSignal::Opened {
        revision: agreed.revision,
        changes: changes(&agreed.capabilities),
        wire: wire_sender,
    });
    match wire.await {
        Ok(wire) => Ok(wire),
        Err(_) => Err(CallError::Closed(link.closed().await)),
    }
}

/// The changes a server says it can tell of.
fn changes(capabilities: &ServerCapabilities) -> SubscriptionFilter {
    let announces =
        |list: Option<vestibule_protocol::mcp::ListCapability>| list.is_some_and(|list| list.list_changed);
    SubscriptionFilter {
        tools_list_changed: announces(capabilities.tools),
        prompts_list_changed: announces(capabilities.prompts),
        resources_list_changed: announces(capabilities.resources),
        ..SubscriptionFilter::default()
    }
}

/// A refusal that is about revisions.
fn refusal(offered: Revision, error: RpcError, names: Option<Vec<String>>) -> OpenFailure {
    match names {
        Some(names) => OpenFailure::unsupported(offered, &names),
        None => CallError::Rpc(error).into(),
    }
}

fn cut(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_REVISION_CHARS)
        .collect()
}
