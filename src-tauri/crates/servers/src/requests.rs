//! What servers want from the client: one stream for all servers, in the order in which each server asked. Nothing here
//! answers a request; the reader of the stream does.

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use vestibule_consent::Cause;
use vestibule_session::{RequiredPage, Responder, ServerRequest, ServerRequestKind, SessionHandle};

use super::call::context::CallContext;
use super::server::handle::ServerHandle;

/// One item of the stream.
pub struct ClientRequest {
    pub server: ServerHandle,
    /// The span of the session it came over.
    pub span: tracing::Span,
    pub body: ClientRequestBody,
}

pub enum ClientRequestBody {
    Request(IncomingRequest),
    /// Requests that were answered "not now" already, because too many wait.
    TurnedAway {
        kind: ServerRequestKind,
        times: u32,
    },
    /// The server reports that the user has finished with a page.
    UrlCompleted {
        elicitation_id: String,
    },
    VisitPages(PageVisits),
}

/// A request of a server, and everything it takes to answer it.
pub struct IncomingRequest {
    pub request: ServerRequest,
    pub reply: Responder,
    pub session: SessionHandle,
    /// Cancelled when the session has ended.
    pub session_over: CancellationToken,
    /// The call it belongs to; `None` where there is none, or where that is not known.
    pub context: Option<CallContext>,
}

/// Pages that the user has to visit before a request is sent again. Dropping the receiver of `visited` withdraws them.
pub struct PageVisits {
    pub pages: Vec<RequiredPage>,
    pub cause: Option<Cause>,
    pub session_over: CancellationToken,
    /// Whether all of them were visited.
    pub visited: oneshot::Sender<bool>,
}
