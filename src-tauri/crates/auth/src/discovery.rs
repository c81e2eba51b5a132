//! Where the documents are: every place the specification names, in its order, and no other. What is found is
//! only used when it is about what was asked for. Nothing secret is sent from here; these are public documents.

use url::Url;
use vestibule_protocol::Revision;
use vestibule_transport::egress::HeaderMap;
use vestibule_transport::egress::header::HeaderValue;

use crate::challenge::Demand;
use crate::error::{AuthError, Reason, Step};
use crate::metadata::{Resource, Server};
use crate::wire::Wire;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// A place to look, and the resources a document found there may be about.
struct Place {
    address: Url,
    about: Vec<String>,
}

/// What the server says about itself; `None` when it says nothing anywhere.
pub(crate) async fn resource(
    wire: &Wire,
    demand: &Demand,
    accepted: Option<&str>,
) -> Result<Option<Resource>, AuthError> {
    for mut place in places(wire, demand)? {
        place.about.extend(accepted.map(ToOwned::to_owned));
        let found = wire
            .document(Step::Resource, &place.address, HeaderMap::new())
            .await?;
        if let Some(document) = found {
            return Resource::read(document, &place.about).map(Some);
        }
        if demand.resource_metadata.is_some() {
            let why = format!("the server points to {}, where nothing is", place.address);
            return Err(AuthError::malformed(Step::Resource, why));
        }
    }
    Ok(None)
}

fn places(wire: &Wire, demand: &Demand) -> Result<Vec<Place>, AuthError> {
    const STEP: Step = Step::Resource;
    let own = own_names(&wire.server);
    if let Some(text) = &demand.resource_metadata {
        let address = wire.address(STEP, "the address of the server's description", text)?;
        if address.origin() != wire.server.origin() {
            let why = format!("the server's description is said to be at {address}, another server");
            return Err(AuthError::new(STEP, Reason::Unsafe(why)));
        }
        return Ok(vec![Place { address, about: own }]);
    }
    let mut root = wire.server.clone();
    root.set_fragment(None);
    root.set_query(None);
    root.set_path(RESOURCE);
    let origin = wire.server.origin().ascii_serialization();
    let mut places = Vec::new();
    if wire.server.path() != "/" || wire.server.query().is_some() {
        let mut inserted = root.clone();
        inserted.set_path(&format!("{RESOURCE}{}", wire.server.path().trim_end_matches('/')));
        inserted.set_query(wire.server.query());
        places.push(Place {
            address: inserted,
            about: own.clone(),
        });
    }
    let about = own.into_iter().chain([origin]).collect();
    places.push(Place { address: root, about });
    Ok(places)
}

/// What the server may call itself: its address, and without the slash that only stands for an empty path.
fn own_names(server: &Url) -> Vec<String> {
    let mut address = server.clone();
    address.set_fragment(None);
    let text = address.as_str().to_owned();
    let bare =
        (address.path() == "/" && address.query().is_none()).then(|| text.trim_end_matches('/').to_owned());
    [text].into_iter().chain(bare).collect()
}

/// The resource a token is for where the server does not name it: its address in canonical form.
pub(crate) fn canonical(server: &Url) -> String {
    own_names(server)
        .pop()
        .expect("there is always the address itself")
}

/// What an authorization server says about itself.
pub(crate) async fn server(wire: &Wire, issuer: &str) -> Result<Server, AuthError> {
    const STEP: Step = Step::Server;
    let address = wire.address(STEP, "the authorization server", issuer)?;
    if address.query().is_some() {
        let why = format!("the authorization server \u{201c}{issuer}\u{201d} has a query in its address");
        return Err(AuthError::new(STEP, Reason::Unsafe(why)));
    }
    for place in server_places(&address) {
        if let Some(document) = wire.document(STEP, &place, HeaderMap::new()).await? {
            return Server::read(wire, document, issuer);
        }
    }
    Err(AuthError::malformed(
        STEP,
        format!("{issuer} describes itself nowhere"),
    ))
}

fn server_places(issuer: &Url) -> Vec<Url> {
    let at = |path: String| {
        let mut place = issuer.clone();
        place.set_path(&path);
        place
    };
    match issuer.path().trim_end_matches('/') {
        "" => vec![at(OAUTH.to_owned()), at(OPENID.to_owned())],
        path => vec![
            at(format!("{OAUTH}{path}")),
            at(format!("{OPENID}{path}")),
            at(format!("{path}{OPENID}")),
        ],
    }
}

/// The authorization server of the revision of 2025-03-26: the server's own origin, documented or not.
pub(crate) async fn early(wire: &Wire) -> Result<Server, AuthError> {
    let mut place = wire.server.clone();
    place.set_fragment(None);
    place.set_query(None);
    place.set_path(OAUTH);
    let mut headers = HeaderMap::new();
    let revision = HeaderValue::from_static(Revision::V2025_03_26.as_str());
    headers.insert("mcp-protocol-version", revision);
    match wire.document(Step::Server, &place, headers).await? {
        Some(document) => Server::read(wire, document, &wire.server.origin().ascii_serialization()),
        None => Server::undocumented(wire, &wire.server),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Limits;

    fn wire(server: &str) -> Wire {
        Wire::new(server.parse().unwrap(), Limits::default())
    }

    fn looked(server: &str, named: Option<&str>) -> Vec<String> {
        let demand = Demand {
            resource_metadata: named.map(ToOwned::to_owned),
            ..Demand::default()
        };
        let places = places(&wire(server), &demand).unwrap();
        places.into_iter().map(|place| place.address.into()).collect()
    }

    /// AU-005.
    #[test]
    fn a_description_is_looked_for_where_the_server_said_or_else_along_its_path() {
        let root = "https://a.example/.well-known/oauth-protected-resource";
        let named = "https://a.example/custom/x.json";
        let cases = [
            ("https://a.example/mcp", vec![format!("{root}/mcp"), root.into()]),
            (
                "https://a.example/v1/mcp/",
                vec![format!("{root}/v1/mcp"), root.into()],
            ),
            (
                "https://a.example/mcp?t=1",
                vec![format!("{root}/mcp?t=1"), root.into()],
            ),
            ("https://a.example/", vec![root.into()]),
        ];
        for (server, expected) in cases {
            assert_eq!(looked(server, None), expected, "{server}");
            assert_eq!(looked(server, Some(named)), [named]);
        }
    }

    /// AU-010, AU-011.
    #[test]
    fn an_issuer_with_a_path_has_three_places_and_one_without_has_two() {
        let places = |issuer: &str| -> Vec<String> {
            let found = server_places(&issuer.parse().unwrap());
            found.into_iter().map(Into::into).collect()
        };
        assert_eq!(
            places("https://a.example/t"),
            [
                "https://a.example/.well-known/oauth-authorization-server/t",
                "https://a.example/.well-known/openid-configuration/t",
                "https://a.example/t/.well-known/openid-configuration",
            ]
        );
        let bare = [
            "https://a.example/.well-known/oauth-authorization-server",
            "https://a.example/.well-known/openid-configuration",
        ];
        assert_eq!(places("https://a.example"), bare);
        assert_eq!(places("https://a.example/"), bare);
    }

    /// AU-046.
    #[test]
    fn the_canonical_name_of_a_server_has_no_needless_slash_and_small_letters() {
        for (server, name) in [
            ("HTTPS://A.example", "https://a.example"),
            ("https://a.example:443/mcp#x", "https://a.example/mcp"),
            ("https://a.example/mcp/", "https://a.example/mcp/"),
        ] {
            assert_eq!(canonical(&server.parse().unwrap()), name);
        }
    }
}
