//! Tokens without a page: with credentials of the application, with an assertion of the company's identity
//! provider (an ID-JAG: exchanged there, redeemed at the server's authorization server), or with a token of the
//! platform. One grant is configured and there is no falling back to another.

use std::time::SystemTime;

use secrecy::ExposeSecret;
use url::Url;

use crate::client::{Client, Credential, SigningKey};
use crate::dpop::{DpopKey, Nonces};
use crate::error::{AuthError, Reason, Step};
use crate::metadata::{IssuerMetadata, listed};
use crate::registration::{ClientChoice, entered, known};
use crate::scope::Scopes;
use crate::settings::{AuthSettings, EnteredClient, Enterprise, Grant};
use crate::token::{TokenEndpoint, Tokens};
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
    match &settings.grant {
        Grant::Page => Err(lacks("this")),
        Grant::ClientCredentials { key } => credentials_client(settings, server, key.as_ref()),
        Grant::Enterprise(_) => enterprise_client(settings, server),
        Grant::Workload(_) => workload_client(server),
    }
}

fn credentials_client(
    settings: &AuthSettings,
    server: &IssuerMetadata,
    key: Option<&SigningKey>,
) -> Result<ClientChoice, AuthError> {
    let grants = server.grant_types.as_deref();
    if grants.is_some() && !listed(grants, "client_credentials") {
        return Err(lacks("client credentials"));
    }
    let Some(key) = key else {
        let entry = entry(settings)?;
        return match &entry.secret {
            Some(_) => entered(server, entry),
            // Without a page nothing else would show who asks.
            None => Err(no_secret()),
        };
    };
    check_statements(server, key)?;
    let key = Some(key.clone());
    known(server, entry(settings)?, || Ok(Credential::Signed { key }))
}

/// Refuses an authorization server that takes no statements signed with this key.
fn check_statements(server: &IssuerMetadata, key: &SigningKey) -> Result<(), AuthError> {
    if !listed(server.auth_methods.as_deref(), "private_key_jwt") {
        return Err(lacks("signed statements (private_key_jwt)"));
    }
    let algorithms = server.auth_algorithms.as_deref();
    if algorithms.is_some() && !listed(algorithms, key.algorithm.name()) {
        return Err(lacks("the algorithm of the configured key"));
    }
    Ok(())
}

fn enterprise_client(settings: &AuthSettings, server: &IssuerMetadata) -> Result<ClientChoice, AuthError> {
    let profiles = &server.grant_profiles;
    if !profiles.is_empty() && !profiles.iter().any(|profile| profile == ID_JAG_PROFILE) {
        return Err(lacks("sign-in by a company's identity provider"));
    }
    entered(server, entry(settings)?)
}

/// The client without a name, for a token of the platform that stands for itself.
fn workload_client(server: &IssuerMetadata) -> Result<ClientChoice, AuthError> {
    if !listed(server.grant_types.as_deref(), JWT_BEARER) {
        return Err(lacks("sign-in with a workload's token"));
    }
    Ok(ClientChoice::Known {
        client: Client {
            issuer: server.issuer.clone(),
            id: None,
            credential: Credential::Nothing,
        },
        kind: SignInClient::Unnamed,
        port: None,
    })
}

/// The client that was entered, which these grants need.
fn entry(settings: &AuthSettings) -> Result<&EnteredClient, AuthError> {
    let entry = settings.entered.as_ref();
    entry.ok_or_else(|| AuthError::new(Step::Identity, Reason::NoClient))
}

fn no_secret() -> AuthError {
    let why = "the secret or key of this client is not set; enter it in the sign-in settings of the server";
    AuthError::new(Step::Identity, Reason::Local(why.to_owned()))
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
                assertion_fields(self.id_jag(enterprise, issuer, resource, scopes).await?)
            }
            Grant::Workload(workload) => {
                assertion_fields(asserted(workload.as_ref(), token_endpoint.as_str()).await?)
            }
        };
        form.push(("resource", resource.to_owned()));
        form.extend(scope_field(scopes));
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
        let wire = identity_provider(self.wire, enterprise)?;
        let client = client_of(enterprise);
        let requests = TokenRequests { wire: &wire, ..*self };
        let endpoint = requests.endpoint(&wire.server, &client, None);
        let subject = asserted(enterprise.identity.as_ref(), &enterprise.issuer).await?;
        let mut form = exchange_form(enterprise, subject, issuer, resource);
        form.extend(scope_field(scopes));
        let answer = endpoint.ask(Step::Identification, form).await?;
        check_id_jag(&answer)?;
        Ok(answer.access.expose_secret().to_owned())
    }
}

fn assertion_fields(assertion: String) -> FormFields {
    vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
}

fn scope_field(scopes: &Scopes) -> Option<(&'static str, String)> {
    (!scopes.is_empty()).then(|| ("scope", scopes.to_string()))
}

/// The client this application is at the company's identity provider.
fn client_of(enterprise: &Enterprise) -> Client {
    let secret = enterprise.client_secret.clone();
    Client {
        issuer: enterprise.issuer.clone(),
        id: Some(enterprise.client_id.clone()),
        credential: secret.map_or(Credential::Nothing, Credential::InHeader),
    }
}

/// The form that exchanges what the identity provider gave the user for an ID-JAG (RFC 8693), without scopes.
fn exchange_form(enterprise: &Enterprise, subject: String, issuer: &str, resource: &str) -> FormFields {
    vec![
        ("grant_type", EXCHANGE.to_owned()),
        ("requested_token_type", ID_JAG.to_owned()),
        ("audience", issuer.to_owned()),
        ("resource", resource.to_owned()),
        ("subject_token", subject),
        ("subject_token_type", enterprise.identity_type.clone()),
    ]
}

fn check_id_jag(answer: &Tokens) -> Result<(), AuthError> {
    if answer.issued.as_deref() == Some(ID_JAG) && answer.kind == "n_a" {
        return Ok(());
    }
    let why = "the identity provider gave something else than an ID-JAG";
    Err(AuthError::unsupported(Step::Identification, why))
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
