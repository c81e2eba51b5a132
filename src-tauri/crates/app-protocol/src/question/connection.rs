//! What a card says of a connection to an address: where it leads, how, what is sent along, and what deserves a
//! second look.

use serde::Serialize;
use vestibule_policy::inspect::UrlInspection;
use vestibule_protocol::TransportChoice;

use super::NamedValue;

/// What will be connected to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Connection {
    /// The whole address, to the letter and taken apart, with what is odd about it.
    pub inspection: UrlInspection,
    /// Scheme, host and port: where everything goes.
    pub origin: String,
    /// Which transport is spoken.
    pub transport: TransportChoice,
    /// The headers that are sent along.
    pub headers: Vec<NamedValue>,
    /// The proxy everything goes through, where there is one: scheme, host and port.
    pub proxy: Option<String>,
    /// Whether the address carries values of its own, which may be secrets.
    pub carries_values: bool,
    /// Whether an earlier permission ended because something here changed.
    pub changed: bool,
}
