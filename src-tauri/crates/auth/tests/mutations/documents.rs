//! Wrong descriptions: of the server, and of the authorization server.

use serde_json::{Value, json};
use vestibule_auth::*;

use super::*;

/// AU-005, AU-007. Attacks O6, O7, O8, N3.
#[tokio::test]
async fn a_wrong_description_of_the_server_stops_it() {
    let mut rows = Vec::new();
    for (name, reply, said) in no_documents() {
        let change = document(Party::Server, RESOURCE, move |_| reply.clone());
        rows.push(row(format!("description {name}"), Step::Resource, said, change));
    }
    for code in [301, 302, 303, 307, 308] {
        let change = document(Party::Server, RESOURCE, move |world| {
            Reply::Redirect(code, format!("{}/steal", world.other))
        });
        rows.push(row(
            format!("description moved {code}"),
            Step::Resource,
            "another server",
            change,
        ));
    }
    let resources: [(&str, Made); 10] = [
        ("of another host", |_| json!("https://evil.example/mcp")),
        ("of another port", |world| json!(format!("{}/mcp", world.other))),
        ("of the parent, with a query", |world| {
            json!(format!("{}/?x", world.server.origin().ascii_serialization()))
        }),
        ("of the parent, over a neighbour", |world| {
            json!(format!("{}/x/..", world.server.origin().ascii_serialization()))
        }),
        ("of half a name", |world| {
            json!(world.server.as_str().trim_end_matches('p'))
        }),
        ("of a sibling", |world| json!(format!("{}2", world.server))),
        ("with a slash", |world| json!(format!("{}/", world.server))),
        ("in capitals", |world| {
            json!(world.server.as_str().replace("/mcp", "/MCP"))
        }),
        ("encoded", |world| {
            json!(world.server.as_str().replace("/mcp", "/%6dcp"))
        }),
        ("that is no text", |_| json!(["x"])),
    ];
    for (name, resource) in resources {
        rows.push(row(
            format!("resource {name}"),
            Step::Resource,
            "",
            move |world| {
                let resource = resource(world);
                world.change_resource(|it| it["resource"] = resource);
            },
        ));
    }
    for (name, servers) in [
        ("none", json!([])),
        ("no list", json!("x")),
        ("numbers", json!([1])),
    ] {
        rows.push(row(
            format!("issuers: {name}"),
            Step::Resource,
            "",
            move |world| {
                world.change_resource(|it| it["authorization_servers"] = servers.clone());
            },
        ));
    }
    for address in BAD_ADDRESSES
        .into_iter()
        .chain(["https://evil.example/x", "http://127.0.0.1:9/x"])
    {
        rows.push(row(
            format!("described at {address:?}"),
            Step::Resource,
            "",
            move |world| {
                let challenge = format!(
                    "Bearer resource_metadata=\"{}\"",
                    address.replace(['\\', '"'], "^")
                );
                world.change(|plan| plan.challenge = Some((401, challenge)));
            },
        ));
    }
    rows.push(row(
        "described where nothing is",
        Step::Resource,
        "where nothing is",
        |world| {
            let challenge = format!(
                "Bearer resource_metadata=\"{}\"",
                world.server.join("/nothing").unwrap()
            );
            world.change(|plan| plan.challenge = Some((401, challenge)));
        },
    ));
    rows.push(row(
        "down behind a gateway, and not pointed to",
        Step::Resource,
        "status 503",
        |world| {
            document(Party::Server, RESOURCE, |_| {
                Reply::Text(503, "text/html", "<h1>503".into())
            })(world);
            world.change(|plan| plan.challenge = Some((401, "Bearer".into())));
        },
    ));
    check(rows, 50).await;
}

/// AU-012, AU-042, AU-051, AU-053, AU-054. Attacks O1, O2, O4, O7, O8, O11.
#[tokio::test]
async fn wrong_metadata_of_the_authorization_server_stop_it() {
    let mut rows = Vec::new();
    for (name, reply, said) in no_documents() {
        let change = document(Party::Issuer, METADATA, move |_| reply.clone());
        rows.push(row(format!("metadata {name}"), Step::Server, said, change));
    }
    for code in [301, 307, 308] {
        let change = document(Party::Issuer, METADATA, move |world| {
            Reply::Redirect(code, format!("{}{METADATA}", world.other))
        });
        rows.push(row(
            format!("metadata moved {code}"),
            Step::Server,
            "another server",
            change,
        ));
    }
    let issuers: [(&str, Made); 7] = [
        ("missing", |_| Value::Null),
        ("of another", |_| json!("https://evil.example")),
        ("of another port", |world| json!(world.other)),
        ("with a slash", |world| json!(format!("{}/", world.issuer))),
        ("in capitals", |world| json!(world.issuer.replace("http", "HTTP"))),
        ("with a path", |world| json!(format!("{}/t", world.issuer))),
        ("as localhost", |world| {
            json!(world.issuer.replace("127.0.0.1", "localhost"))
        }),
    ];
    for (name, issuer) in issuers {
        rows.push(row(format!("issuer {name}"), Step::Server, "", move |world| {
            let issuer = issuer(world);
            world.change_metadata(|it| it["issuer"] = issuer);
        }));
    }
    for field in [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
    ] {
        for address in BAD_ADDRESSES {
            rows.push(row(
                format!("{field} {address:?}"),
                Step::Server,
                "",
                move |world| {
                    world.change_metadata(|it| it[field] = json!(address));
                },
            ));
        }
    }
    for address in BAD_ADDRESSES
        .into_iter()
        .chain(["https://10.0.0.1", "http://192.168.0.1:80"])
    {
        rows.push(row(
            format!("authorization server {address:?}"),
            Step::Server,
            "",
            move |world| {
                world.change_resource(|it| it["authorization_servers"] = json!([address]));
            },
        ));
    }
    for (name, methods) in [
        ("missing", Value::Null),
        ("plain only", json!(["plain"])),
        ("empty", json!([])),
    ] {
        rows.push(row(format!("PKCE {name}"), Step::Server, "PKCE", move |world| {
            world.change_metadata(|it| it["code_challenge_methods_supported"] = methods.clone());
        }));
    }
    for ours in [
        "state=x",
        "client_id=x",
        "redirect_uri=x",
        "request_uri=x",
        "code_challenge_method=plain",
        "scope=admin",
        "claims=%7B%7D",
        "authorization_details=%5B%5D",
        "response_mode=fragment",
    ] {
        rows.push(row(
            format!("page with {ours}"),
            Step::Server,
            "ours to say",
            move |world| {
                let page = format!("{}/authorize?{ours}", world.issuer);
                world.change_metadata(|it| it["authorization_endpoint"] = json!(page));
            },
        ));
    }
    rows.push(row("no page", Step::Server, "no sign-in page", |world| {
        world.change_metadata(|it| it["authorization_endpoint"] = Value::Null);
    }));
    rows.push(row(
        "no client id to be had",
        Step::Identity,
        "client id",
        |world| {
            world.change_metadata(|it| it["registration_endpoint"] = Value::Null);
        },
    ));
    for field in ["token_endpoint", "registration_endpoint", "revocation_endpoint"] {
        rows.push(row(
            format!("{field} of another"),
            Step::Consent,
            "declined",
            move |world| {
                let address = format!("{}/{field}", world.other);
                world.change_metadata(|it| it[field] = json!(address));
            },
        ));
    }
    check(rows, 130).await;
}
