//! Tokens without a page: with credentials of the application, with an assertion of the company's identity
//! provider (an ID-JAG: exchanged there, redeemed at the server's authorization server), or with a token of the
//! platform. One grant is configured and there is no falling back to another.

use std::time::SystemTime;

use secrecy::ExposeSecret;
use url::Url;

use crate::client::{Client, Credential};
use crate::dpop::{DpopKey, Nonces};
use crate::error::{AuthError, Reason, Step};
use crate::metadata::{IssuerMetadata, listed};
use crate::registration::{ClientChoice, entered, known};
use crate::scope::Scopes;
use crate::settings::{AuthSettings, Enterprise, Grant};
use crate::token::TokenEndpoint;
use crate::user_agent::{Assertion, AssertionFile};
use crate::wire::{AuthHttp, FormFields};
use vestibule_app_protocol::{SignInClient, SignInOffers, SignInWay};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_JAG_PROFILE: &str = "urn:ietf:params:oauth:grant-profile:id-jag";

/// How the token is got, for showing.
pub(super) fn way(settings: &AuthSettings, wire: &AuthHttp) -> Result<SignInWay, AuthError> {
    Ok(match &settings.grant {
        Grant::Page => SignInWay::Page,
        Grant::ClientCredentials { .. } => SignInWay::ClientCredentials,
        Grant::Enterprise(enterprise) => SignInWay::Enterprise {
            identity_provider: identity_provider(wire, enterprise)?.server.to_string(),
        },
        Grant::Workload(_) => SignInWay::Workload,
    })
}

/// The file whose content this grant sends.
pub(super) async fn assertion_file(grant: &Grant) -> Result<Option<AssertionFile>, AuthError> {
    let source = match grant {
        Grant::Page | Grant::ClientCredentials { .. } => return Ok(None),
        Grant::Enterprise(enterprise) => &enterprise.identity,
        Grant::Workload(workload) => workload,
    };
    let file = source.file().await;
    file.map_err(|why| AuthError::new(Step::Identification, Reason::Local(why)))
}

/// What ways there are besides a page.
pub(super) fn offers(server: &IssuerMetadata) -> SignInOffers {
    let grants = server.grant_types.as_deref();
    SignInOffers {
        client_credentials: listed(grants, "client_credentials"),
        enterprise: listed(Some(&server.grant_profiles), ID_JAG_PROFILE),
        workload: listed(grants, JWT_BEARER),
        documents: server.reads_documents,
    }
}

/// The client for a grant without a page, if this authorization server has that grant at all.
pub(super) fn machine_client(
    settings: &AuthSettings,
    server: &IssuerMetadata,
) -> Result<ClientChoice, AuthError> {
    let grants = server.grant_types.as_deref();
    let entry = || {
        let entry = settings.entered.as_ref();
        entry.ok_or_else(|| AuthError::new(Step::Identity, Reason::NoClient))
    };
    match &settings.grant {
        Grant::Page => Err(lacks("this")),
        Grant::ClientCredentials { .. } if grants.is_some() && !listed(grants, "client_credentials") => {
            Err(lacks("client credentials"))
        }
        Grant::ClientCredentials { key: None } => entered(server, entry()?),
        Grant::ClientCredentials { key: Some(key) } => {
            if !listed(server.auth_methods.as_deref(), "private_key_jwt") {
                return Err(lacks("signed statements (private_key_jwt)"));
            }
            let algorithms = server.auth_algorithms.as_deref();
            if algorithms.is_some() && !listed(algorithms, key.algorithm.name()) {
                return Err(lacks("the algorithm of the configured key"));
            }
            let key = Some(key.clone());
            known(server, entry()?, || Ok(Credential::Signed { key }))
        }
        Grant::Enterprise(_) => {
            let profiles = &server.grant_profiles;
            if !profiles.is_empty() && !profiles.iter().any(|profile| profile == ID_JAG_PROFILE) {
                return Err(lacks("sign-in by a company's identity provider"));
            }
            entered(server, entry()?)
        }
        Grant::Workload(_) if !listed(grants, JWT_BEARER) => Err(lacks("sign-in with a workload's token")),
        Grant::Workload(_) => Ok(ClientChoice::Known {
            client: Client {
                issuer: server.issuer.clone(),
                id: None,
                credential: Credential::Nothing,
            },
            kind: SignInClient::Unnamed,
            port: None,
        }),
    }
}

fn lacks(what: &str) -> AuthError {
    let why = format!("the authorization server does not offer {what}");
    AuthError::unsupported(Step::Server, why)
}

/// What all requests for tokens share.
pub(super) struct TokenRequests<'a> {
    pub(super) settings: &'a AuthSettings,
    pub(super) wire: &'a AuthHttp,
    pub(super) nonces: &'a Nonces,
    pub(super) now: SystemTime,
}

impl<'a> TokenRequests<'a> {
    /// The token endpoint of a server's issuer.
    pub(super) fn endpoint(
        &self,
        address: &'a Url,
        client: &'a Client,
        key: Option<&'a DpopKey>,
    ) -> TokenEndpoint<'a> {
        TokenEndpoint {
            wire: self.wire,
            address,
            client,
            key,
            nonces: self.nonces,
            now: self.now,
        }
    }

    /// The form that asks for a token without a page.
    pub(super) async fn machine_form(
        &self,
        token_endpoint: &Url,
        issuer: &str,
        resource: &str,
        scopes: &Scopes,
    ) -> Result<FormFields, AuthError> {
        let mut form = match &self.settings.grant {
            Grant::Page => return Err(AuthError::new(Step::Token, Reason::SignInNeeded)),
            Grant::ClientCredentials { .. } => vec![("grant_type", "client_credentials".to_owned())],
            Grant::Enterprise(enterprise) => {
                let assertion = self.id_jag(enterprise, issuer, resource, scopes).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
            }
            Grant::Workload(workload) => {
                let assertion = asserted(workload.as_ref(), token_endpoint.as_str()).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
            }
        };
        form.push(("resource", resource.to_owned()));
        if !scopes.is_empty() {
            form.push(("scope", scopes.to_string()));
        }
        Ok(form)
    }

    /// Exchanges the user's identity assertion for one that the server's authorization server accepts.
    async fn id_jag(
        &self,
        enterprise: &Enterprise,
        issuer: &str,
        resource: &str,
        scopes: &Scopes,
    ) -> Result<String, AuthError> {
        const STEP: Step = Step::Identification;
        let wire = identity_provider(self.wire, enterprise)?;
        let secret = enterprise.client_secret.clone();
        let client = Client {
            issuer: enterprise.issuer.clone(),
            id: Some(enterprise.client_id.clone()),
            credential: secret.map_or(Credential::Nothing, Credential::InHeader),
        };
        let endpoint = TokenEndpoint {
            wire: &wire,
            address: &wire.server,
            client: &client,
            key: None,
            nonces: self.nonces,
            now: self.now,
        };
        let mut form = vec![
            ("grant_type", EXCHANGE.to_owned()),
            ("requested_token_type", ID_JAG.to_owned()),
            ("audience", issuer.to_owned()),
            ("resource", resource.to_owned()),
            (
                "subject_token",
                asserted(enterprise.identity.as_ref(), &enterprise.issuer).await?,
            ),
            ("subject_token_type", enterprise.identity_type.clone()),
        ];
        if !scopes.is_empty() {
            form.push(("scope", scopes.to_string()));
        }
        let answer = endpoint.ask(STEP, form).await?;
        if answer.issued.as_deref() != Some(ID_JAG) || answer.kind != "n_a" {
            return Err(AuthError::unsupported(
                STEP,
                "the identity provider gave something else than an ID-JAG",
            ));
        }
        Ok(answer.access.expose_secret().to_owned())
    }
}

/// The way to the identity provider an administrator configured, which may be as near as it was written.
fn identity_provider(wire: &AuthHttp, enterprise: &Enterprise) -> Result<AuthHttp, AuthError> {
    let step = Step::Identification;
    let parsed = Url::parse(&enterprise.token_endpoint).map_err(|_| {
        let why = "the configured identity provider is no address".to_owned();
        AuthError::new(step, Reason::Local(why))
    })?;
    let mut wire = wire.clone();
    wire.server = parsed;
    wire.address(step, "the identity provider", &enterprise.token_endpoint)?;
    Ok(wire)
}

async fn asserted(source: &dyn Assertion, audience: &str) -> Result<String, AuthError> {
    let assertion = source.assertion(audience).await;
    let assertion = assertion.map_err(|why| AuthError::new(Step::Identification, Reason::Local(why)))?;
    Ok(assertion.expose_secret().to_owned())
}
