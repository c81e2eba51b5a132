//! Withdrawing a registration (RFC 7592). An issuer that lets a client do that hands out an address and a token with the
//! registration. Both are kept with it as secrets, and used for nothing else: what was registered is never read again or
//! changed. The address has to be where the registration was made, because nothing else was shown to the user.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use vestibule_egress::HeaderMap;
use vestibule_egress::header::{AUTHORIZATION, HeaderValue};

use crate::error::{AuthError, Step};
use crate::masked;
use crate::wire::AuthHttp;

/// The longest token that is kept, in bytes.
const MAX_TOKEN: usize = 4096;

/// Where a registration is withdrawn, and what shows that it is ours.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Management {
    address: Url,
    #[serde(with = "masked")]
    token: SecretString,
}

impl Management {
    /// What an answer to a registration at this endpoint says about it. What cannot be used is as good as not said: the
    /// registration counts all the same.
    pub(crate) fn from_response(wire: &AuthHttp, endpoint: &Url, answer: &Value) -> Option<Self> {
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        let (address, token) = (
            text("registration_client_uri")?,
            text("registration_access_token")?,
        );
        let what = "the address of the registration";
        let address = wire.address(Step::Registration, what, address);
        let address = address
            .inspect_err(
                |error| tracing::debug!(%error, "ignoring an unusable registration management endpoint"),
            )
            .ok()
            .filter(|address| address.origin() == endpoint.origin())?;
        let usable = !token.is_empty() && token.len() <= MAX_TOKEN && bearer(token).is_some();
        usable.then(|| Self {
            address,
            token: token.into(),
        })
    }

    /// Tells the issuer that the registration is not used any more.
    pub(crate) async fn withdraw(&self, wire: &AuthHttp) -> Result<(), AuthError> {
        const STEP: Step = Step::Withdrawal;
        let token = bearer(self.token.expose_secret());
        let token = token
            .ok_or_else(|| AuthError::malformed(STEP, "what was kept of the registration is no token"))?;
        let reply = wire
            .delete(
                STEP,
                &self.address,
                HeaderMap::from_iter([(AUTHORIZATION, token)]),
            )
            .await?;
        if reply.status.is_success() {
            return Ok(());
        }
        let code = format!("status {}", reply.status.as_u16());
        Err(crate::token::refused(STEP, &code, None))
    }
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
