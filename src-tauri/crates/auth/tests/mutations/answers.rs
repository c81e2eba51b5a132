//! Wrong answers: to a registration, from the sign-in page, to the exchange of a code.

use serde_json::json;
use vestibule_auth::*;

use super::*;

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
        ("stalled", Reply::Stalled, "said nothing"),
        ("compressed", Reply::Packed, "compressed"),
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
            "no issuer",
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
        ("stalled", Reply::Stalled, "said nothing"),
        ("compressed", Reply::Packed, "compressed"),
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
