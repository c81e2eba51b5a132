//! Finding out the era over HTTP, where everything has an answer of some kind.

use tokio::time::Instant;
use vestibule_protocol::Revision;
use vestibule_session::{EraChoice, OpenError, RequestFailure};
use vestibule_transport::{Challenge, Sent, Wire};

use super::era::{opening, shake_hands};
use super::options;

/// NEG-006, TR-009.
#[tokio::test(start_paused = true)]
async fn over_http_a_refused_question_leads_to_the_handshake_and_an_unreachable_server_does_not() {
    for (status, body) in [
        (400, ""),
        (400, "Bad Request"),
        (
            400,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#,
        ),
        (404, r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}"#),
        (405, ""),
        (500, "<html>"),
    ] {
        let (opening, mut server, _events) = opening(Wire::Http, EraChoice::Auto);
        let serve = async {
            let (id, _) = server.expect("server/discover").await;
            let failure = RequestFailure {
                status: Some(status),
                body: Some(body.into()),
                ..RequestFailure::new("refused")
            };
            server.fail(&id, failure).await;
            shake_hands(&mut server, Revision::V2025_03_26).await;
        };
        let (handle, ()) = tokio::join!(opening, serve);
        assert_eq!(
            handle.unwrap().info().revision,
            Revision::V2025_03_26,
            "{status} {body}"
        );
    }
    let (opening, mut server, _events) = opening(Wire::Http, EraChoice::Auto);
    let serve = async {
        let (id, _) = server.expect("server/discover").await;
        server
            .fail(&id, RequestFailure::new("the name does not resolve"))
            .await;
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::NotAnswered(failure)) if failure.status.is_none()));
}

/// The era stays open until the user has signed in.
#[tokio::test(start_paused = true)]
async fn a_demand_to_sign_in_is_handed_up_and_decides_no_era() {
    for method in ["server/discover", "initialize"] {
        let era = if method == "initialize" {
            EraChoice::Legacy
        } else {
            EraChoice::Auto
        };
        let (opening, mut server, _events) = opening(Wire::Http, era);
        let challenge = Challenge {
            status: 401,
            www_authenticate: vec!["Bearer resource_metadata=\"https://a.test/\"".into()],
        };
        let serve = async {
            let (id, _) = server.expect(method).await;
            let failure = RequestFailure {
                status: Some(401),
                body: Some(r#"{"jsonrpc":"2.0","error":{"code":-32022,"message":"no"}}"#.into()),
                challenge: Some(challenge.clone()),
                ..RequestFailure::new("sign in first")
            };
            server.fail(&id, failure).await;
            server.expect_end().await;
        };
        let (outcome, ()) = tokio::join!(opening, serve);
        let Err(OpenError::NotAnswered(failure)) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(failure.challenge, Some(challenge));
    }
}

#[tokio::test(start_paused = true)]
async fn over_http_silence_is_no_sign_of_an_era() {
    let (opening, mut server, _events) = opening(Wire::Http, EraChoice::Auto);
    let begun = Instant::now();
    let serve = async {
        server.expect("server/discover").await;
        assert!(
            matches!(server.sent().await, Sent::Abandoned(_)),
            "the exchange is given up"
        );
        server.expect_end().await;
    };
    let (outcome, ()) = tokio::join!(opening, serve);
    assert!(matches!(outcome, Err(OpenError::TimedOut { .. })));
    assert_eq!(begun.elapsed(), options().start_timeout);
}

/// NEG-006: only the first revision has HTTP+SSE. Such a server may keep silent about a probe, or end because of it.
#[tokio::test(start_paused = true)]
async fn over_http_sse_the_handshake_is_the_first_request() {
    let (opening, mut server, _events) = opening(Wire::HttpSse, EraChoice::Auto);
    let (handle, ()) = tokio::join!(opening, shake_hands(&mut server, Revision::V2024_11_05));
    let handle = handle.unwrap();
    let info = handle.info();
    assert_eq!((info.revision, info.wire), (Revision::V2024_11_05, Wire::HttpSse));
}
