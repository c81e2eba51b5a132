//! A frame on its way out. The session knows what it wrote, so it says here what a transport may need to know
//! of it; nothing is parsed a second time. Pipes use the bytes alone. HTTP also needs the kind, because each
//! request is an exchange of its own, and in the modern shape what of it stands in the headers.

use std::borrow::Cow;

use vestibule_protocol::jsonrpc::RequestId;

/// A frame on its way out.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// One JSON-RPC message as UTF-8, without line breaks.
    pub frame: Vec<u8>,
    pub kind: OutgoingKind,
}

/// What a frame is.
#[derive(Clone, Debug)]
pub enum OutgoingKind {
    /// A request, which is owed an answer or [`Incoming::RequestFailed`](crate::Incoming::RequestFailed).
    Request {
        id: RequestId,
        method: Cow<'static, str>,
        /// Whether it opens a session: `initialize`, or the probe for the era before it.
        opening: bool,
        /// Every header of a modern request with its value, encoded already: `MCP-Protocol-Version`,
        /// `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`. Empty for a request of the handshake revisions. Wires
        /// without headers leave them out.
        headers: Vec<(String, String)>,
    },
    Notification {
        method: Cow<'static, str>,
    },
    /// The answer to a request of the server.
    Response {
        /// The id the server gave.
        id: RequestId,
        /// The server refused it before.
        again: bool,
    },
}

impl Outgoing {
    /// A request of the handshake revisions.
    #[must_use]
    pub fn request(frame: Vec<u8>, id: RequestId, method: impl Into<Cow<'static, str>>) -> Self {
        let kind = OutgoingKind::Request {
            id,
            method: method.into(),
            opening: false,
            headers: Vec::new(),
        };
        Self { frame, kind }
    }

    /// The request that opens a session of the handshake revisions.
    #[must_use]
    pub fn opening(frame: Vec<u8>, id: RequestId, method: impl Into<Cow<'static, str>>) -> Self {
        let kind = OutgoingKind::Request {
            id,
            method: method.into(),
            opening: true,
            headers: Vec::new(),
        };
        Self { frame, kind }
    }

    #[must_use]
    pub fn notification(frame: Vec<u8>, method: impl Into<Cow<'static, str>>) -> Self {
        let kind = OutgoingKind::Notification {
            method: method.into(),
        };
        Self { frame, kind }
    }

    /// The answer to a request of the server.
    #[must_use]
    pub fn response(frame: Vec<u8>, id: RequestId) -> Self {
        Self {
            frame,
            kind: OutgoingKind::Response { id, again: false },
        }
    }

    /// An answer that came back as [`Incoming::AnswerRefused`](crate::Incoming::AnswerRefused), once more.
    #[must_use]
    pub fn response_again(frame: Vec<u8>, id: RequestId) -> Self {
        Self {
            frame,
            kind: OutgoingKind::Response { id, again: true },
        }
    }
}
