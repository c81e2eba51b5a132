//! The end of a sign-in: tokens are withdrawn where they were given, and so is the registration of this application where
//! the issuer said how (RFC 7592). An issuer that did not answer or refused is reported, and nothing is tried
//! again by itself.

use secrecy::ExposeSecret;

use super::{AuthorizerInner, vault_failed};
use crate::error::{AuthError, Step};
use crate::stored::Registration;

impl AuthorizerInner {
    /// Stops using the tokens, and tells the authorization server.
    pub(super) async fn sign_out(&self) -> Result<(), AuthError> {
        self.load().await?;
        let Some(kept) = self.held().kept.clone() else {
            return Ok(());
        };
        self.drop_tokens().await?;
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
            kept.client.sign(&mut form, &mut headers, self.now())?;
            let reply = self.wire.form(Step::Revocation, endpoint, &form, headers).await?;
            if !reply.status.is_success() {
                let code = format!("status {}", reply.status.as_u16());
                return Err(crate::token::refused(Step::Revocation, &code, None));
            }
        }
        Ok(())
    }

    /// Forgets a registration here alone.
    pub(super) async fn forget_registration(&self, issuer: &str) -> Result<(), AuthError> {
        let gone = self.vault.delete(&Self::registration_name(issuer)).await;
        gone.map_err(|error| vault_failed(&error))
    }

    /// Withdraws a registration where it was made and forgets it, where the issuer said how; leaves it alone otherwise.
    /// What could not be withdrawn is kept: it still counts there, and can be used and withdrawn again.
    pub(super) async fn withdraw_registration(&self, issuer: &str) -> Result<(), AuthError> {
        let kept: Option<Registration> = self.recall(&Self::registration_name(issuer)).await?;
        let Some(management) = kept.and_then(|kept| kept.management) else {
            return Ok(());
        };
        management.withdraw(&self.wire).await?;
        self.forget_registration(issuer).await
    }
}
