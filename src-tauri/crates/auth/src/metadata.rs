//! The two documents a sign-in rests on: what a server says about itself (RFC 9728) and what an authorization
//! server says about itself (RFC 8414, OpenID Connect Discovery). A document that was read has been checked:
//! who it is about is compared as plain text, every address in it may be used. Where to look is elsewhere.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::error::{AuthError, Step, quoted};
use crate::scope::Scopes;
use crate::wire::AuthHttp;

/// How many authorization servers a server may name.
const MAX_SERVERS: usize = 8;

/// What a server says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceMetadata {
    pub(crate) resource: String,
    pub(crate) authorization_servers: Vec<String>,
    pub(crate) scopes_supported: Scopes,
    /// Whether it takes tokens that are bound to a key of ours.
    pub(crate) takes_proofs: bool,
}

/// What an authorization server says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IssuerMetadata {
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: Option<Url>,
    pub(crate) token_endpoint: Url,
    pub(crate) registration_endpoint: Option<Url>,
    pub(crate) revocation_endpoint: Option<Url>,
    pub(crate) names_itself: bool,
    pub(crate) reads_documents: bool,
    pub(crate) challenge_methods: Option<Vec<String>>,
    pub(crate) auth_methods: Option<Vec<String>>,
    pub(crate) auth_algorithms: Option<Vec<String>>,
    pub(crate) grant_types: Option<Vec<String>>,
    pub(crate) grant_profiles: Vec<String>,
    pub(crate) scopes_supported: Scopes,
    pub(crate) dpop_algorithms: Vec<String>,
    /// Which `prompt` values its page accepts.
    pub(crate) prompts: Option<Vec<String>>,
    /// False for the endpoints the revision of 2025-03-26 prescribes where nothing is documented.
    pub(crate) documented: bool,
}

/// As in the other document, null means the same as a member that is left out.
#[derive(Deserialize)]
struct ResourceDocument {
    resource: String,
    authorization_servers: Option<Vec<String>>,
    scopes_supported: Option<Vec<String>>,
    dpop_signing_alg_values_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ServerDocument {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    authorization_response_iss_parameter_supported: Option<bool>,
    client_id_metadata_document_supported: Option<bool>,
    code_challenge_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    grant_types_supported: Option<Vec<String>>,
    authorization_grant_profiles_supported: Option<Vec<String>>,
    scopes_supported: Option<Vec<String>>,
    dpop_signing_alg_values_supported: Option<Vec<String>>,
    prompt_values_supported: Option<Vec<String>>,
}

impl ResourceMetadata {
    /// The document, if it is about one of these resources.
    pub(crate) fn from_document(document: Value, about: &[String]) -> Result<Self, AuthError> {
        const STEP: Step = Step::Resource;
        let document: ResourceDocument = shaped(STEP, document)?;
        if !about.contains(&document.resource) {
            let expected = about.first().map_or("", String::as_str);
            return Err(AuthError::mismatch(
                STEP,
                "the resource the server's description is about",
                expected,
                &document.resource,
            ));
        }
        let mut servers = document.authorization_servers.unwrap_or_default();
        servers.truncate(MAX_SERVERS);
        Ok(Self {
            resource: document.resource,
            authorization_servers: servers,
            scopes_supported: document.scopes_supported.unwrap_or_default().into(),
            takes_proofs: proves(&document.dpop_signing_alg_values_supported.unwrap_or_default()),
        })
    }
}

impl IssuerMetadata {
    /// The document, if it is about this issuer.
    pub(crate) fn from_document(wire: &AuthHttp, document: Value, issuer: &str) -> Result<Self, AuthError> {
        const STEP: Step = Step::Server;
        let document: ServerDocument = shaped(STEP, document)?;
        if document.issuer != issuer {
            return Err(AuthError::mismatch(
                STEP,
                "the issuer the authorization server calls itself",
                issuer,
                &document.issuer,
            ));
        }
        let endpoint = |what: &str, text: &str| wire.address(STEP, what, text);
        let maybe = |what: &str, text: Option<String>| text.map(|text| endpoint(what, &text)).transpose();
        Ok(Self {
            authorization_endpoint: maybe("the sign-in page", document.authorization_endpoint)?,
            token_endpoint: endpoint("the token endpoint", &document.token_endpoint)?,
            registration_endpoint: maybe("the registration endpoint", document.registration_endpoint)?,
            revocation_endpoint: maybe("the revocation endpoint", document.revocation_endpoint)?,
            issuer: document.issuer,
            names_itself: document
                .authorization_response_iss_parameter_supported
                .unwrap_or_default(),
            reads_documents: document.client_id_metadata_document_supported.unwrap_or_default(),
            challenge_methods: document.code_challenge_methods_supported,
            auth_methods: document.token_endpoint_auth_methods_supported,
            auth_algorithms: document.token_endpoint_auth_signing_alg_values_supported,
            grant_types: document.grant_types_supported,
            grant_profiles: document
                .authorization_grant_profiles_supported
                .unwrap_or_default(),
            scopes_supported: document.scopes_supported.unwrap_or_default().into(),
            dpop_algorithms: document.dpop_signing_alg_values_supported.unwrap_or_default(),
            prompts: document.prompt_values_supported,
            documented: true,
        })
    }

    /// The endpoints of 2025-03-26 where nothing is documented.
    pub(crate) fn undocumented(wire: &AuthHttp, base: &Url) -> Result<Self, AuthError> {
        let issuer = base.origin().ascii_serialization();
        let endpoint = |path: &str| {
            let text = format!("{issuer}{path}");
            wire.address(Step::Server, "the prescribed endpoint", &text)
        };
        Ok(Self {
            authorization_endpoint: Some(endpoint("/authorize")?),
            token_endpoint: endpoint("/token")?,
            registration_endpoint: Some(endpoint("/register")?),
            revocation_endpoint: None,
            names_itself: false,
            reads_documents: false,
            challenge_methods: None,
            auth_methods: None,
            auth_algorithms: None,
            grant_types: None,
            grant_profiles: Vec::new(),
            scopes_supported: Scopes::default(),
            dpop_algorithms: Vec::new(),
            prompts: None,
            documented: false,
            issuer,
        })
    }

    /// Whether it says that it checks the proof that protects codes.
    pub(crate) fn has_pkce(&self) -> bool {
        listed(self.challenge_methods.as_deref(), "S256")
    }

    /// How its page is asked not to reuse the last account. OpenID Connect has one word for that; where
    /// nothing says that it is known it is left out, because some refuse what they do not know.
    pub(crate) fn another(&self) -> Option<&'static str> {
        let known = |prompt: &&str| match &self.prompts {
            Some(prompts) => listed(Some(prompts), prompt),
            None => *prompt == "login" && self.scopes_supported.contains("openid"),
        };
        ["select_account", "login"].into_iter().find(known)
    }
}

/// Whether the algorithm of our proofs is among these.
pub(crate) fn proves(algorithms: &[String]) -> bool {
    listed(Some(algorithms), "ES256")
}

/// Whether a list is there and holds this.
pub(crate) fn listed(list: Option<&[String]>, wanted: &str) -> bool {
    list.is_some_and(|list| list.iter().any(|entry| entry == wanted))
}

fn shaped<T: DeserializeOwned>(step: Step, document: Value) -> Result<T, AuthError> {
    serde_json::from_value(document).map_err(|error| {
        let why = format!(
            "the document is not as it should be: {}",
            quoted(&error.to_string())
        );
        AuthError::malformed(step, why)
    })
}
