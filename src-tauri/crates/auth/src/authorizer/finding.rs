//! What is found out before the user is asked: who signs people in, what will be asked for, how that relates to
//! the sign-in before, and what is unusual about it. Reads public documents only, and those of other sites only where the
//! user agreed.

use url::Url;

use super::grants::offers;
use super::look_up::LookUps;
use super::page::page_oddity;
use super::{AuthorizerInner, SignInState};
use crate::discovery;
use crate::error::{AuthError, Reason, Step};
use crate::metadata::{IssuerMetadata, ResourceMetadata};
use crate::scope::Scopes;
use crate::settings::{AuthSettings, Early, Grant};
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

/// Reads what the server and its issuer publish, and what the user will be asked because of it.
pub(super) async fn discover(authorizer: &AuthorizerInner) -> Result<Discovered, AuthError> {
    let settings = &authorizer.settings;
    let demand = authorizer.held().demand.clone();
    let described = discovery::resource(&authorizer.wire, &demand, settings.resource.as_deref()).await?;
    let server = match &described {
        Some(resource) => first_described(authorizer, &resource.authorization_servers).await?,
        None if settings.early == Early::Refuse => {
            return Err(AuthError::new(Step::Resource, Reason::Undocumented));
        }
        None => discovery::early(&authorizer.wire).await?,
    };
    authorizer.held().offers = Some(offers(&server));
    let oddities = oddities(settings, &server, described.as_ref())?;
    let last = authorizer.records.last_issuer().await?;
    let held = authorizer.held();
    let (resource, offered, takes_proofs) = match described {
        Some(described) => (
            described.resource,
            described.scopes_supported,
            described.takes_proofs,
        ),
        None => (discovery::canonical(&settings.server), Scopes::default(), false),
    };
    let bound = held.kept.as_ref().is_some_and(|kept| kept.key.is_some());
    let had = had_scopes(&held, last.as_deref(), &server);
    let mut scopes = demand.scope.unwrap_or(offered);
    if held.wants_more {
        scopes = had.union(&scopes);
    }
    if !scopes.is_empty() && stays_signed_in(settings, &server) {
        scopes.insert(OFFLINE.to_owned());
    }
    Ok(Discovered {
        new_scopes: scopes.without(&had),
        resource,
        relation: history(last, &server, held.wants_more),
        server,
        scopes,
        oddities,
        takes_proofs: bound || demand.takes_proofs || takes_proofs,
        another: held.another,
    })
}

/// The scopes that were asked for last, where that was at the same issuer.
fn had_scopes(held: &SignInState, last: Option<&str>, server: &IssuerMetadata) -> Scopes {
    let is_same_issuer = last.is_none_or(|last| last == server.issuer);
    let kept = held.kept.as_ref().filter(|_| is_same_issuer);
    kept.map(|kept| kept.requested.clone()).unwrap_or_default()
}

fn stays_signed_in(settings: &AuthSettings, server: &IssuerMetadata) -> bool {
    matches!(settings.grant, Grant::Page)
        && settings.stay_signed_in
        && server.scopes_supported.contains(OFFLINE)
}

fn history(last: Option<String>, server: &IssuerMetadata, wants_more: bool) -> SignInHistory {
    match last {
        None => SignInHistory::First,
        Some(before) if before != server.issuer => SignInHistory::IssuerChanged { before },
        Some(_) if wants_more => SignInHistory::MoreScopes,
        Some(_) => SignInHistory::Again,
    }
}

/// The first of the named authorization servers that describes itself, beginning with the one before.
async fn first_described(
    authorizer: &AuthorizerInner,
    issuers: &[String],
) -> Result<IssuerMetadata, AuthError> {
    let before = authorizer
        .held()
        .kept
        .as_ref()
        .map(|kept| kept.issuer().to_owned());
    let entered = authorizer.settings.entered.as_ref();
    let entered = entered.map(|entered| entered.issuer.clone());
    let preferred = entered.or(before).filter(|issuer| issuers.contains(issuer));
    let rest = issuers
        .iter()
        .filter(|issuer| Some(*issuer) != preferred.as_ref());
    let mut failed = AuthError::malformed(Step::Resource, "the server names no authorization server");
    let mut look_ups = LookUps::new(authorizer);
    for issuer in preferred.iter().chain(rest) {
        match look_ups.look_up(issuer).await {
            Err(error) if matches!(error.reason, Reason::Network(_) | Reason::Malformed(_)) => failed = error,
            done => return done,
        }
    }
    Err(failed)
}

/// What is unusual about this authorization server, or why it is not used at all. `described` is what the server says of
/// itself, if it says anything.
fn oddities(
    settings: &AuthSettings,
    server: &IssuerMetadata,
    described: Option<&ResourceMetadata>,
) -> Result<Vec<SignInOddity>, AuthError> {
    let mut oddities = Vec::new();
    if !server.documented {
        oddities.push(SignInOddity::Guessed);
    }
    if matches!(settings.grant, Grant::Page) && !server.has_pkce() {
        if described.is_some() && !settings.without_pkce.contains(&server.issuer) {
            let why = "the authorization server does not say that it checks the proof that protects the code (PKCE \
                       with S256)";
            return Err(AuthError::unsupported(Step::Server, why));
        }
        oddities.push(SignInOddity::NoPkce);
    }
    oddities.extend(other_origins(server));
    oddities.extend(page_oddity(&settings.grant, server));
    let is_wider = |resource: &ResourceMetadata| {
        discovery::is_wider(&settings.server, &resource.resource)
            && settings.resource.as_deref() != Some(resource.resource.as_str())
    };
    if described.is_some_and(is_wider) {
        oddities.push(SignInOddity::Wider);
    }
    Ok(oddities)
}

/// The origins of the issuer's endpoints that are not its own, each once.
fn other_origins(server: &IssuerMetadata) -> Vec<SignInOddity> {
    let own = Url::parse(&server.issuer).map_or_else(|_| String::new(), |issuer| origin(&issuer));
    let endpoints = [
        Some(&server.token_endpoint),
        server.registration_endpoint.as_ref(),
        server.revocation_endpoint.as_ref(),
    ];
    let mut others = Vec::new();
    for origin in endpoints.into_iter().flatten().map(origin) {
        let is_own = origin == own;
        let other = SignInOddity::OtherOrigin { origin };
        if !is_own && !others.contains(&other) {
            others.push(other);
        }
    }
    others
}
