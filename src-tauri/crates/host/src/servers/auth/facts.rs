//! A request to sign in as a card shows it: every address judged, whose the issuer is seen from the server, and what is
//! unusual. Nothing is decided here and nothing is asked.

use url::Url;
use vestibule_auth::{AssertionFile, SignInPrompt};
use vestibule_consent::{IssuerSite, SignIn, SignInFile, SignInWay};
use vestibule_policy::inspect::{
    KnownDomains, UrlContext, UrlInspection, UrlSource as Where, WELL_KNOWN, inspect,
};
use vestibule_transport::egress::NetworkReach;

/// What a card says of a request to sign in.
pub(super) fn facts(request: &SignInPrompt, kept: bool) -> SignIn {
    let known = KnownDomains::new(WELL_KNOWN);
    let place = match NetworkReach::from_url(&request.server) {
        // Who is near may name what is near; the sign-in itself keeps to that.
        NetworkReach::Local => Where::LocalServer,
        NetworkReach::Public => Where::OauthEndpoint,
    };
    let context = UrlContext {
        asking: request.server.host_str(),
        ..UrlContext::new(place, &known)
    };
    let look = |address: &Url| inspect(address.as_str(), &context);
    let issuer = inspect(&request.issuer, &context);
    let words = |scopes: &vestibule_auth::Scopes| scopes.iter().map(str::to_owned).collect();
    SignIn {
        resource: request.resource.clone(),
        site: site(
            &inspect(request.server.as_str(), &context),
            &issuer,
            &request.server,
        ),
        issuer,
        history: request.relation.clone(),
        way: request.way.clone(),
        page: request.authorization_endpoint.as_ref().map(look),
        token_endpoint: look(&request.token_endpoint),
        registration: request.registration_endpoint.as_ref().map(look),
        scopes: words(&request.scopes),
        new_scopes: words(&request.new_scopes),
        client: request.client.clone(),
        oddities: request.oddities.clone(),
        file: request.file.as_ref().map(|file| token_file(file, request)),
        kept,
    }
}

fn site(server: &UrlInspection, issuer: &UrlInspection, address: &Url) -> IssuerSite {
    let registered =
        server.registrable_domain.is_some() && server.registrable_domain == issuer.registrable_domain;
    if registered {
        IssuerSite::Same
    } else if server.ascii_host == issuer.ascii_host {
        match NetworkReach::from_url(address) {
            NetworkReach::Local => IssuerSite::ThisComputer,
            NetworkReach::Public => IssuerSite::Same,
        }
    } else {
        IssuerSite::Other
    }
}

/// The file whose content is sent, and the host it goes to first.
fn token_file(file: &AssertionFile, request: &SignInPrompt) -> SignInFile {
    let provider = match &request.way {
        SignInWay::Enterprise { identity_provider } => Url::parse(identity_provider).ok(),
        SignInWay::Page | SignInWay::ClientCredentials | SignInWay::Workload => None,
    };
    let to = provider.as_ref().unwrap_or(&request.token_endpoint);
    SignInFile {
        path: file.path.clone(),
        bytes: u32::try_from(file.bytes).unwrap_or(u32::MAX),
        to: to.host_str().unwrap_or_default().to_owned(),
    }
}
