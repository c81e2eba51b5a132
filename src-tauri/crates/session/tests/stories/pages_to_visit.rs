//! Error -32042 of the last revision with a handshake.

use serde_json::{Value, json};
use vestibule_session::{CallError, CallOptions};

use super::{modern, no_arguments, opened};

fn error(data: &Value) -> Value {
    json!({"code": -32042, "message": "visit first", "data": data})
}

fn page() -> Value {
    json!({"mode": "url", "elicitationId": "e-9", "url": "https://a.test/?x=1", "message": "sign in"})
}

/// EU-019.
#[tokio::test(start_paused = true)]
async fn pages_a_server_wants_visited_are_handed_up_as_data() {
    let (handle, mut server, _events) = opened().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server
            .refuse(&id, error(&json!({"elicitations": [page(), page()]})))
            .await;
    };
    let (outcome, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    let Err(CallError::PagesRequired { pages, error }) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!((pages.len(), error.code), (2, -32042));
    assert_eq!(
        (
            pages[0].elicitation_id.as_str(),
            pages[0].url.as_str(),
            pages[0].message.as_str()
        ),
        ("e-9", "https://a.test/?x=1", "sign in")
    );
}

/// EU-020.
#[tokio::test(start_paused = true)]
async fn what_does_not_name_pages_properly_is_a_plain_error() {
    let mut form = page();
    form["mode"] = json!("form");
    let mut nameless = page();
    nameless.as_object_mut().unwrap().remove("elicitationId");
    for data in [
        json!(null),
        json!({}),
        json!({"elicitations": []}),
        json!({"elicitations": [page(), form]}),
        json!({"elicitations": [nameless]}),
        json!({"elicitations": vec![page(); 17]}),
    ] {
        let (handle, mut server, _events) = opened().await;
        let serve = async {
            let (id, _) = server.expect("tools/call").await;
            server.refuse(&id, error(&data)).await;
        };
        let (outcome, ()) = tokio::join!(
            handle.call_tool("t", no_arguments(), CallOptions::default()),
            serve
        );
        assert!(
            matches!(outcome, Err(CallError::Rpc(error)) if error.code == -32042),
            "{data}"
        );
    }
}

/// EU-021: the modern era has no such code.
#[tokio::test(start_paused = true)]
async fn a_modern_server_has_no_such_error() {
    let (handle, mut server, _events) = modern().await;
    let serve = async {
        let (id, _) = server.expect("tools/call").await;
        server
            .refuse(&id, error(&json!({"elicitations": [page()]})))
            .await;
    };
    let (outcome, ()) = tokio::join!(
        handle.call_tool("t", no_arguments(), CallOptions::default()),
        serve
    );
    assert!(matches!(outcome, Err(CallError::Rpc(_))));
}
