//! Makes what two cards show: the one before an issuer is asked how it signs users in, and the one of a sign-in. Each
//! address is inspected for signs of deception, and the issuer is marked as the site of the server, another site, or
//! this computer. Nothing is decided or asked here.

use url::Url;
use vestibule_auth::{AssertionFile, LookUpPrompt, SignInPrompt};
use vestibule_consent::{IssuerLookUp, IssuerSite, SignIn, SignInFile, SignInWay};
use vestibule_egress::NetworkReach;
use vestibule_policy::inspect::{
    KnownDomains, UrlContext, UrlInspection, UrlSource as Where, WELL_KNOWN, inspect,
};

/// What a card says of an issuer that is to be asked how it signs users in.
pub(super) fn look_up(request: &LookUpPrompt, servers: &[String]) -> IssuerLookUp {
    let known = KnownDomains::new(WELL_KNOWN).with_servers(servers);
    let context = sign_in_context(&request.server, &known);
    let issuer = inspect(request.issuer.as_str(), &context);
    let server = inspect(request.server.as_str(), &context);
    IssuerLookUp {
        site: site(&server, &issuer, &request.server),
        issuer,
        proxy: request.proxy.clone(),
    }
}

fn sign_in_context<'a>(server: &'a Url, known: &'a KnownDomains) -> UrlContext<'a> {
    let place = if is_near(server) {
        // Who is near may name what is near; the sign-in itself keeps to that.
        Where::LocalServer
    } else {
        Where::OauthEndpoint
    };
    UrlContext {
        asking: server.host_str(),
        ..UrlContext::new(place, known)
    }
}

/// What a card says of a request to sign in.
pub(super) fn facts(request: &SignInPrompt, kept: bool, servers: &[String]) -> SignIn {
    let known = KnownDomains::new(WELL_KNOWN).with_servers(servers);
    let context = sign_in_context(&request.server, &known);
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

fn is_near(server: &Url) -> bool {
    NetworkReach::for_server(server) == NetworkReach::Local
}

fn site(server: &UrlInspection, issuer: &UrlInspection, address: &Url) -> IssuerSite {
    let registered =
        server.registrable_domain.is_some() && server.registrable_domain == issuer.registrable_domain;
    if registered {
        IssuerSite::Same
    } else if server.ascii_host == issuer.ascii_host {
        if is_near(address) {
            IssuerSite::ThisComputer
        } else {
            IssuerSite::Same
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
