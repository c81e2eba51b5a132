//! Answers that want input first: the host is asked as by a legacy server, and the call goes on.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::{Instant, advance, timeout};
use vestibule_session::{
    CallError, CallOptions, RequestFailure, Responder, ServerRequest, SessionEvent, SessionHandle,
    SessionLimits, SessionOptions, Wire,
};

use super::{BOUND, Events, Server, event, modern, modern_over, no_arguments, options, text};

pub(super) fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}})
}

pub(super) fn needs(requests: Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": requests})
}

pub(super) async fn wish(events: &mut Events) -> (ServerRequest, Responder) {
    match event(events).await {
        SessionEvent::Request { request, reply } => (request, reply),
        other => panic!("a wish was expected, not {other:?}"),
    }
}

fn call(handle: &SessionHandle) -> tokio::task::JoinHandle<Result<(), CallError>> {
    let handle = handle.clone();
    tokio::spawn(async move {
        let arguments = json!({"a": 1}).as_object().cloned().unwrap();
        handle
            .call_tool("t", arguments, CallOptions::default())
            .await
            .map(drop)
    })
}

async fn continued(server: &mut Server, call: tokio::task::JoinHandle<Result<(), CallError>>) -> Value {
    let (id, params) = server.expect("tools/call").await;
    server.answer(&id, text("done")).await;
    call.await.unwrap().unwrap();
    params
}

/// EF-021, MR-002, MR-003, MR-004, MR-006, MR-008, MR-013, MR-018.
#[tokio::test(start_paused = true)]
async fn everything_a_server_needs_is_asked_of_the_host_and_carried_back_under_its_names() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (first, params) = server.expect("tools/call").await;
    let mut wanted = needs(json!({
        "who": form(),
        "say": {"method": "sampling/createMessage", "params": {"maxTokens": 5, "messages": []}},
        "ws": {"method": "roots/list"},
    }));
    wanted["requestState"] = json!("opaque==");
    server.answer(&first, wanted).await;
    for _ in 0..3 {
        match wish(&mut events).await {
            (ServerRequest::ElicitForm(form), reply) => {
                assert_eq!(form.message, "?");
                let call = reply.origin().call.clone().unwrap();
                assert_eq!((call.method, call.name.as_str()), ("tools/call", "t"));
                reply.reply(&json!({"action": "accept", "content": {"name": "octo"}}));
            }
            (ServerRequest::CreateMessage(_), reply) => reply.reply(&json!({"role": "assistant"})),
            (ServerRequest::ListRoots, reply) => reply.reply(&json!({"roots": []})),
            (other, _) => panic!("{other:?} was not asked for"),
        }
    }
    let (second, again) = server.expect("tools/call").await;
    assert_ne!(first, second);
    assert_eq!(
        (&again["name"], &again["arguments"]),
        (&params["name"], &params["arguments"])
    );
    assert_eq!(again["_meta"]["progressToken"], second);
    assert_eq!(again["requestState"], "opaque==");
    assert_eq!(
        again["inputResponses"],
        json!({"who": {"action": "accept", "content": {"name": "octo"}}, "say": {"role": "assistant"},
            "ws": {"roots": []}})
    );
    server.answer(&second, text("done")).await;
    call.await.unwrap().unwrap();
}

/// MR-005, MR-007, MR-009, MR-010.
#[tokio::test(start_paused = true)]
async fn each_round_carries_only_what_the_one_before_it_asked_for() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server
        .answer(
            &id,
            json!({"resultType": "input_required", "requestState": "one"}),
        )
        .await;
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["requestState"], "one");
    assert!(params.get("inputResponses").is_none());
    server.answer(&id, needs(json!({"a": form()}))).await;
    wish(&mut events).await.1.reply(&json!({"action": "decline"}));
    let (id, params) = server.expect("tools/call").await;
    assert!(params.get("requestState").is_none(), "not even an older one");
    assert_eq!(params["inputResponses"], json!({"a": {"action": "decline"}}));
    server
        .answer(&id, needs(json!({"b": {"method": "roots/list", "params": null}})))
        .await;
    wish(&mut events).await.1.reply(&json!({"roots": []}));
    let params = continued(&mut server, call).await;
    assert_eq!(params["inputResponses"], json!({"b": {"roots": []}}));
}

#[tokio::test(start_paused = true)]
async fn a_call_is_not_told_as_unsent_where_only_a_later_round_was_not_sent() {
    let limits = SessionLimits {
        calls: 1000,
        ..SessionLimits::default()
    };
    let options = SessionOptions { limits, ..options() };
    let (handle, mut server, mut events) = modern_over(Wire::Stream, options, json!({"tools": {}})).await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    let (_, reply) = wish(&mut events).await;
    // The server reads nothing more, until nothing more can be sent to it.
    let pings = (0..300).map(|_| {
        let handle = handle.clone();
        tokio::spawn(async move { handle.ping().await })
    });
    let mut pings: Vec<_> = pings.collect();
    let last = pings.pop().unwrap().await.unwrap();
    assert!(matches!(last, Err(CallError::Busy)), "{last:?}");
    reply.reply(&json!({"action": "decline"}));
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, CallError::NotContinued(why) if why.contains("not reading")),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_over_a_lost_connection_is_not_told_as_unsent_after_its_first_round() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    wish(&mut events).await.1.reply(&json!({"action": "decline"}));
    let unsent = RequestFailure {
        unsent: true,
        ..RequestFailure::new("connection refused")
    };
    // Sent again once, since it was not sent.
    for _ in 0..2 {
        let (id, _) = server.expect("tools/call").await;
        server.fail(&id, unsent.clone()).await;
    }
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, CallError::NotAnswered(failure) if !failure.unsent),
        "{error:?}"
    );
}

/// TM-004: nothing is on its way while a user is asked.
#[tokio::test(start_paused = true)]
async fn no_clock_runs_while_a_person_is_asked() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    let (_, reply) = wish(&mut events).await;
    advance(Duration::from_secs(24 * 60 * 60)).await;
    assert!(!call.is_finished() && !reply.is_cancelled());
    reply.reply(&json!({"action": "accept"}));
    let (_, _) = server.expect("tools/call").await;
    let begun = Instant::now();
    assert!(
        matches!(call.await.unwrap(), Err(CallError::TimedOut { .. })),
        "and then it runs anew"
    );
    assert_eq!(begun.elapsed(), options().call_timeout);
}

/// MR-015, CX-004.
#[tokio::test(start_paused = true)]
async fn dropping_the_call_withdraws_its_questions() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server
        .answer(&id, needs(json!({"a": form(), "b": {"method": "roots/list"}})))
        .await;
    let (_, one) = wish(&mut events).await;
    let (_, other) = wish(&mut events).await;
    call.abort();
    timeout(BOUND, one.cancelled()).await.unwrap();
    timeout(BOUND, other.cancelled()).await.unwrap();
    one.reply(&json!({"action": "accept"}));
    server.expect_nothing(&handle).await;
}

/// MR-014, SA-022, RO-007.
#[tokio::test(start_paused = true)]
async fn a_refusal_gives_up_the_call_and_withdraws_what_else_it_needed() {
    for dropped in [true, false] {
        let (handle, mut server, mut events) = modern().await;
        let call = call(&handle);
        let (id, _) = server.expect("tools/call").await;
        let sampling =
            json!({"method": "sampling/createMessage", "params": {"maxTokens": 5, "messages": []}});
        server
            .answer(&id, needs(json!({"a": form(), "b": sampling})))
            .await;
        let (_, open) = wish(&mut events).await;
        let (_, refused) = wish(&mut events).await;
        if dropped {
            drop(refused);
        } else {
            refused.refuse(-1, "the user said no");
        }
        let outcome = call.await.unwrap();
        assert!(
            matches!(&outcome, Err(CallError::NotContinued(why)) if dropped || why.contains("said no")),
            "{outcome:?}"
        );
        timeout(BOUND, open.cancelled()).await.unwrap();
        server.expect_nothing(&handle).await;
    }
}

/// MR-012, EF-003.
#[tokio::test(start_paused = true)]
async fn nobody_is_asked_for_what_this_call_did_not_offer() {
    let url = json!({"method": "elicitation/create", "params": {"mode": "url", "url": "https://a.test"}});
    let cases = [
        (json!({"elicitation": {}}), url),
        (json!({"elicitation": {}}), json!({"method": "roots/list"})),
        (json!({}), form()),
        (options().capabilities, json!({"method": "tasks/get"})),
        (options().capabilities, json!({"method": "elicitation/create"})),
    ];
    for (offered, wanted) in cases {
        let (handle, mut server, mut events) = modern().await;
        let serve = async {
            let (id, params) = server.expect("tools/call").await;
            assert!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_object());
            server.answer(&id, needs(json!({"ok": wanted}))).await;
            server.expect_nothing(&handle).await;
        };
        let options = CallOptions {
            capabilities: Some(offered),
            ..CallOptions::default()
        };
        let (outcome, ()) = tokio::join!(handle.call_tool("t", no_arguments(), options), serve);
        assert!(matches!(outcome, Err(CallError::NotContinued(_))), "{wanted}");
        assert!(events.try_recv().is_err(), "nobody was asked");
    }
}

/// MR-010.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_has_enough_is_given_up() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    for _ in 0..options().limits.rounds {
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, needs(json!({"a": form()}))).await;
        wish(&mut events).await.1.reply(&json!({"action": "cancel"}));
    }
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    assert!(matches!(call.await.unwrap(), Err(CallError::NotContinued(_))));
    assert!(events.try_recv().is_err(), "nobody was asked in vain");
}

/// Wishes of several calls together stay within the limit of a server's requests.
#[tokio::test(start_paused = true)]
async fn too_many_wishes_at_once_give_up_the_call_that_brings_them() {
    let mut few = options();
    few.limits.server_requests = 2;
    let (handle, mut server, mut events) =
        modern_over(Wire::Stream, SessionOptions { ..few }, json!({"tools": {}})).await;
    let first = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form(), "b": form()}))).await;
    let (_, one) = wish(&mut events).await;
    let (_, two) = wish(&mut events).await;
    let second = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    assert!(matches!(second.await.unwrap(), Err(CallError::NotContinued(_))));
    one.reply(&json!({"action": "cancel"}));
    two.reply(&json!({"action": "cancel"}));
    continued(&mut server, first).await;
    let third = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form(), "b": form()}))).await;
    wish(&mut events).await.1.reply(&json!({}));
    wish(&mut events).await.1.reply(&json!({}));
    continued(&mut server, third).await;
}

#[tokio::test(start_paused = true)]
async fn when_the_session_ends_the_questions_of_its_calls_are_withdrawn() {
    let (handle, mut server, mut events) = modern().await;
    let call = call(&handle);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, needs(json!({"a": form()}))).await;
    let (_, reply) = wish(&mut events).await;
    drop(server);
    assert!(matches!(call.await.unwrap(), Err(CallError::Closed(_))));
    timeout(BOUND, reply.cancelled()).await.unwrap();
}

/// MR-016, CA-009, RS-014, PR-008.
#[tokio::test(start_paused = true)]
async fn reads_and_prompts_may_need_input_and_what_they_bring_then_is_not_kept() {
    let (handle, mut server, mut events) = modern().await;
    let serve = async {
        for method in ["resources/read", "prompts/get"] {
            let (id, _) = server.expect(method).await;
            server.answer(&id, needs(json!({"a": form()}))).await;
            wish(&mut events).await.1.reply(&json!({"action": "accept"}));
            let (id, params) = server.expect(method).await;
            assert_eq!(params["inputResponses"], json!({"a": {"action": "accept"}}));
            let result = json!({"contents": [], "messages": [], "ttlMs": 60_000, "cacheScope": "public"});
            server.answer(&id, result).await;
        }
    };
    let reads = async {
        let read = handle
            .read_resource("x://a", CallOptions::default())
            .await
            .unwrap();
        assert_eq!(read.cache.ttl, Duration::ZERO);
        let arguments = std::collections::BTreeMap::new();
        handle
            .get_prompt("p", &arguments, CallOptions::default())
            .await
            .unwrap();
    };
    tokio::join!(reads, serve);
}

/// Any JSON string, also one that cannot be decoded.
fn json_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[^\"\\\\\u{0}-\u{1f}]{1,8}",
        prop::sample::select(vec!["\\\"", "\\\\", "\\/", "\\n"]).prop_map(str::to_owned),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// MR-006.
    #[test]
    fn the_state_of_a_server_comes_back_byte_for_byte(state in json_string()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let frame = runtime.block_on(async {
            let (handle, mut server, _events) = modern().await;
            let call = call(&handle);
            let (id, _) = server.expect("tools/call").await;
            let result = format!(r#"{{"resultType":"input_required", "requestState" : {state} }}"#);
            server.raw(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
            let frame = timeout(BOUND, server.0.read()).await.unwrap().unwrap();
            call.abort();
            String::from_utf8(frame).unwrap()
        });
        let carried = format!(r#""requestState":{state}"#);
        prop_assert!(frame.contains(&carried), "{} not in {}", carried, frame);
    }
}
