//! What a card says of a connection to an address: where it leads, how, what is sent along, and what deserves a
//! second look. Values of headers are secrets and never stand here.

use serde::Serialize;
use vestibule_protocol::TransportChoice;

/// What will be connected to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Connection {
    /// The whole address, to the letter.
    pub address: String,
    /// Scheme, host and port: where everything goes.
    pub origin: String,
    /// The part of the host that somebody registered ("example.com"), or the whole host where there is none.
    pub site: String,
    /// Which transport is spoken.
    pub transport: TransportChoice,
    /// The names of the headers that are sent along; values are secrets.
    pub headers: Vec<String>,
    /// What deserves a second look.
    pub warnings: Vec<ConnectionWarning>,
    /// Whether an earlier permission ended because something here changed.
    pub changed: bool,
}

/// Something about an address that deserves a second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionWarning {
    /// Without TLS: whoever is on the way can read and change everything.
    NotEncrypted,
    /// It is this computer, where any program may be listening.
    ThisComputer,
    /// It is in the network around this computer.
    PrivateNetwork,
    /// It is a number, not a name: nobody vouches for who is there.
    BareAddress,
    /// Letters of the name look like others.
    MixedLetters,
    /// The address carries values that may be secrets.
    SecretInAddress,
}
