//! How to sign in to one server, where the usual way is not enough: a client id somebody entered, credentials of the
//! application in place of a page, tokens bound to a key. Secrets travel inwards only.

use serde::{Deserialize, Serialize};

/// How to sign in to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct SignInSettings {
    /// How access is got.
    pub method: SignInMethod,
    /// A client id somebody got from an issuer. It is shown to that issuer alone.
    pub client: Option<EnteredClientView>,
    /// Whether access is bound to a key on this computer where the issuer offers that.
    pub bound: bool,
}

/// How access is got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    /// The person signs in on a page.
    #[default]
    Page,
    /// With the entered client and its secret.
    ClientSecret,
    /// With the entered client and a private key in PEM, signed with ES256.
    ClientKey,
}

/// A client id somebody entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct EnteredClientView {
    /// Whose it is, exactly as the issuer calls itself.
    pub issuer: String,
    /// The id.
    pub id: String,
    /// The port of its redirect address, where the issuer insists on one.
    pub port: Option<u16>,
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self {
            method: SignInMethod::Page,
            client: None,
            bound: true,
        }
    }
}
