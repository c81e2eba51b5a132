//! Where the documents are: every place the specification names, in its order, and no other. What is found is
//! only used when it is about what was asked for. Nothing secret is sent from here; these are public documents.

use serde_json::Value;
use url::Url;
use vestibule_egress::HeaderMap;
use vestibule_egress::header::HeaderValue;
use vestibule_protocol::Revision;

use crate::challenge::AuthDemand;
use crate::error::{AuthError, Reason, Step};
use crate::metadata::{IssuerMetadata, ResourceMetadata};
use crate::wire::AuthHttp;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// What the server says about itself; `None` when it says nothing anywhere.
pub(crate) async fn resource(
    wire: &AuthHttp,
    demand: &AuthDemand,
    accepted: Option<&str>,
) -> Result<Option<ResourceMetadata>, AuthError> {
    let mut about = own_names(&wire.server);
    about.extend(above(&wire.server));
    about.extend(accepted.map(ToOwned::to_owned));
    for place in places(wire, demand)? {
        let found = wire.document(Step::Resource, &place, HeaderMap::new()).await?;
        if let Some(document) = found {
            return ResourceMetadata::from_document(document, &about).map(Some);
        }
        if demand.resource_metadata.is_some() {
            let why = format!("the server points to {place}, where nothing is");
            return Err(AuthError::malformed(Step::Resource, why));
        }
    }
    Ok(None)
}

fn places(wire: &AuthHttp, demand: &AuthDemand) -> Result<Vec<Url>, AuthError> {
    if let Some(text) = &demand.resource_metadata {
        return Ok(vec![demanded_place(wire, text)?]);
    }
    let mut root = wire.server.clone();
    root.set_fragment(None);
    root.set_query(None);
    root.set_path(RESOURCE);
    let mut places = Vec::new();
    if wire.server.path() != "/" || wire.server.query().is_some() {
        let mut inserted = root.clone();
        inserted.set_path(&format!("{RESOURCE}{}", wire.server.path().trim_end_matches('/')));
        inserted.set_query(wire.server.query());
        places.push(inserted);
    }
    places.push(root);
    Ok(places)
}

/// The place the server points to, which has to be its own.
fn demanded_place(wire: &AuthHttp, text: &str) -> Result<Url, AuthError> {
    const STEP: Step = Step::Resource;
    let address = wire.address(STEP, "the address of the server's description", text)?;
    if address.origin() == wire.server.origin() {
        return Ok(address);
    }
    let why = format!("the server's description is said to be at {address}, another server");
    Err(AuthError::new(STEP, Reason::Unsafe(why)))
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

/// What the server stands under on its own origin, up to the origin itself: each with and without its last slash.
///
/// RFC 9728 §3.3 wants a description to be about exactly the address that was used. Servers that protect a whole
/// application describe that instead, and the clients of the protocol's own SDKs take it. So do we, since it stays
/// with one origin; but a token for it opens more than this server, so the card says so (`SignInOddity::Wider`). The names
/// are made here and compared letter by letter: nothing a server writes is taken apart.
fn above(server: &Url) -> Vec<String> {
    let (origin, path) = (server.origin().ascii_serialization(), server.path());
    let slashes = path.match_indices('/').rev();
    let folders = slashes.flat_map(|(at, _)| [&path[..=at], &path[..at]]);
    let whole = server.query().is_some().then_some(path);
    whole
        .into_iter()
        .chain(folders)
        .map(|path| format!("{origin}{path}"))
        .collect()
}

/// Whether a token for this resource opens more than the server.
pub(crate) fn is_wider(server: &Url, resource: &str) -> bool {
    let is = |name: &String| name == resource;
    !own_names(server).iter().any(is) && above(server).iter().any(is)
}

/// The resource a token is for where the server does not name it: its address in canonical form.
pub(crate) fn canonical(server: &Url) -> String {
    own_names(server)
        .pop()
        .expect("there is always the address itself")
}

/// What an authorization server says about itself.
pub(crate) async fn server(wire: &AuthHttp, issuer: &str) -> Result<IssuerMetadata, AuthError> {
    const STEP: Step = Step::Server;
    let address = wire.address(STEP, "the authorization server", issuer)?;
    if address.query().is_some() {
        let why = format!("the authorization server \u{201c}{issuer}\u{201d} has a query in its address");
        return Err(AuthError::new(STEP, Reason::Unsafe(why)));
    }
    for place in server_places(&address) {
        if let Some(document) = wire.document(STEP, &place, HeaderMap::new()).await? {
            return IssuerMetadata::from_document(wire, document, issuer);
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
pub(crate) async fn early(wire: &AuthHttp) -> Result<IssuerMetadata, AuthError> {
    let mut place = wire.server.clone();
    place.set_fragment(None);
    place.set_query(None);
    place.set_path(OAUTH);
    let mut headers = HeaderMap::new();
    let revision = HeaderValue::from_static(Revision::V2025_03_26.as_str());
    headers.insert("mcp-protocol-version", revision);
    match wire.document(Step::Server, &place, headers).await? {
        Some(document) => {
            let issuer = early_issuer(&wire.server, &document);
            IssuerMetadata::from_document(wire, document, &issuer)
        }
        None => IssuerMetadata::undocumented(wire, &wire.server),
    }
}

/// The issuer at a server's origin, which nothing named before its document was read. The address of the document follows
/// from the origin with its slash as well as without (RFC 8414 §3.1), so the document says which of the two it is.
fn early_issuer(server: &Url, document: &Value) -> String {
    let origin = server.origin().ascii_serialization();
    let with_slash = format!("{origin}/");
    if document["issuer"] == with_slash.as_str() {
        with_slash
    } else {
        origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::AuthLimits;

    fn wire(server: &str) -> AuthHttp {
        AuthHttp::new(server.parse().unwrap(), AuthLimits::default())
    }

    fn looked(server: &str, named: Option<&str>) -> Vec<String> {
        let demand = AuthDemand {
            resource_metadata: named.map(ToOwned::to_owned),
            ..AuthDemand::default()
        };
        let places = places(&wire(server), &demand).unwrap();
        places.into_iter().map(Into::into).collect()
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

    /// AU-007: what may stand for a server is it and what it stands under, and never its neighbours.
    #[test]
    fn a_server_is_part_of_what_stands_above_it_on_its_origin() {
        let cases = [
            ("https://a.example/x/mcp", "https://a.example/x/mcp", Some(false)),
            ("https://a.example/x/mcp", "https://a.example/x/", Some(true)),
            ("https://a.example/x/mcp", "https://a.example/x", Some(true)),
            ("https://a.example/x/mcp", "https://a.example/", Some(true)),
            ("https://a.example/x/mcp", "https://a.example", Some(true)),
            ("https://a.example/mcp?t=1", "https://a.example/mcp", Some(true)),
            ("https://a.example/mcp/", "https://a.example/mcp", Some(true)),
            ("https://a.example/", "https://a.example", Some(false)),
            ("https://a.example/x/mcp", "https://a.example/x/m", None),
            ("https://a.example/x/mcp", "https://a.example/x/mcp/", None),
            ("https://a.example/x/mcp", "https://a.example/X", None),
            ("https://a.example/x/mcp", "https://a.example/x?", None),
            ("https://a.example/x/mcp", "https://a.example/y/../x", None),
            ("https://a.example/x/mcp", "https://a.example:443/x", None),
            ("https://a.example/x/mcp", "https://me@a.example/x", None),
            ("https://a.example/x/mcp", "https://a.example.evil.test", None),
            ("https://a.example/x/mcp", "http://a.example/x", None),
            ("https://a.example:8443/mcp", "https://a.example", None),
        ];
        for (server, resource, wider) in cases {
            let server: Url = server.parse().unwrap();
            let known = own_names(&server).into_iter().chain(above(&server));
            let found = known.into_iter().any(|name| name == resource);
            assert_eq!(found, wider.is_some(), "{server} and {resource}");
            assert_eq!(
                is_wider(&server, resource),
                wider == Some(true),
                "{server} and {resource}"
            );
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
