//! Whom this application presents itself as, and how it shows that it is who it says: not at all (a program on
//! a user's computer keeps no secret), with a secret in a header or in the form, or with a signed statement.
//! A client belongs to one issuer and is never shown to another.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;
use vestibule_app_protocol::SigningAlgorithm;
use vestibule_egress::HeaderMap;
use vestibule_egress::header::{AUTHORIZATION, HeaderValue};

use crate::dpop::seconds;
use crate::error::{AuthError, Reason, Step};
use crate::masked;
use crate::metadata::{IssuerMetadata, listed};
use crate::random::unguessable;
use crate::wire::FormFields;

/// How long a signed statement counts, in seconds.
const STATEMENT: u64 = 60;
const STATEMENT_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A client of one issuer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Client {
    pub(crate) issuer: String,
    /// `None` where an assertion stands for itself.
    pub(crate) id: Option<String>,
    pub(crate) credential: Credential,
}

/// How a client shows who it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Credential {
    Nothing,
    InHeader(#[serde(with = "masked")] SecretString),
    InForm(#[serde(with = "masked")] SecretString),
    /// With a key that is configured, and therefore not kept here.
    Signed {
        #[serde(skip)]
        key: Option<SigningKey>,
    },
}

/// A key that statements about this application are signed with.
#[derive(Clone, Debug)]
pub struct SigningKey {
    /// The private key in PEM.
    pub pem: SecretString,
    pub algorithm: SigningAlgorithm,
    /// The name the authorization server knows the key by.
    pub key_id: Option<String>,
}

impl Credential {
    /// How a secret is shown to this server; `declared` is what registration said.
    pub(crate) fn choose_method(
        server: &IssuerMetadata,
        secret: Option<SecretString>,
        declared: Option<&str>,
    ) -> Result<Self, AuthError> {
        let Some(secret) = secret.filter(|secret| !secret.expose_secret().is_empty()) else {
            return Self::without_secret(server, declared);
        };
        let supported = server.auth_methods.as_deref();
        let allowed = |method: &str| supported.is_none() || listed(supported, method);
        let in_form = allowed("client_secret_post");
        match declared {
            Some("none") => Ok(Self::Nothing),
            Some("client_secret_post") if in_form => Ok(Self::InForm(secret)),
            _ if allowed("client_secret_basic") => Ok(Self::InHeader(secret)),
            _ if in_form => Ok(Self::InForm(secret)),
            _ if allowed("none") => Ok(Self::Nothing),
            _ => Err(unsupported("a client with a secret")),
        }
    }

    /// Servers that take clients without a secret often do not list that, so only a registration that declared another way
    /// says that it is needed.
    fn without_secret(server: &IssuerMetadata, declared: Option<&str>) -> Result<Self, AuthError> {
        let supported = server.auth_methods.as_deref();
        let is_public = declared.is_none_or(|method| method == "none");
        if is_public || supported.is_none() || listed(supported, "none") {
            Ok(Self::Nothing)
        } else {
            Err(unsupported("a client without a secret"))
        }
    }
}

impl Client {
    /// Adds to a request to the issuer what shows who asks.
    pub(crate) fn sign(
        &self,
        form: &mut FormFields,
        headers: &mut HeaderMap,
        now: SystemTime,
    ) -> Result<(), AuthError> {
        let id = self.id.clone().unwrap_or_default();
        match &self.credential {
            Credential::Nothing => form.extend(self.id.clone().map(|id| ("client_id", id))),
            Credential::InHeader(secret) => {
                headers.insert(AUTHORIZATION, basic(&id, secret)?);
            }
            Credential::InForm(secret) => {
                form.push(("client_id", id));
                form.push(("client_secret", secret.expose_secret().to_owned()));
            }
            Credential::Signed { key } => {
                form.extend(statement_fields(key.as_ref(), &id, &self.issuer, now)?);
            }
        }
        Ok(())
    }
}

impl SigningKey {
    fn statement(&self, id: &str, issuer: &str, now: SystemTime) -> Result<String, AuthError> {
        let pem = self.pem.expose_secret().as_bytes();
        let (algorithm, key) = match self.algorithm {
            SigningAlgorithm::ES256 => (Algorithm::ES256, EncodingKey::from_ec_pem(pem)),
            SigningAlgorithm::ES384 => (Algorithm::ES384, EncodingKey::from_ec_pem(pem)),
            SigningAlgorithm::RS256 => (Algorithm::RS256, EncodingKey::from_rsa_pem(pem)),
            SigningAlgorithm::PS256 => (Algorithm::PS256, EncodingKey::from_rsa_pem(pem)),
            SigningAlgorithm::EdDSA => (Algorithm::EdDSA, EncodingKey::from_ed_pem(pem)),
        };
        let key = key.map_err(|_| unusable("is no private key of that kind"))?;
        let now = seconds(now);
        let claims = json!({
            "iss": id, "sub": id, "aud": issuer, "iat": now, "exp": now + STATEMENT, "jti": unguessable(),
        });
        let header = Header {
            kid: self.key_id.clone(),
            ..Header::new(algorithm)
        };
        jsonwebtoken::encode(&header, &claims, &key).map_err(|_| unusable("does not sign"))
    }
}

/// The fields of a form that show with a signed statement who asks.
fn statement_fields(
    key: Option<&SigningKey>,
    id: &str,
    issuer: &str,
    now: SystemTime,
) -> Result<FormFields, AuthError> {
    let key = key.ok_or_else(|| unusable("is not configured any more"))?;
    Ok(vec![
        ("client_assertion_type", STATEMENT_TYPE.to_owned()),
        ("client_assertion", key.statement(id, issuer, now)?),
    ])
}

fn basic(id: &str, secret: &SecretString) -> Result<HeaderValue, AuthError> {
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encoded(id), encoded(secret.expose_secret()));
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair)))
        .map_err(|_| unusable("cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn unsupported(what: &str) -> AuthError {
    AuthError::unsupported(
        Step::Identity,
        format!("the authorization server has no way for {what} to show who it is"),
    )
}

fn unusable(why: &str) -> AuthError {
    AuthError::new(
        Step::Identity,
        Reason::Local(format!("the key or secret of this client {why}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(methods: Option<&[&str]>) -> IssuerMetadata {
        let wire = crate::wire::AuthHttp::new("https://a.example".parse().unwrap(), Default::default());
        let mut server = IssuerMetadata::undocumented(&wire, &wire.server).unwrap();
        server.auth_methods = methods.map(|list| list.iter().map(|&m| m.to_owned()).collect());
        server
    }

    /// AU-028, AU-030.
    #[test]
    fn a_secret_is_shown_only_in_a_way_the_server_lists() {
        let way = |methods: Option<&[&str]>, secret: bool, declared: Option<&str>| {
            let secret = secret.then(|| SecretString::from("s"));
            match Credential::choose_method(&server(methods), secret, declared) {
                Ok(Credential::Nothing) => "none",
                Ok(Credential::InHeader(_)) => "header",
                Ok(Credential::InForm(_)) => "form",
                Ok(Credential::Signed { .. }) => "signed",
                Err(_) => "refused",
            }
        };
        assert_eq!(way(None, false, None), "none");
        assert_eq!(way(Some(&["none"]), true, None), "none");
        assert_eq!(way(None, true, None), "header");
        assert_eq!(way(None, true, Some("client_secret_post")), "form");
        assert_eq!(
            way(Some(&["client_secret_post"]), true, Some("client_secret_basic")),
            "form"
        );
        assert_eq!(
            way(Some(&["client_secret_post", "client_secret_basic"]), true, None),
            "header"
        );
        assert_eq!(way(Some(&["private_key_jwt"]), true, None), "refused");
        let basic: Option<&[&str]> = Some(&["client_secret_basic"]);
        assert_eq!(way(basic, false, Some("client_secret_basic")), "refused");
    }

    /// AU-028: Keycloak, Entra, Cognito and Google take public clients and do not list `none`.
    #[test]
    fn a_client_without_a_secret_needs_no_way_that_the_server_lists() {
        for methods in [
            None,
            Some(&["none"][..]),
            Some(&["client_secret_basic", "private_key_jwt"]),
        ] {
            for declared in [None, Some("none")] {
                let credential = Credential::choose_method(&server(methods), None, declared);
                assert!(
                    matches!(credential, Ok(Credential::Nothing)),
                    "{methods:?} {declared:?}: {credential:?}"
                );
            }
        }
    }

    #[test]
    fn a_secret_in_the_header_may_have_any_characters() {
        let value = basic("a:b", &SecretString::from("ü %")).unwrap();
        let expected = STANDARD.encode("a%3Ab:%C3%BC+%25");
        assert_eq!(value.to_str().unwrap(), format!("Basic {expected}"));
        assert!(value.is_sensitive());
    }
}
