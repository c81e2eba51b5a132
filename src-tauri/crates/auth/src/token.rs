//! Asking a token endpoint. Whatever the grant, the request is a form with proof of who asks, and the answer is
//! read the same way: strictly where it matters (the token, its type), leniently where servers differ (numbers
//! in quotes). Neither requests nor answers are ever quoted in an error, because secrets stand in both.

use std::time::SystemTime;

use secrecy::SecretString;
use serde_json::Value;
use url::Url;
use vestibule_egress::header::HeaderValue;
use vestibule_egress::{HeaderMap, StatusCode};

use crate::client::Client;
use crate::dpop::{DpopKey, Nonces, ProofTarget};
use crate::error::{AuthError, Reason, Step, quoted};
use crate::scope::Scopes;
use crate::wire::{AuthHttp, AuthReply, FormFields, is_passing};

/// The longest token, in bytes; more does not fit into a header everywhere.
const MAX_TOKEN: usize = 16 * 1024;
/// The longest life of a token that is believed, in seconds: ten years.
const MAX_LIFE: u64 = 10 * 365 * 24 * 3600;

/// A token endpoint and who asks it.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) wire: &'a AuthHttp,
    pub(crate) address: &'a Url,
    pub(crate) client: &'a Client,
    pub(crate) key: Option<&'a DpopKey>,
    pub(crate) nonces: &'a Nonces,
    pub(crate) now: SystemTime,
}

#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) access: SecretString,
    pub(crate) kind: String,
    pub(crate) life: Option<u64>,
    pub(crate) refresh: Option<SecretString>,
    pub(crate) scopes: Option<Scopes>,
    pub(crate) issued: Option<String>,
}

impl TokenEndpoint<'_> {
    /// Asks for tokens that can be used at a server.
    pub(crate) async fn usable(&self, step: Step, form: FormFields) -> Result<Tokens, AuthError> {
        let tokens = self.ask(step, form).await?;
        let wanted = if self.key.is_some() { "dpop" } else { "bearer" };
        if tokens.kind == wanted {
            return Ok(tokens);
        }
        let why = format!(
            "the token is of the kind \u{201c}{}\u{201d}, wanted was {wanted}",
            quoted(&tokens.kind)
        );
        Err(AuthError::unsupported(step, why))
    }

    /// Asks, and once more when the server first hands out a nonce.
    pub(crate) async fn ask(&self, step: Step, form: FormFields) -> Result<Tokens, AuthError> {
        let first = self.once(step, form.clone()).await?;
        let fresh = self.nonces.remember(self.address, &first.headers);
        let answer = match read_document(step, &first) {
            Err(error) if fresh && self.key.is_some() && error.is_refusal("use_dpop_nonce") => {
                let second = self.once(step, form).await?;
                self.nonces.remember(self.address, &second.headers);
                read_document(step, &second)?
            }
            other => other?,
        };
        tokens(step, &answer)
    }

    async fn once(&self, step: Step, mut form: FormFields) -> Result<AuthReply, AuthError> {
        let mut headers = HeaderMap::new();
        self.client.sign(&mut form, &mut headers, self.now)?;
        if let Some(key) = self.key {
            let about = ProofTarget {
                method: "POST",
                address: self.address,
                nonce: self.nonces.of(self.address),
                token: None,
                body: None,
            };
            let proof = HeaderValue::try_from(key.proof(&about, self.now)?).expect("a proof is plain text");
            headers.insert("dpop", proof);
        }
        self.wire.form(step, self.address, &form, headers).await
    }
}

/// The JSON of a success; the refusal otherwise. Some servers refuse with status 200.
pub(crate) fn read_document(step: Step, reply: &AuthReply) -> Result<Value, AuthError> {
    let answer = reply.json(step);
    let text = |name: &str| answer.as_ref().ok()?.get(name)?.as_str();
    let code = text("error");
    // A server that is down or has too much to do has not decided anything, whatever code it writes.
    if is_passing(reply.status) {
        return Err(AuthError::new(
            step,
            Reason::Network(answered_with(reply.status, code)),
        ));
    }
    if let Some(code) = code {
        return Err(refused(step, code, text("error_description")));
    }
    if !reply.status.is_success() {
        return Err(AuthError::new(step, status_reason(reply.status)));
    }
    answer
}

/// Why an answer with this status, and without an error code, is no answer.
fn status_reason(status: StatusCode) -> Reason {
    match status {
        // The two that refusals come with.
        StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED => Reason::Refused {
            code: format!("status {}", status.as_u16()),
            description: None,
        },
        _ => Reason::Malformed(answered_with(status, None)),
    }
}

fn answered_with(status: StatusCode, code: Option<&str>) -> String {
    let status = status.as_u16();
    match code {
        Some(code) => format!(
            "the authorization server answered with status {status} (\u{201c}{}\u{201d})",
            quoted(code)
        ),
        None => format!("the authorization server answered with status {status}"),
    }
}

pub(crate) fn refused(step: Step, code: &str, description: Option<&str>) -> AuthError {
    let (code, description) = (quoted(code), description.map(quoted));
    AuthError::new(step, Reason::Refused { code, description })
}

fn tokens(step: Step, answer: &Value) -> Result<Tokens, AuthError> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let malformed = |why: &str| AuthError::malformed(step, why);
    let access = text("access_token").ok_or_else(|| malformed("the answer holds no access token"))?;
    let kind = text("token_type").ok_or_else(|| malformed("the answer holds no token type"))?;
    if !is_token(access) {
        return Err(malformed("the access token cannot be sent in a header"));
    }
    let refresh = text("refresh_token").filter(|token| !token.is_empty());
    if refresh.is_some_and(|token| !is_token(token)) {
        return Err(malformed("the refresh token has characters it may not have"));
    }
    Ok(Tokens {
        access: access.into(),
        kind: kind.to_ascii_lowercase(),
        life: life(answer).map_err(malformed)?.filter(|life| *life > 0),
        refresh: refresh.map(Into::into),
        scopes: text("scope").map(Scopes::parse),
        issued: text("issued_token_type").map(ToOwned::to_owned),
    })
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_TOKEN && text.bytes().all(|byte| (0x21..=0x7e).contains(&byte))
}

/// How long the token lives, in seconds, if the answer says so.
fn life(answer: &Value) -> Result<Option<u64>, &'static str> {
    match answer.get("expires_in") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => seconds_of(value).map(Some).ok_or("the token's life is no number"),
    }
}

fn seconds_of(value: &Value) -> Option<u64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_f64()?,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped right before"
    )]
    number
        .is_finite()
        .then(|| number.clamp(0.0, MAX_LIFE as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_token_is_believed_only_when_it_can_be_one() {
        let good = json!({"access_token": "a", "token_type": "Bearer"});
        assert!(tokens(Step::Token, &good).is_ok());
        for (name, value) in [
            ("access_token", json!("")),
            ("access_token", json!("a b")),
            ("access_token", json!("a\r\nHost: x")),
            ("access_token", json!("x".repeat(MAX_TOKEN + 1))),
            ("access_token", json!(5)),
            ("access_token", json!({"x": 1})),
            ("token_type", json!(null)),
            ("expires_in", json!([1])),
            ("expires_in", json!("soon")),
            ("refresh_token", json!("a\nb")),
        ] {
            let mut answer = good.clone();
            answer[name] = value;
            assert!(tokens(Step::Token, &answer).is_err(), "{answer}");
        }
    }

    #[test]
    fn lives_are_read_as_servers_write_them_and_never_longer_than_ten_years() {
        for (value, seconds) in [
            (json!(3600), Some(3600)),
            (json!("3600"), Some(3600)),
            (json!(3600.9), Some(3600)),
            (json!(0), None),
            (json!(-5), None),
            (json!(1e300), Some(MAX_LIFE)),
            (json!(null), None),
        ] {
            let answer = json!({"access_token": "a", "token_type": "bearer", "expires_in": value});
            assert_eq!(tokens(Step::Token, &answer).unwrap().life, seconds, "{value}");
        }
    }
}
