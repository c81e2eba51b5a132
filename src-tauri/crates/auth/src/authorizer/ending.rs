//! The end of a sign-in: tokens are withdrawn where they were given, and so is the registration of this application where
//! the issuer said how (RFC 7592). An issuer that did not answer or refused is reported, and nothing is tried
//! again by itself.

use std::time::SystemTime;

use secrecy::{ExposeSecret, SecretString};
use url::Url;
use vestibule_egress::HeaderMap;

use super::records::AuthRecords;
use crate::client::Client;
use crate::error::{AuthError, Step};
use crate::stored::StoredTokens;
use crate::token::read_document;
use crate::wire::AuthHttp;

/// Tells the authorization server that these tokens are no longer used, where it takes that. It withdraws each, also
/// where the other was refused, and returns the first failure.
pub(super) async fn revoke(wire: &AuthHttp, kept: &StoredTokens, now: SystemTime) -> Result<(), AuthError> {
    let Some(endpoint) = &kept.revocation_endpoint else {
        return Ok(());
    };
    let revocation = Revocation {
        wire,
        endpoint,
        client: &kept.client,
        now,
    };
    let Some(refresh) = &kept.refresh else {
        return revocation.tell("access_token", &kept.access).await;
    };
    let refresh = revocation.tell("refresh_token", refresh).await;
    match revocation.tell("access_token", &kept.access).await {
        // With the refresh token its access tokens end too, so a server may no longer know them, or take only the former.
        Err(error) if refresh.is_ok() && is_over(&error) => Ok(()),
        access => refresh.and(access),
    }
}

/// Whether a refused revocation says that there is nothing to revoke.
fn is_over(error: &AuthError) -> bool {
    error.is_refusal("unsupported_token_type") || error.is_refusal("invalid_token")
}

/// Where tokens are withdrawn (RFC 7009), and who does it.
struct Revocation<'a> {
    wire: &'a AuthHttp,
    endpoint: &'a Url,
    client: &'a Client,
    now: SystemTime,
}

impl Revocation<'_> {
    async fn tell(&self, hint: &str, token: &SecretString) -> Result<(), AuthError> {
        let mut form = vec![
            ("token", token.expose_secret().to_owned()),
            ("token_type_hint", hint.to_owned()),
        ];
        let mut headers = HeaderMap::new();
        self.client.sign(&mut form, &mut headers, self.now)?;
        let reply = self
            .wire
            .form(Step::Revocation, self.endpoint, &form, headers)
            .await?;
        if reply.status.is_success() {
            return Ok(());
        }
        read_document(Step::Revocation, &reply).map(drop)
    }
}

/// Withdraws a registration where it was made and forgets it, where the issuer said how; leaves it alone otherwise.
/// What could not be withdrawn is kept: it still counts there, and can be used and withdrawn again.
pub(super) async fn withdraw_registration(
    records: &AuthRecords,
    wire: &AuthHttp,
    issuer: &str,
) -> Result<(), AuthError> {
    let kept = records.registration(issuer).await?;
    let Some(management) = kept.and_then(|kept| kept.management) else {
        return Ok(());
    };
    management.withdraw(wire).await?;
    records.delete_registration(issuer).await
}
