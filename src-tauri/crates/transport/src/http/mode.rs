//! Which of the transports over HTTP a server speaks, and how a request goes over it. It is settled while the session
//! opens and never after.

use super::exchange::Exchange;
use super::{Shape, old};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Streamable {
        may_be_old: bool,
    },
    /// To be opened with the opening request.
    OldClosed,
    Old,
}

impl From<Shape> for Mode {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Either => Self::Streamable { may_be_old: true },
            Shape::Streamable => Self::Streamable { may_be_old: false },
            Shape::Old => Self::OldClosed,
        }
    }
}

impl Mode {
    pub(super) fn is_streamable(self) -> bool {
        matches!(self, Self::Streamable { .. })
    }

    /// Whether the server may turn out to speak the first revision's transport.
    pub(super) fn may_be_old(self) -> bool {
        self == Self::Streamable { may_be_old: true }
    }

    /// Sends a request and stays with it as long as this transport does.
    pub(super) async fn carry(self, exchange: Exchange, frame: Vec<u8>) {
        match self {
            Self::Streamable { .. } => exchange.run(frame).await,
            Self::OldClosed => old::begin(exchange.way, exchange.id, frame).await,
            Self::Old => old::post(exchange.way, exchange.id, frame).await,
        }
    }
}
