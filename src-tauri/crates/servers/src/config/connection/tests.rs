//! What a permission to connect binds to, and what a card is told of an address.

use super::*;
use crate::config::secrets::MemorySecrets;
use jiff::Timestamp;
use vestibule_policy::inspect::UrlWarning;
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_store::ServerPlace;

fn record(url: &str, transport: TransportChoice, headers: &[&str]) -> ServerRecord {
    ServerRecord {
        id: ServerId::new(),
        name: "web".into(),
        place: ServerPlace::Address(Endpoint {
            url: url.into(),
            transport,
            headers: headers.iter().map(ToString::to_string).collect(),
            pasted: vec![],
        }),
        era: EraChoice::Auto,
        wanted: false,
        created: Timestamp::UNIX_EPOCH,
    }
}

async fn planned(record: &ServerRecord, secrets: &MemorySecrets) -> Result<ConnectPlan, Problem> {
    let ServerPlace::Address(endpoint) = &record.place else {
        panic!("not at an address")
    };
    plan(
        record,
        endpoint,
        secrets,
        None,
        &Proxies::default(),
        &SharedClients::default(),
    )
    .await
}

async fn digest(record: &ServerRecord, secrets: &MemorySecrets) -> Digest {
    match planned(record, secrets).await {
        Ok(plan) => plan.digest,
        Err(problem) => panic!("{problem}"),
    }
}

/// A letter of the address, the transport, the name of a header or its value.
#[tokio::test]
async fn anything_that_changes_where_it_leads_or_what_is_sent_changes_the_digest() {
    let secrets = MemorySecrets::new("");
    let base = record("https://mcp.example.com/mcp", TransportChoice::Auto, &["X-Key"]);
    let key = variables::secret(base.id, &base.place, "X-Key");
    secrets.set(&key, &"one".into()).await.unwrap();
    let before = digest(&base, &secrets).await;
    assert_eq!(digest(&base, &secrets).await, before, "the same record");
    let with = |place| ServerRecord {
        place,
        ..base.clone()
    };
    for other in [
        record("https://mcp.example.com/mcq", TransportChoice::Auto, &["X-Key"]),
        record("https://mcp.example.net/mcp", TransportChoice::Auto, &["X-Key"]),
        record("https://mcp.example.com/mcp", TransportChoice::Sse, &["X-Key"]),
        record("https://mcp.example.com/mcp", TransportChoice::Auto, &[]),
    ] {
        assert_ne!(
            digest(&with(other.place.clone()), &secrets).await,
            before,
            "{other:?}"
        );
    }
    secrets.set(&key, &"two".into()).await.unwrap();
    assert_ne!(digest(&base, &secrets).await, before);
    secrets.set(&key, &"one".into()).await.unwrap();
    assert_eq!(digest(&base, &secrets).await, before);
}

#[tokio::test]
async fn a_header_without_a_value_is_named_before_anything_is_sent() {
    let secrets = MemorySecrets::new("");
    let record = record("https://mcp.example.com/", TransportChoice::Auto, &["X-Key"]);
    let names = vec!["X-Key".to_owned()];
    let problem = planned(&record, &secrets).await.map(|_| ()).unwrap_err();
    assert_eq!(problem, Problem::Input(InputProblem::SecretsMissing { names }));
}

#[test]
fn an_address_that_can_not_be_used_is_refused_with_the_reason() {
    for (written, word) in [
        ("mcp.example.com", "relative"),
        ("http://mcp.example.com/mcp", "https"),
        ("https://me:horse@mcp.example.com/", "user name"),
        ("ftp://mcp.example.com/", "ftp"),
        ("file:///etc/passwd", "file"),
        ("", "relative"),
    ] {
        let Err(Problem::Input(InputProblem::AddressInvalid { detail, url })) = address(written) else {
            panic!("{written}")
        };
        assert!(detail.contains(word), "{written}: {detail}");
        assert!(
            !detail.contains("horse") && (!url.contains("horse")),
            "{url} {detail}"
        );
    }
}

#[tokio::test]
async fn what_deserves_a_second_look_is_named() {
    use UrlWarning::*;
    for (written, found, carries_values) in [
        ("https://mcp.example.com/mcp", vec![], false),
        ("http://localhost:3001/mcp", vec![Loopback, InsecureHttp], false),
        ("http://127.0.0.1:3001/mcp", vec![Loopback, InsecureHttp], false),
        ("https://192.168.1.9/mcp", vec![PrivateAddress], false),
        ("https://1.1.1.1/mcp", vec![IpLiteral], false),
        ("https://xn--bcher-kva.example.com/mcp", vec![Punycode], false),
        ("https://mcp.example.com/mcp?key=1", vec![], true),
    ] {
        let record = record(written, TransportChoice::Auto, &[]);
        let facts = planned(&record, &MemorySecrets::new("")).await.unwrap().facts;
        for warning in found {
            assert!(
                facts.inspection.warnings.contains(&warning),
                "{written}: {facts:?}"
            );
        }
        assert_ne!(facts.inspection.verdict, UrlVerdict::Block, "{written}");
        assert_eq!(facts.carries_values, carries_values, "{written}");
    }
}

#[test]
fn an_address_made_to_deceive_can_not_be_added() {
    for (written, warning) in [
        ("https://g\u{456}thub.com/mcp", UrlWarning::Lookalike),
        ("http://0x7f.1:3001/mcp", UrlWarning::IpNoncanonical),
        (
            "https://mcp.example.com\\@evil.example.net/",
            UrlWarning::ParserDifferential,
        ),
        ("https://mcp.exam\u{200b}ple.com/", UrlWarning::HiddenUnicode),
    ] {
        let Err(Problem::Input(InputProblem::AddressDeceives { warnings, .. })) = address(written) else {
            panic!("{written}: {:?}", address(written))
        };
        assert!(warnings.contains(&warning), "{written}: {warnings:?}");
    }
}

#[test]
fn a_name_of_a_header_carries_nothing_but_a_name() {
    for name in ["X-Api-Key", "authorization", "x_y.z"] {
        assert!(is_header_name(name), "{name}");
    }
    for name in ["", "X Key", "X:Key", "X\r\nHost", "Schlüssel"] {
        assert!(!is_header_name(name), "{name}");
    }
}
