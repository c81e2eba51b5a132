//! A server that refuses to go on with a call until the user has signed in: what was answered so far is kept.

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_session::{
    CallError, CallOptions, Challenge, RequestFailure, SessionHandle, SignInDemand, Wire,
};

use super::rounds::{form, needs, wish};
use super::{BOUND, Events, Server, modern_over, no_arguments, options, text};

async fn session() -> (SessionHandle, Server, Events) {
    modern_over(Wire::Http, options(), json!({"tools": {}})).await
}

fn call(
    handle: &SessionHandle,
    demands: Option<mpsc::Sender<SignInDemand>>,
) -> tokio::task::JoinHandle<Result<(), CallError>> {
    let handle = handle.clone();
    let options = CallOptions {
        demands,
        ..CallOptions::default()
    };
    tokio::spawn(async move { handle.call_tool("t", no_arguments(), options).await.map(drop) })
}

pub(super) fn refusal(status: u16) -> RequestFailure {
    RequestFailure {
        status: Some(status),
        challenge: Some(Challenge {
            status,
            www_authenticate: vec![format!("Bearer realm=\"{status}\"")],
        }),
        ..RequestFailure::new("the server asks for authorization")
    }
}

/// The server wants input; the user gives it. The second round and its id.
async fn second_round(server: &mut Server, events: &mut Events) -> (Value, Value) {
    let (id, _) = server.expect("tools/call").await;
    let mut wanted = needs(json!({"a": form()}));
    wanted["requestState"] = json!("opaque==");
    server.answer(&id, wanted).await;
    wish(events).await.1.reply(&json!({"action": "decline"}));
    server.expect("tools/call").await
}

/// MR-008: the same round under a new id, with the state and the answers it had.
#[tokio::test(start_paused = true)]
async fn a_round_that_was_refused_until_a_sign_in_is_sent_again_with_the_same_answers() {
    let (handle, mut server, mut events) = session().await;
    let (sender, mut demands) = mpsc::channel(1);
    let call = call(&handle, Some(sender));
    let (mut id, first) = second_round(&mut server, &mut events).await;
    for status in [401, 403] {
        server.fail(&id, refusal(status)).await;
        let demand = timeout(BOUND, demands.recv()).await.unwrap().unwrap();
        assert_eq!(Some(demand.challenge.clone()), refusal(status).challenge);
        server.expect_nothing(&handle).await;
        demand.settle();
        let (again, params) = server.expect("tools/call").await;
        assert_ne!(again, id);
        for part in ["name", "arguments", "inputResponses", "requestState"] {
            assert_eq!(params[part], first[part], "{part}");
        }
        assert_eq!(params["inputResponses"], json!({"a": {"action": "decline"}}));
        assert_eq!(params["requestState"], "opaque==");
        id = again;
    }
    server.answer(&id, text("done")).await;
    call.await.unwrap().unwrap();
    assert!(events.try_recv().is_err(), "the user was asked once");
}

/// Sent from its beginning, the call would ask the user for everything once more.
#[tokio::test(start_paused = true)]
async fn a_later_round_whose_demand_is_not_settled_ends_the_call_as_one_that_was_not_continued() {
    for is_told in [true, false] {
        let (handle, mut server, mut events) = session().await;
        let (sender, mut demands) = mpsc::channel(1);
        let call = call(&handle, is_told.then_some(sender));
        let (id, _) = second_round(&mut server, &mut events).await;
        server.fail(&id, refusal(401)).await;
        if is_told {
            drop(timeout(BOUND, demands.recv()).await.unwrap().unwrap());
        }
        let error = call.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, CallError::NotContinued(why) if why.contains("authorization")),
            "{error:?}"
        );
        server.expect_nothing(&handle).await;
    }
}

/// A call that was refused itself was not begun, so its caller sends it again.
#[tokio::test(start_paused = true)]
async fn a_demand_that_refuses_the_call_itself_is_its_error() {
    let (handle, mut server, _events) = session().await;
    let (sender, mut demands) = mpsc::channel(1);
    let call = call(&handle, Some(sender));
    let (id, _) = server.expect("tools/call").await;
    server.fail(&id, refusal(401)).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, CallError::NotAnswered(failure) if failure.challenge.is_some()),
        "{error:?}"
    );
    assert!(demands.recv().await.is_none(), "nothing was told");
}
