//! One thing wrong at a time: each row changes a working world in one place, says at which step the sign-in has
//! to stop and what the sentence has to mention, and after each row the record of all requests is searched for
//! secrets in the wrong hands. Attacks O1 to O11, O13 and N3.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use vestibule_auth::*;

use crate::support::*;

/// What a row changes.
type Change = Box<dyn Fn(&World)>;
/// A value that depends on who is who.
type Made = fn(&World) -> Value;

struct Row {
    name: String,
    change: Change,
    step: Step,
    said: &'static str,
    /// Whether the person was asked before it stopped.
    asked: bool,
}

fn row(name: impl Into<String>, step: Step, said: &'static str, change: impl Fn(&World) + 'static) -> Row {
    let asked = !matches!(
        step,
        Step::Challenge | Step::Resource | Step::Server | Step::Identity
    );
    Row {
        name: name.into(),
        change: Box::new(change),
        step,
        said,
        asked,
    }
}

async fn check(rows: Vec<Row>, at_least: usize) {
    assert!(rows.len() >= at_least, "{} rows", rows.len());
    for row in rows {
        let world = World::new().await;
        (row.change)(&world);
        let authorizer = world.authorizer();
        let error = world.call(&authorizer).await.expect_err(&row.name);
        let (name, text) = (&row.name, error.to_string());
        assert_eq!(error.step, row.step, "{name}: {text}");
        assert!(text.contains(row.said), "{name}: {text}");
        assert!(
            text.starts_with(&row.step.to_string()),
            "{name} names the step: {text}"
        );
        assert!(!text.contains(CANARY), "{name} quotes a secret: {text}");
        assert_eq!(!world.visitor.asked().is_empty(), row.asked, "{name}: {text}");
        assert_eq!(authorizer.signed_in(), None, "{name}");
        assert!(
            world
                .at(Party::Server, "/mcp")
                .iter()
                .all(|it| it.header("authorization").is_none()),
            "{name}"
        );
        world.assert_nothing_leaked(name);
    }
}

fn document(party: Party, path: &'static str, reply: impl Fn(&World) -> Reply + 'static) -> impl Fn(&World) {
    move |world| {
        let reply = reply(world);
        world.change(|plan| {
            plan.documents.insert((party, path.to_owned()), reply);
        });
    }
}

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// Answers that are no documents, wherever a document is read.
fn no_documents() -> Vec<(&'static str, Reply, &'static str)> {
    vec![
        (
            "not JSON",
            Reply::Text(200, "application/json", "{".into()),
            "not JSON",
        ),
        ("an array", Reply::Json(200, json!([])), "not as it should be"),
        ("a text", Reply::Json(200, json!("x")), "not as it should be"),
        ("null", Reply::Json(200, Value::Null), "not as it should be"),
        ("empty", Reply::Json(200, json!({})), "not as it should be"),
        (
            "without a type and empty",
            Reply::Text(200, "text/plain", String::new()),
            "not JSON",
        ),
        (
            "huge",
            Reply::Text(200, "application/json", " ".repeat(300 * 1024)),
            "longer than",
        ),
        ("endless", Reply::Endless, "longer than"),
        ("silent", Reply::Silence, "said nothing"),
        (
            "nested",
            Reply::Text(200, "application/json", "[".repeat(100_000)),
            "not JSON",
        ),
        ("broken", Reply::Json(500, json!({})), "status 500"),
        (
            "pointing to itself",
            Reply::Redirect(302, "?again".into()),
            "keeps pointing",
        ),
        (
            "pointing nowhere",
            Reply::Redirect(302, "http://[".into()),
            "points nowhere",
        ),
    ]
}

/// Addresses no document may name. Attacks O1, O2, O7.
const BAD_ADDRESSES: [&str; 22] = [
    "",
    "/relative",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "ftp://a.example/",
    "http://login.example/token",
    "http://10.0.0.1/token",
    "https://10.0.0.1/token",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00::1]/token",
    "https://[::ffff:192.168.0.1]/token",
    "https://0.0.0.0/token",
    "https://0x0a.1/token",
    "https://user:pass@login.example/token",
    "https://login.example/token#fragment",
    "https://login.example/$(id)",
    "https://login.example/a b",
    "https://login.example/\"&calc.exe&\"",
    "https://login.example/`id`;x",
    "https://login.example\\@evil.example/",
];

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
    let resources: [(&str, Made); 8] = [
        ("of another host", |_| json!("https://evil.example/mcp")),
        ("of another port", |world| json!(format!("{}/mcp", world.other))),
        ("of the parent", |world| {
            json!(world.server.as_str().trim_end_matches("/mcp"))
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

/// AU-027, AU-028. Attacks O8, O15.
#[tokio::test]
async fn a_registration_that_goes_wrong_stops_it_before_any_page() {
    let mut rows = Vec::new();
    for (name, reply, said) in [
        (
            "refused",
            Reply::Json(
                400,
                json!({"error": "invalid_redirect_uri", "error_description": "no \u{202e}loopback"}),
            ),
            "no loopback",
        ),
        ("forbidden", Reply::Json(403, json!({})), "status 403"),
        ("broken", Reply::Json(500, json!({})), "status 500"),
        ("empty", Reply::Json(201, json!({})), "no client id"),
        (
            "empty id",
            Reply::Json(201, json!({"client_id": ""})),
            "no client id",
        ),
        (
            "odd id",
            Reply::Json(201, json!({"client_id": "a\nb"})),
            "no client id",
        ),
        (
            "number",
            Reply::Json(201, json!({"client_id": 7})),
            "no client id",
        ),
        (
            "huge",
            Reply::Text(201, "application/json", "x".repeat(400 * 1024)),
            "longer than",
        ),
        ("endless", Reply::Endless, "longer than"),
        ("silent", Reply::Silence, "said nothing"),
        ("page", Reply::Text(200, "text/html", "<h1>".into()), "not JSON"),
        (
            "other way back",
            Reply::Json(
                201,
                json!({"client_id": "a", "redirect_uris": ["https://evil.example"]}),
            ),
            "another address",
        ),
    ] {
        let change = document(Party::Issuer, "/register", move |_| reply.clone());
        rows.push(row(
            format!("registration {name}"),
            Step::Registration,
            said,
            change,
        ));
    }
    for code in [301, 302, 303, 307, 308] {
        let change = document(Party::Issuer, "/register", move |world| {
            Reply::Redirect(code, format!("{}/register", world.other))
        });
        rows.push(row(
            format!("registration moved {code}"),
            Step::Registration,
            "never done",
            change,
        ));
    }
    check(rows, 17).await;
}

/// AU-044, AU-047, AU-048, AU-049, AU-050. Attack O5: four rows of the table, success and error, each with what
/// a careless comparison would let through.
#[tokio::test]
async fn an_answer_of_the_wrong_server_stops_it_before_the_code_is_used() {
    let mut rows = Vec::new();
    let wrong: [fn(&World) -> String; 7] = [
        |_| "https://evil.example".into(),
        |world| format!("{}/", world.issuer),
        |world| world.issuer.replace("http", "HTTP"),
        |world| world.issuer.replace("127.0.0.1", "127.0.0.1.").clone(),
        |world| world.issuer.replace("127", "%3127"),
        |world| world.other.clone(),
        |_| String::new(),
    ];
    for (at, issuer) in wrong.into_iter().enumerate() {
        for advertised in [true, false] {
            for kind in ["code", "error"] {
                let name = format!("iss {at} advertised {advertised} {kind}");
                rows.push(row(name, Step::Callback, "has to be", move |world| {
                    world.change_metadata(|it| {
                        it["authorization_response_iss_parameter_supported"] = json!(advertised);
                    });
                    let issuer = issuer(world);
                    world.change(|plan| {
                        plan.callback.retain(|(name, _)| name == "state");
                        plan.callback.push((kind.into(), "{code}".into()));
                        plan.callback.push(("iss".into(), issuer));
                    });
                }));
            }
        }
    }
    for kind in ["code", "error"] {
        rows.push(row(
            format!("iss missing {kind}"),
            Step::Callback,
            "nobody",
            move |world| {
                world.change(|plan| {
                    plan.callback = vec![(kind.into(), "{code}".into()), ("state".into(), "{state}".into())];
                });
            },
        ));
    }
    for (name, callback, said) in [
        ("nothing", vec![], "neither a code"),
        ("an empty code", vec![("code", String::new())], "neither a code"),
        ("a huge code", vec![("code", "x".repeat(5000))], "neither a code"),
        (
            "a no",
            vec![("error", "access_denied".to_owned())],
            "access_denied",
        ),
        (
            "a no and a code",
            vec![
                ("error", "server_error".to_owned()),
                ("code", "{code}".to_owned()),
            ],
            "server_error",
        ),
    ] {
        rows.push(row(
            format!("callback with {name}"),
            Step::Callback,
            said,
            move |world| {
                let callback = callback.clone();
                world.change(|plan| {
                    plan.callback.retain(|(name, _)| name != "code");
                    plan.callback
                        .extend(callback.into_iter().map(|(name, value)| (name.to_owned(), value)));
                });
            },
        ));
    }
    check(rows, 35).await;
}

/// AU-048: not advertised and absent goes on.
#[tokio::test]
async fn a_server_that_names_itself_nowhere_is_no_reason_to_stop() {
    let world = World::new().await;
    world.change_metadata(|it| it["authorization_response_iss_parameter_supported"] = json!(false));
    world.change(|plan| plan.callback.retain(|(name, _)| name != "iss"));
    world.call(&world.authorizer()).await.unwrap();
}

/// AU-044, AU-055. Attack O9: an answer without the right state is no answer; the sign-in goes on waiting.
#[tokio::test]
async fn an_answer_with_a_wrong_state_is_no_answer() {
    for state in [
        vec![],
        vec![("state", "wrong")],
        vec![("state", "")],
        vec![("state", "{state}"), ("state", "{state}")],
    ] {
        let world = World::new().await;
        world.change(|plan| {
            plan.callback.retain(|(name, _)| name != "state");
            plan.callback.extend(
                state
                    .iter()
                    .map(|&(name, value)| (name.to_owned(), value.to_owned())),
            );
        });
        let authorizer = world.authorizer();
        let signing_in = tokio::spawn(async move { authorizer.sign_in().await });
        let shown = world.visitor.shown(1).await;
        assert_eq!(shown[0].status, 400, "{state:?}");
        assert!(!signing_in.is_finished(), "{state:?}");
        assert!(world.at(Party::Issuer, "/token").is_empty(), "{state:?}");
        signing_in.abort();
    }
}

/// AU-067, AU-075. Attack O8.
#[tokio::test]
async fn a_token_that_can_not_be_one_stops_it() {
    let mut rows = Vec::new();
    for (name, reply, said) in [
        (
            "refused",
            Reply::Json(400, json!({"error": "invalid_grant"})),
            "invalid_grant",
        ),
        (
            "refused with 200",
            Reply::Json(200, json!({"error": "bad_verification_code"})),
            "bad_verification_code",
        ),
        ("page", Reply::Text(200, "text/html", "<h1>".into()), "not JSON"),
        ("empty", Reply::Json(200, json!({})), "no access token"),
        ("array", Reply::Json(200, json!([])), "no access token"),
        (
            "no type",
            Reply::Json(200, json!({"access_token": "access-canary"})),
            "no token type",
        ),
        (
            "mac",
            Reply::Json(200, json!({"access_token": "access-canary", "token_type": "mac"})),
            "mac",
        ),
        (
            "unasked DPoP",
            Reply::Json(
                200,
                json!({"access_token": "access-canary", "token_type": "DPoP"}),
            ),
            "dpop",
        ),
        (
            "line break",
            Reply::Json(
                200,
                json!({"access_token": "access-canary\r\nX: y", "token_type": "Bearer"}),
            ),
            "header",
        ),
        (
            "number",
            Reply::Json(200, json!({"access_token": 1, "token_type": "Bearer"})),
            "no access token",
        ),
        (
            "odd life",
            Reply::Json(
                200,
                json!({"access_token": "access-canary", "token_type": "Bearer", "expires_in": {}}),
            ),
            "life",
        ),
        (
            "odd refresh",
            Reply::Json(
                200,
                json!({"access_token": "access-canary", "token_type": "Bearer", "refresh_token": "a b"}),
            ),
            "refresh",
        ),
        (
            "huge",
            Reply::Text(200, "application/json", "x".repeat(400 * 1024)),
            "longer than",
        ),
        ("endless", Reply::Endless, "longer than"),
        ("silent", Reply::Silence, "said nothing"),
        ("broken", Reply::Json(500, json!({})), "status 500"),
    ] {
        let change = document(Party::Issuer, "/token", move |_| reply.clone());
        rows.push(row(format!("token {name}"), Step::Token, said, change));
    }
    for code in [301, 302, 303, 307, 308] {
        for other in [true, false] {
            let change = document(Party::Issuer, "/token", move |world| {
                Reply::Redirect(
                    code,
                    if other {
                        format!("{}/token", world.other)
                    } else {
                        "/token2".into()
                    },
                )
            });
            rows.push(row(
                format!("token moved {code} {other}"),
                Step::Token,
                "never done",
                change,
            ));
        }
    }
    check(rows, 26).await;
}

/// AU-063. A vault that does not answer never looks like an empty one.
#[tokio::test]
async fn a_locked_or_full_keychain_is_an_error_and_says_so() {
    let world = World::new().await;
    world.keychain.locked.store(true, Ordering::SeqCst);
    let error = world.call(&world.authorizer()).await.unwrap_err();
    assert_eq!(error.step, Step::Vault);
    assert!(error.to_string().contains("it is locked"), "{error}");
    assert!(world.records().is_empty(), "nothing was asked of anybody");

    let world = World::new().await;
    world.keychain.full.store(true, Ordering::SeqCst);
    let authorizer = world.authorizer();
    let error = world.call(&authorizer).await.unwrap_err();
    assert_eq!((error.step, authorizer.signed_in()), (Step::Vault, None));
    world.assert_nothing_leaked("full");
}

/// AU-045, attack O4: the authorization server's document changes between the consent and the renewal.
#[tokio::test]
async fn a_renewal_goes_where_the_person_agreed_to_whatever_documents_say_by_then() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    let evil = format!("{}/token", world.other);
    world.change_metadata(|it| it["token_endpoint"] = json!(evil));
    world.later(3600);
    authorizer.ready().await.unwrap();
    assert_eq!(world.at(Party::Issuer, "/token").len(), 2);
    assert!(world.at(Party::Other, "/token").is_empty());
    world.assert_nothing_leaked("swapped");
}

/// AU-007: a poisoned description after the sign-in stops the renewal instead of serving it.
#[tokio::test]
async fn a_description_that_turns_wrong_later_stops_the_renewal() {
    let world = World::new().await;
    let authorizer = world.authorizer();
    world.call(&authorizer).await.unwrap();
    world.change_resource(|it| it["resource"] = json!("https://evil.example/mcp"));
    world.change(|plan| plan.accepted.clear());
    let error = world.call(&authorizer).await.unwrap_err();
    assert_eq!(error.step, Step::Resource);
    assert_eq!(world.at(Party::Issuer, "/token").len(), 1);
}

/// A code that was used is worth nothing to whoever brings it again. Attack O9.
#[tokio::test]
async fn a_replayed_code_ends_in_an_error() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    world.change(|plan| plan.callback[0].1 = "code-canary-1".into());
    let second = Settings {
        name: "server-2".into(),
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(second)).await.unwrap_err();
    assert_eq!(error.step, Step::Token);
    assert!(error.to_string().contains("invalid_grant"), "{error}");
}

/// AU-008: of several authorization servers the first that describes itself; one that lies is not passed over.
#[tokio::test]
async fn of_several_authorization_servers_a_silent_one_is_passed_over_and_a_lying_one_is_not() {
    let world = World::new().await;
    let (other, issuer) = (world.other.clone(), world.issuer.clone());
    world.change_resource(|it| it["authorization_servers"] = json!([other, issuer]));
    world.call(&world.authorizer()).await.unwrap();
    world.assert_nothing_leaked("silent");

    let world = World::new().await;
    let (other, issuer) = (world.other.clone(), world.issuer.clone());
    world.change_resource(|it| it["authorization_servers"] = json!([other, issuer]));
    world.change(|plan| {
        let lie = json!({"issuer": issuer, "token_endpoint": format!("{issuer}/token")});
        plan.documents
            .insert((Party::Other, METADATA.into()), Reply::Json(200, lie));
    });
    let error = world.call(&world.authorizer()).await.unwrap_err();
    assert!(matches!(error.reason, Reason::Mismatch { .. }), "{error}");
    world.assert_nothing_leaked("lying");
}
