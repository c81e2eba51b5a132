//! Which of the transports over HTTP a server speaks, and how a request goes over it. It is settled while the session
//! opens and never after.

use super::exchange::HttpExchange;
use super::{HttpVariant, http_sse};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpMode {
    Streamable {
        may_be_old: bool,
    },
    /// To be opened with the opening request.
    OldClosed,
    HttpSse,
}

impl From<HttpVariant> for HttpMode {
    fn from(shape: HttpVariant) -> Self {
        match shape {
            HttpVariant::Either => Self::Streamable { may_be_old: true },
            HttpVariant::Streamable => Self::Streamable { may_be_old: false },
            HttpVariant::Old => Self::OldClosed,
        }
    }
}

impl HttpMode {
    pub(super) fn is_streamable(self) -> bool {
        matches!(self, Self::Streamable { .. })
    }

    /// Whether the server may turn out to speak the first revision's transport.
    pub(super) fn may_be_http_sse(self) -> bool {
        self == Self::Streamable { may_be_old: true }
    }

    /// Sends a request and stays with it as long as this transport does.
    pub(super) async fn carry(self, exchange: HttpExchange, frame: Vec<u8>) {
        match self {
            Self::Streamable { .. } => exchange.run(frame).await,
            Self::OldClosed => http_sse::begin_session(exchange.context, exchange.id, frame).await,
            Self::HttpSse => http_sse::post(exchange.context, exchange.id, frame).await,
        }
    }
}
