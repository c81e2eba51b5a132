//! What is found out before the user is asked: who signs people in, what will be asked for, how that relates to
//! the sign-in before, and what is unusual about it. Reads public documents only, and those of other sites only where the
//! user agreed.

use url::Url;

use super::AuthorizerInner;
use super::look_up::LookUps;
use crate::discovery;
use crate::error::{AuthError, Reason, Step};
use crate::metadata::IssuerMetadata;
use crate::scope::Scopes;
use crate::settings::{Early, Grant};
use crate::wire::origin;
use vestibule_app_protocol::{SignInHistory, SignInOddity};

/// The scope that asks for access beyond the sign-in.
pub(super) const OFFLINE: &str = "offline_access";

/// What is known before the user is asked.
pub(super) struct Discovered {
    pub(super) resource: String,
    pub(super) server: IssuerMetadata,
    pub(super) scopes: Scopes,
    pub(super) new_scopes: Scopes,
    pub(super) relation: SignInHistory,
    pub(super) oddities: Vec<SignInOddity>,
    /// Whether the server takes tokens that are bound to a key, by what it says or by the one it takes now.
    pub(super) takes_proofs: bool,
    /// Whether the user wants to sign in with another account.
    pub(super) another: bool,
}

impl AuthorizerInner {
    pub(super) async fn discover(&self) -> Result<Discovered, AuthError> {
        let demand = self.held().demand.clone();
        let accepted = self.settings.resource.as_deref();
        let described = discovery::resource(&self.wire, &demand, accepted).await?;
        let (resource, offered, server) = match &described {
            Some(resource) => {
                let server = self.server_of(&resource.authorization_servers).await?;
                (
                    resource.resource.clone(),
                    resource.scopes_supported.clone(),
                    server,
                )
            }
            None if self.settings.early == Early::Refuse => {
                return Err(AuthError::new(Step::Resource, Reason::Undocumented));
            }
            None => {
                let server = discovery::early(&self.wire).await?;
                (
                    discovery::canonical(&self.settings.server),
                    Scopes::default(),
                    server,
                )
            }
        };
        let offers = self.offered(&server);
        self.held().offers = Some(offers);
        let mut oddities = self.oddities(&server, described.is_some())?;
        if discovery::is_wider(&self.settings.server, &resource) && accepted != Some(resource.as_str()) {
            oddities.push(SignInOddity::Wider);
        }
        let last: Option<String> = self.recall(&self.issuer_name()).await?;
        let held = self.held();
        let bound = held.kept.as_ref().is_some_and(|kept| kept.key.is_some());
        let takes_proofs =
            bound || demand.takes_proofs || described.as_ref().is_some_and(|resource| resource.takes_proofs);
        let same_issuer = last.as_ref().is_none_or(|last| *last == server.issuer);
        let had = held
            .kept
            .as_ref()
            .filter(|_| same_issuer)
            .map(|kept| kept.requested.clone());
        let had = had.unwrap_or_default();
        let mut scopes = demand.scope.unwrap_or(offered);
        if held.wants_more {
            scopes = had.union(&scopes);
        }
        let offline = matches!(self.settings.grant, Grant::Page)
            && self.settings.stay_signed_in
            && server.scopes_supported.contains(OFFLINE);
        if offline && !scopes.is_empty() {
            scopes.insert(OFFLINE.to_owned());
        }
        let relation = match last {
            None => SignInHistory::First,
            Some(before) if before != server.issuer => SignInHistory::IssuerChanged { before },
            Some(_) if held.wants_more => SignInHistory::MoreScopes,
            Some(_) => SignInHistory::Again,
        };
        Ok(Discovered {
            new_scopes: scopes.without(&had),
            resource,
            server,
            scopes,
            relation,
            oddities,
            takes_proofs,
            another: held.another,
        })
    }

    /// The first of the named authorization servers that describes itself, beginning with the one before.
    async fn server_of(&self, issuers: &[String]) -> Result<IssuerMetadata, AuthError> {
        let before = self.held().kept.as_ref().map(|kept| kept.issuer().to_owned());
        let entered = self
            .settings
            .entered
            .as_ref()
            .map(|entered| entered.issuer.clone());
        let preferred = entered.or(before).filter(|issuer| issuers.contains(issuer));
        let rest = issuers
            .iter()
            .filter(|issuer| Some(*issuer) != preferred.as_ref());
        let mut failed = AuthError::malformed(Step::Resource, "the server names no authorization server");
        let mut asked = LookUps::default();
        for issuer in preferred.iter().chain(rest) {
            match self.look_up(issuer, &mut asked).await {
                Err(error) if matches!(error.reason, Reason::Network(_) | Reason::Malformed(_)) => {
                    failed = error
                }
                done => return done,
            }
        }
        Err(failed)
    }

    /// What is unusual about this authorization server, or why it is not used at all.
    fn oddities(&self, server: &IssuerMetadata, described: bool) -> Result<Vec<SignInOddity>, AuthError> {
        let mut oddities = Vec::new();
        if !server.documented {
            oddities.push(SignInOddity::Guessed);
        }
        if matches!(self.settings.grant, Grant::Page) && !server.has_pkce() {
            if described && !self.settings.without_pkce.contains(&server.issuer) {
                let why = "the authorization server does not say that it checks the proof that protects the code (PKCE \
                           with S256)";
                return Err(AuthError::unsupported(Step::Server, why));
            }
            oddities.push(SignInOddity::NoPkce);
        }
        let own = Url::parse(&server.issuer).map_or_else(|_| String::new(), |issuer| origin(&issuer));
        let endpoints = [
            Some(&server.token_endpoint),
            server.registration_endpoint.as_ref(),
            server.revocation_endpoint.as_ref(),
        ];
        for endpoint in endpoints.into_iter().flatten().map(origin) {
            let other = SignInOddity::OtherOrigin {
                origin: endpoint.clone(),
            };
            if endpoint != own && !oddities.contains(&other) {
                oddities.push(other);
            }
        }
        oddities.extend(self.page_oddity(server));
        Ok(oddities)
    }
}
