//! Whether an authorization server that a server names may be asked how it signs users in. A document of the server decides
//! where such a request goes, so the user is asked before the first one to another site, and before the first one through
//! a proxy, which finds out where a name leads and may stand in an inner network.

use url::Url;

use super::AuthorizerInner;
use crate::discovery;
use crate::error::{AuthError, Reason, Step};
use crate::metadata::IssuerMetadata;
use crate::site::same_site;
use crate::user_agent::LookUpPrompt;
use crate::wire::origin;

/// The most questions of one sign-in.
const MAX_ASKED: u32 = 3;

/// How often the user was asked in one sign-in.
#[derive(Default)]
pub(super) struct LookUps(u32);

impl AuthorizerInner {
    /// What an authorization server says about itself, if it may be asked.
    pub(super) async fn look_up(
        &self,
        issuer: &str,
        asked: &mut LookUps,
    ) -> Result<IssuerMetadata, AuthError> {
        let address = self
            .wire
            .address(Step::Server, "the authorization server", issuer)?;
        let proxy = self.wire.proxies.between(&address).ok().flatten().map(origin);
        if self.may_look_up(issuer, &address, proxy.is_some()).await? {
            return discovery::server(&self.wire, issuer).await;
        }
        asked.0 += 1;
        if asked.0 > MAX_ASKED {
            let why = "the server names too many authorization servers that do not describe themselves";
            return Err(AuthError::new(Step::Server, Reason::Unsafe(why.to_owned())));
        }
        let request = LookUpPrompt {
            server: self.settings.server.clone(),
            issuer: address,
            proxy,
        };
        let answer = self.person.look_up(request).await;
        answer.map_err(|_| AuthError::new(Step::Consent, Reason::Declined))?;
        self.held().looked_up.insert(issuer.to_owned());
        let found = discovery::server(&self.wire, issuer).await;
        self.person.looked_up(found.is_ok()).await;
        found
    }

    /// Whether the user need not be asked: the issuer is part of what was connected to, or the user knows it.
    async fn may_look_up(&self, issuer: &str, address: &Url, is_proxied: bool) -> Result<bool, AuthError> {
        let server = &self.settings.server;
        let is_own = address.origin() == server.origin() || same_site(address, server) && !is_proxied;
        let entered = self.settings.entered.as_ref();
        let is_entered = entered.is_some_and(|entered| entered.issuer == issuer);
        if is_own || is_entered || self.held().looked_up.contains(issuer) {
            return Ok(true);
        }
        let last: Option<String> = self.recall(&self.issuer_name()).await?;
        Ok(last.as_deref() == Some(issuer))
    }
}
