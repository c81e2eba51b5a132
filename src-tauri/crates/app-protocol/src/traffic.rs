//! What passed between Vestibule and a server, message by message, for the traffic view.

use serde::Serialize;

/// A message and, where it was a request, what came back.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ExchangeView {
    /// Counts up by one an exchange.
    #[ts(type = "number")]
    pub number: u64,
    /// When, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at_ms: i64,
    pub from: Side,
    /// The method; `None` where the message names none.
    pub method: Option<String>,
    pub message: MessageView,
    /// What became of it.
    pub outcome: Outcome,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Us,
    Server,
}

/// A message as it was on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct MessageView {
    pub text: String,
    /// How long it is as a whole, in bytes.
    #[ts(type = "number")]
    pub bytes: usize,
    /// Whether `text` is all of it.
    pub whole: bool,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It wants no answer.
    Told,
    /// It was not answered yet.
    Waiting,
    Answered {
        /// With the error of the protocol rather than a result.
        is_error: bool,
        /// How long it took, in milliseconds.
        took_ms: u32,
        answer: MessageView,
    },
    /// There is no answer.
    Unanswered {
        detail: String,
        /// After how long, in milliseconds.
        took_ms: u32,
    },
}

/// The traffic that is new since some change.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct TrafficPage {
    /// New or changed exchanges, oldest first.
    pub exchanges: Vec<ExchangeView>,
    /// The change up to which this goes; what comes later is asked for with it.
    #[ts(type = "number")]
    pub upto: u64,
    /// The oldest exchange that is still kept; older ones were dropped.
    #[ts(type = "number")]
    pub oldest: u64,
}
