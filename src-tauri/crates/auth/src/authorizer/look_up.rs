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

/// The look-ups of one sign-in.
pub(super) struct LookUps<'a> {
    authorizer: &'a AuthorizerInner,
    /// How often the user was asked.
    asked: u32,
}

impl<'a> LookUps<'a> {
    pub(super) fn new(authorizer: &'a AuthorizerInner) -> Self {
        Self { authorizer, asked: 0 }
    }

    /// What an authorization server says about itself, if it may be asked.
    pub(super) async fn look_up(&mut self, issuer: &str) -> Result<IssuerMetadata, AuthError> {
        let wire = &self.authorizer.wire;
        let address = wire.address(Step::Server, "the authorization server", issuer)?;
        let proxy = wire.proxies.between(&address).ok().flatten().map(origin);
        if self.may_look_up(issuer, &address, proxy.is_some()).await? {
            return discovery::server(wire, issuer).await;
        }
        self.count_question()?;
        let request = LookUpPrompt {
            server: self.authorizer.settings.server.clone(),
            issuer: address,
            proxy,
        };
        let person = &self.authorizer.person;
        let answer = person.look_up(request).await;
        answer.map_err(|_| AuthError::new(Step::Consent, Reason::Declined))?;
        self.authorizer.held().looked_up.insert(issuer.to_owned());
        let found = discovery::server(wire, issuer).await;
        person.looked_up(found.is_ok()).await;
        found
    }

    fn count_question(&mut self) -> Result<(), AuthError> {
        self.asked += 1;
        if self.asked <= MAX_ASKED {
            return Ok(());
        }
        let why = "the server names too many authorization servers that do not describe themselves";
        Err(AuthError::new(Step::Server, Reason::Unsafe(why.to_owned())))
    }

    /// Whether the user need not be asked: the issuer is part of what was connected to, or the user knows it.
    async fn may_look_up(&self, issuer: &str, address: &Url, is_proxied: bool) -> Result<bool, AuthError> {
        let server = &self.authorizer.settings.server;
        let is_own = address.origin() == server.origin() || same_site(address, server) && !is_proxied;
        let entered = self.authorizer.settings.entered.as_ref();
        let is_entered = entered.is_some_and(|entered| entered.issuer == issuer);
        if is_own || is_entered || self.authorizer.held().looked_up.contains(issuer) {
            return Ok(true);
        }
        let last = self.authorizer.records.last_issuer().await?;
        Ok(last.as_deref() == Some(issuer))
    }
}
