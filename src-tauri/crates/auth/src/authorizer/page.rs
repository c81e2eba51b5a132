//! Decides whether a sign-in page on another site than its issuer may be used. It may where its answer has to name
//! the issuer (RFC 9207), where the user entered the client of this issuer, or where everything that could be
//! collected stays with the owner of the page. Otherwise an issuer could have the user sign in at a genuine page and
//! collect the code itself, because the code is sent where the issuer says.

use url::Url;

use crate::error::{AuthError, Reason, Step};
use crate::metadata::IssuerMetadata;
use crate::registration::ClientChoice;
use crate::settings::Grant;
use crate::site::same_site;
use crate::wire::origin;
use vestibule_app_protocol::{SignInClient, SignInOddity};

/// The sign-in page, where one will be opened and it belongs to another site than the issuer.
fn foreign_page<'a>(grant: &Grant, server: &'a IssuerMetadata) -> Option<&'a Url> {
    let page = server.authorization_endpoint.as_ref()?;
    let issuer = Url::parse(&server.issuer).ok();
    let own = issuer.is_some_and(|issuer| same_site(&issuer, page));
    (matches!(grant, Grant::Page) && !own).then_some(page)
}

/// What the card says of such a page.
pub(super) fn page_oddity(grant: &Grant, server: &IssuerMetadata) -> Option<SignInOddity> {
    Some(SignInOddity::OtherPage {
        origin: origin(foreign_page(grant, server)?),
        confirmed: server.names_itself,
    })
}

/// Whether an earlier registration may be used: not where nothing shows at whose page the client was registered.
pub(super) fn may_reuse_registration(grant: &Grant, server: &IssuerMetadata) -> bool {
    server.names_itself || foreign_page(grant, server).is_none()
}

/// Refuses a page of another site where the code could be collected by the issuer unnoticed.
pub(super) fn check_page(
    grant: &Grant,
    server: &IssuerMetadata,
    choice: &ClientChoice,
) -> Result<(), AuthError> {
    let Some(page) = foreign_page(grant, server) else {
        return Ok(());
    };
    if server.names_itself || matches!(choice.kind(), SignInClient::Entered { .. }) {
        return Ok(());
    }
    let client_is_of_page = match choice {
        ClientChoice::Register(endpoint) => same_site(endpoint, page),
        ClientChoice::Known { kind, .. } => matches!(kind, SignInClient::Document { .. }),
    };
    if client_is_of_page && same_site(&server.token_endpoint, page) {
        return Ok(());
    }
    Err(untrusted_page(page, &server.issuer))
}

fn untrusted_page(page: &Url, issuer: &str) -> AuthError {
    let why = format!(
        "the sign-in page is at {}, which does not belong to the authorization server {issuer}, and the answer of that \
         page does not say who gave it; what you enter there could be used by others. If you trust both, \
         enter a client ID for this authorization server in the server's sign-in settings",
        origin(page),
    );
    AuthError::new(Step::Server, Reason::Unsafe(why))
}
