//! The end of a sign-in: tokens are withdrawn where they were given, and so is the registration of this application where
//! the issuer said how (RFC 7592). An issuer that did not answer or refused is reported, and nothing is tried
//! again by itself.

use std::time::SystemTime;

use secrecy::ExposeSecret;

use super::records::AuthRecords;
use crate::error::{AuthError, Step};
use crate::stored::StoredTokens;
use crate::wire::AuthHttp;

/// Tells the authorization server that these tokens are no longer used, where it takes that.
pub(super) async fn revoke(wire: &AuthHttp, kept: &StoredTokens, now: SystemTime) -> Result<(), AuthError> {
    let Some(endpoint) = &kept.revocation_endpoint else {
        return Ok(());
    };
    let refresh = kept.refresh.iter().map(|token| ("refresh_token", token));
    for (hint, token) in refresh.chain([("access_token", &kept.access)]) {
        let mut form = vec![
            ("token", token.expose_secret().to_owned()),
            ("token_type_hint", hint.to_owned()),
        ];
        let mut headers = vestibule_egress::HeaderMap::new();
        kept.client.sign(&mut form, &mut headers, now)?;
        let reply = wire.form(Step::Revocation, endpoint, &form, headers).await?;
        if !reply.status.is_success() {
            let code = format!("status {}", reply.status.as_u16());
            return Err(crate::token::refused(Step::Revocation, &code, None));
        }
    }
    Ok(())
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
