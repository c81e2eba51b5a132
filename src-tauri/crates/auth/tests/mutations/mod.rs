//! One thing wrong at a time: each row changes a working world in one place, says at which step the sign-in has
//! to stop and what the sentence has to mention, and after each row the record of all requests is searched for
//! secrets in the wrong hands. Attacks O1 to O11, O13 and N3.

mod answers;
mod documents;
mod later;

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
    /// Whether the user was asked before it stopped.
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
        assert!(
            !row.asked || !text.contains("None of your data was sent"),
            "{name} says what is not so after a yes: {text}"
        );
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
        ("stalled", Reply::Stalled, "said nothing"),
        ("compressed", Reply::Packed, "compressed"),
        (
            "nested",
            Reply::Text(200, "application/json", "[".repeat(100_000)),
            "not JSON",
        ),
        ("broken", Reply::Json(500, json!({})), "status 500"),
        (
            "down behind a gateway",
            Reply::Text(503, "text/html", "<h1>503".into()),
            "status 503",
        ),
        (
            "rate limited",
            Reply::Text(429, "text/html", "<h1>429".into()),
            "status 429",
        ),
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
