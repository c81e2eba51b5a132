//! How to sign in to one server, where the usual way is not enough: an entered client id, a document about this
//! application, credentials or assertions in place of a page, tokens bound to a key. Secrets travel inwards only.

use serde::{Deserialize, Serialize};

/// How to sign in to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct SignInSettings {
    /// How access is got.
    pub method: SignInMethod,
    /// A client id from an issuer. It is shown to that issuer alone.
    pub client: Option<EnteredClientView>,
    /// Whether access is bound to a key on this computer where issuer and server offer that.
    pub bound: bool,
    /// The address of a document about this application, for issuers that read one.
    #[serde(default)]
    pub document: Option<String>,
    /// What is known of the private key of `client_key`.
    #[serde(default)]
    pub key: SigningKeyView,
    /// The company's identity provider, for `enterprise`.
    #[serde(default)]
    pub company: Option<CompanyView>,
    /// The file that holds the identity token of `enterprise` or the platform's token of `workload`. It is read each time
    /// one is needed.
    #[serde(default)]
    pub token_file: Option<String>,
}

/// How access is got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    /// The user signs in on a page.
    #[default]
    Page,
    /// With the entered client and its secret.
    ClientSecret,
    /// With the entered client and a private key in PEM.
    ClientKey,
    /// With an assertion of the company's identity provider, redeemed by the entered client.
    Enterprise,
    /// With a token of the platform this runs on.
    Workload,
}

/// An entered client id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct EnteredClientView {
    /// Whose it is, exactly as the issuer calls itself.
    pub issuer: String,
    pub id: String,
    /// The port of its redirect address, where the issuer insists on one.
    pub port: Option<u16>,
}

/// What is said of a private key beside itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct SigningKeyView {
    /// What it signs with.
    pub algorithm: SigningAlgorithm,
    /// The name the issuer knows it by.
    pub id: Option<String>,
}

/// What a private key signs with, by its JOSE name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub enum SigningAlgorithm {
    #[default]
    ES256,
    ES384,
    /// RSA, PKCS #1 v1.5.
    RS256,
    PS256,
    EdDSA,
}

/// What an administrator says about the company's identity provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct CompanyView {
    pub issuer: String,
    /// Where identity tokens are exchanged.
    pub token_endpoint: String,
    /// The client id of this application there.
    pub client: String,
}

/// Secrets that are set with the settings. One that is left out or empty stays where the settings still name whom it was
/// entered for, and is removed otherwise. They cannot be printed.
#[derive(Clone, Default, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct SignInSecrets {
    /// The secret or the private key of the entered client.
    pub client: Option<String>,
    /// The secret of this application at the company's identity provider.
    pub company: Option<String>,
}

/// What ways to get access an authorization server says it has, besides a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct SignInOffers {
    /// Credentials of the application itself.
    pub client_credentials: bool,
    /// A company's identity provider.
    pub enterprise: bool,
    /// A token of the platform.
    pub workload: bool,
    /// A document about the application in place of a registration.
    pub documents: bool,
}

impl SigningAlgorithm {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ES256 => "ES256",
            Self::ES384 => "ES384",
            Self::RS256 => "RS256",
            Self::PS256 => "PS256",
            Self::EdDSA => "EdDSA",
        }
    }
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self {
            method: SignInMethod::Page,
            client: None,
            bound: true,
            document: None,
            key: SigningKeyView::default(),
            company: None,
            token_file: None,
        }
    }
}
