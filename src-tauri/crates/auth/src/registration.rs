//! Which client id to use with an issuer, in the order the specification gives: one that was entered, a document
//! about this application, one from an earlier registration, a new registration (RFC 7591). Choosing sends
//! nothing; registering does, and is done after the user agreed.

use std::time::SystemTime;

use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use crate::client::{Client, Credential};
use crate::error::{AuthError, Reason, Step};
use crate::management::Management;
use crate::metadata::{IssuerMetadata, listed};
use crate::settings::{Application, EnteredClient};
use crate::stored::Registration;
use crate::token::read_document;
use crate::wire::AuthHttp;
use vestibule_app_protocol::SignInClient;

const MAX_ID: usize = 1024;

/// Whom to present oneself as.
pub(crate) enum ClientChoice {
    /// A client that is there, the port it is bound to, and whether it may be registered again.
    Known {
        client: Client,
        kind: SignInClient,
        port: Option<u16>,
    },
    /// A new registration at this endpoint.
    Register(Url),
}

impl ClientChoice {
    pub(crate) fn kind(&self) -> SignInClient {
        match self {
            Self::Known { kind, .. } => kind.clone(),
            Self::Register(_) => SignInClient::ToBeRegistered,
        }
    }

    pub(crate) fn port(&self) -> Option<u16> {
        match self {
            Self::Known { port, .. } => *port,
            Self::Register(_) => None,
        }
    }

    /// Whether the id came from a registration that can be done again.
    pub(crate) fn may_be_repeated(&self) -> bool {
        matches!(self.kind(), SignInClient::Registered { .. })
    }
}

/// The client to use with this issuer.
pub(crate) fn choose(
    server: &IssuerMetadata,
    application: &Application,
    entered: Option<&EnteredClient>,
    earlier: Option<Registration>,
    now: SystemTime,
) -> Result<ClientChoice, AuthError> {
    if let Some(entered) = entered {
        return self::entered(server, entered);
    }
    if let Some(document) = application.document.as_ref().filter(|_| server.reads_documents) {
        return documented(server, document);
    }
    if let Some(earlier) = earlier.filter(|it| it.client.issuer == server.issuer && it.counts(now)) {
        return Ok(registered(earlier));
    }
    let endpoint = server.registration_endpoint.clone();
    endpoint
        .map(ClientChoice::Register)
        .ok_or_else(|| AuthError::new(Step::Identity, Reason::NoClient))
}

/// The client whose id is the address of the document about this application.
fn documented(server: &IssuerMetadata, document: &str) -> Result<ClientChoice, AuthError> {
    let client = Client {
        issuer: server.issuer.clone(),
        id: Some(checked_document(document)?),
        credential: Credential::Nothing,
    };
    Ok(ClientChoice::Known {
        client,
        kind: SignInClient::Document {
            address: document.to_owned(),
        },
        port: None,
    })
}

/// The client of an earlier registration.
fn registered(earlier: Registration) -> ClientChoice {
    let id = earlier.client.id.clone().unwrap_or_default();
    ClientChoice::Known {
        port: earlier.port(),
        client: earlier.client,
        kind: SignInClient::Registered { id },
    }
}

/// The entered client, if it belongs to this issuer.
pub(crate) fn entered(server: &IssuerMetadata, entered: &EnteredClient) -> Result<ClientChoice, AuthError> {
    known(server, entered, || {
        Credential::choose_method(server, entered.secret.clone(), None)
    })
}

/// The entered client with this credential, if it belongs to this issuer.
pub(crate) fn known(
    server: &IssuerMetadata,
    entered: &EnteredClient,
    credential: impl FnOnce() -> Result<Credential, AuthError>,
) -> Result<ClientChoice, AuthError> {
    check_issuer(server, entered)?;
    Ok(ClientChoice::Known {
        client: Client {
            issuer: server.issuer.clone(),
            id: Some(entered.id.clone()),
            credential: credential()?,
        },
        kind: SignInClient::Entered {
            id: entered.id.clone(),
        },
        port: entered.port,
    })
}

fn check_issuer(server: &IssuerMetadata, entered: &EnteredClient) -> Result<(), AuthError> {
    const WHAT: &str = "the authorization server the entered client id belongs to";
    if entered.issuer == server.issuer {
        return Ok(());
    }
    Err(AuthError::mismatch(
        Step::Identity,
        WHAT,
        &entered.issuer,
        &server.issuer,
    ))
}

fn checked_document(address: &str) -> Result<String, AuthError> {
    let parsed = Url::parse(address).ok();
    let sound = parsed.is_some_and(|it| it.scheme() == "https" && it.path() != "/" && it.as_str() == address);
    if sound {
        Ok(address.to_owned())
    } else {
        let why = "the address of the document about this application is no https:// address with a path";
        Err(AuthError::new(Step::Identity, Reason::Local(why.to_owned())))
    }
}

const STEP: Step = Step::Registration;

fn client_metadata(application: &Application, redirect_uri: &str, method: &str) -> Value {
    json!({
        "client_name": application.name,
        "application_type": "native",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    })
}

/// Registers this application for the browser to come back to this address.
pub(crate) async fn register(
    wire: &AuthHttp,
    server: &IssuerMetadata,
    endpoint: &Url,
    application: &Application,
    redirect_uri: &str,
) -> Result<Registration, AuthError> {
    let method = method(server);
    let wanted = client_metadata(application, redirect_uri, method);
    let reply = wire.json(STEP, endpoint, &wanted).await?;
    let answer = read_document(STEP, &reply)?;
    check_redirect(&answer, redirect_uri)?;
    let expires = answer.get("client_secret_expires_at").and_then(Value::as_u64);
    Ok(Registration {
        client: registered_client(server, &answer, method)?,
        redirect_uri: redirect_uri.to_owned(),
        expires: expires.filter(|end| *end > 0),
        management: Management::from_response(wire, endpoint, &answer),
    })
}

fn check_redirect(answer: &Value, redirect_uri: &str) -> Result<(), AuthError> {
    let registered = answer.get("redirect_uris").and_then(Value::as_array);
    if registered.is_none_or(|uris| uris.is_empty() || uris.iter().any(|uri| uri == redirect_uri)) {
        return Ok(());
    }
    let why = "another address for coming back was registered than the one asked for";
    Err(AuthError::malformed(STEP, why))
}

/// The client of the answer, which may have got another way to say who it is than the one asked for.
fn registered_client(server: &IssuerMetadata, answer: &Value, asked: &str) -> Result<Client, AuthError> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let id = text("client_id").filter(|id| is_id(id));
    let id =
        id.ok_or_else(|| AuthError::malformed(STEP, "the answer holds no client id that can be used"))?;
    let secret = text("client_secret").map(SecretString::from);
    let declared = text("token_endpoint_auth_method").or(secret.is_none().then_some(asked));
    Ok(Client {
        issuer: server.issuer.clone(),
        id: Some(id.to_owned()),
        credential: Credential::choose_method(server, secret, declared)?,
    })
}

/// How to show who this is: not at all where that is allowed, because a program on a desk keeps no secret.
fn method(server: &IssuerMetadata) -> &'static str {
    let supported = server.auth_methods.as_deref();
    if supported.is_none() || listed(supported, "none") {
        "none"
    } else if listed(supported, "client_secret_basic") {
        "client_secret_basic"
    } else {
        "client_secret_post"
    }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID && text.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
}
