//! What is found out before the user is asked: who signs people in, what will be asked for, how that relates to
//! the sign-in before, and what is unusual about it. Reads public documents only, and those of other sites only where the
//! user agreed.

use url::Url;

use super::grants::offers;
use super::look_up::LookUps;
use super::page::page_oddity;
use super::{AuthorizerInner, SignInState};
use crate::challenge::AuthDemand;
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
    let (resource, server, oddities) = read_documents(authorizer, &demand).await?;
    let last = authorizer.records.last_issuer().await?;
    let held = authorizer.held();
    let had = had_scopes(&held, last.as_deref(), &server);
    let offered = demand.scope.unwrap_or(resource.scopes_supported);
    let scopes = asked_scopes(settings, &server, offered, held.wants_more.then_some(&had));
    Ok(Discovered {
        new_scopes: scopes.without(&had),
        resource: resource.resource,
        relation: history(last, &server, held.wants_more),
        server,
        scopes,
        oddities,
        takes_proofs: is_bound(&held) || demand.takes_proofs || resource.takes_proofs,
        another: held.another,
    })
}

/// What the server and the authorization server to use say about themselves, and what is unusual about that.
async fn read_documents(
    authorizer: &AuthorizerInner,
    demand: &AuthDemand,
) -> Result<(ResourceMetadata, IssuerMetadata, Vec<SignInOddity>), AuthError> {
    let settings = &authorizer.settings;
    let described = discovery::resource(&authorizer.wire, demand, settings.resource.as_deref()).await?;
    let server = match &described {
        Some(resource) => first_described(authorizer, &resource.authorization_servers).await?,
        None if settings.early == Early::Refuse => {
            return Err(AuthError::new(Step::Resource, Reason::Undocumented));
        }
        None => discovery::early(&authorizer.wire).await?,
    };
    authorizer.held().offers = Some(offers(&server));
    let oddities = oddities(settings, &server, described.as_ref())?;
    let resource = described.unwrap_or_else(|| undescribed(settings));
    Ok((resource, server, oddities))
}

/// What is assumed of a server that does not describe itself.
fn undescribed(settings: &AuthSettings) -> ResourceMetadata {
    ResourceMetadata {
        resource: discovery::canonical(&settings.server),
        authorization_servers: Vec::new(),
        scopes_supported: Scopes::default(),
        takes_proofs: false,
    }
}

/// The scopes to ask for: those that are offered, those the user gave before where `before` is set, and the one for
/// staying signed in.
fn asked_scopes(
    settings: &AuthSettings,
    server: &IssuerMetadata,
    offered: Scopes,
    before: Option<&Scopes>,
) -> Scopes {
    let mut scopes = match before {
        Some(before) => before.union(&offered),
        None => offered,
    };
    if !scopes.is_empty() && stays_signed_in(settings, server) {
        scopes.insert(OFFLINE.to_owned());
    }
    scopes
}

/// Whether the token there is now is bound to a key.
fn is_bound(held: &SignInState) -> bool {
    held.kept.as_ref().is_some_and(|kept| kept.key.is_some())
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
    let preferred = preferred_issuer(authorizer, issuers);
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

/// The authorization server of the entered client, or else the one of the token there is, if the server names it.
fn preferred_issuer(authorizer: &AuthorizerInner, issuers: &[String]) -> Option<String> {
    let held = authorizer.held();
    let before = held.kept.as_ref().map(|kept| kept.issuer().to_owned());
    let entered = authorizer.settings.entered.as_ref();
    let entered = entered.map(|entered| entered.issuer.clone());
    entered.or(before).filter(|issuer| issuers.contains(issuer))
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
        check_lack_of_pkce(settings, server, described.is_some())?;
        oddities.push(SignInOddity::NoPkce);
    }
    oddities.extend(other_origins(server));
    oddities.extend(page_oddity(&settings.grant, server));
    if described.is_some_and(|described| is_wider_than_agreed(settings, &described.resource)) {
        oddities.push(SignInOddity::Wider);
    }
    Ok(oddities)
}

/// Refuses an authorization server without PKCE, unless it is one of the early revision or the user let it be used.
fn check_lack_of_pkce(
    settings: &AuthSettings,
    server: &IssuerMetadata,
    is_described: bool,
) -> Result<(), AuthError> {
    if !is_described || settings.without_pkce.contains(&server.issuer) {
        return Ok(());
    }
    let why = "the authorization server does not say that it checks the proof that protects the code (PKCE with S256)";
    Err(AuthError::unsupported(Step::Server, why))
}

/// Whether a token for this resource opens more than the server, and more than the user agreed to.
fn is_wider_than_agreed(settings: &AuthSettings, resource: &str) -> bool {
    discovery::is_wider(&settings.server, resource) && settings.resource.as_deref() != Some(resource)
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
