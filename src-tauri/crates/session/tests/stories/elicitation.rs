//! What a server asks of a user, and what it says of visits.

use serde_json::{Value, json};
use vestibule_protocol::Revision;
use vestibule_protocol::elicitation::{ElicitAction, ElicitResult};
use vestibule_session::{CallError, CallOptions, Responder, ServerRequest, SessionEvent, SessionOptions};

use super::{event, modern, no_arguments, oddity, opened, opened_with, options, request, text};

fn visit(id: &str) -> Value {
    json!({"mode": "url", "message": "sign in", "url": "https://a.test/?x=1", "elicitationId": id})
}

/// EF-001, EF-002, EF-014, EF-015, EF-020, EU-001, EU-002, EU-013, EU-014.
#[tokio::test(start_paused = true)]
async fn forms_and_visits_arrive_read_and_are_answered_in_three_ways() {
    let (_handle, mut server, mut events) = opened().await;
    let schema = json!({"type": "object", "properties": {"b": {"type": "boolean"}}});
    let written = schema.to_string();
    for (id, mode) in [(1, json!(null)), (2, json!("form"))] {
        let mut params = json!({"message": "?", "requestedSchema": schema});
        if !mode.is_null() {
            params["mode"] = mode;
        }
        server.ask(id, "elicitation/create", params).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ElicitForm(form)
            if form.requested_schema.get() == written));
        let content = json!({"b": true}).as_object().cloned().unwrap();
        reply.reply(&ElicitResult::filled(content));
        let answer = server.read().await;
        assert_eq!(
            answer["result"],
            json!({"action": "accept", "content": {"b": true}})
        );
    }
    for (action, name) in [
        (ElicitAction::Accept, "accept"),
        (ElicitAction::Decline, "decline"),
        (ElicitAction::Cancel, "cancel"),
    ] {
        server.ask(3, "elicitation/create", visit("e")).await;
        let (asked, reply) = request(&mut events).await;
        assert!(matches!(asked, ServerRequest::ElicitUrl(page)
            if page.url == "https://a.test/?x=1" && page.elicitation_id.as_deref() == Some("e")));
        reply.reply(&ElicitResult::bare(action));
        assert_eq!(server.read().await["result"], json!({"action": name}));
    }
}

/// EF-003, EU-001, ER-004.
#[tokio::test(start_paused = true)]
async fn what_is_no_proper_question_is_refused_and_nobody_is_asked() {
    let (_handle, mut server, mut events) = opened().await;
    let mut nameless = visit("e");
    nameless.as_object_mut().unwrap().remove("elicitationId");
    for params in [
        json!({"message": "?"}),
        json!({"message": "?", "requestedSchema": []}),
        json!({"requestedSchema": {"type": "object", "properties": {}}}),
        json!({"mode": "url", "message": "?"}),
        nameless,
    ] {
        server.ask(1, "elicitation/create", params.clone()).await;
        assert_eq!(server.read().await["error"]["code"], -32602, "{params}");
        assert!(events.try_recv().is_err());
    }
    let pages_only = SessionOptions {
        capabilities: json!({"elicitation": {"url": {}}}),
        ..options()
    };
    let (_handle, mut server, mut events) = opened_with(pages_only, Revision::NEWEST_HANDSHAKE, 64).await;
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    server.ask(1, "elicitation/create", form).await;
    assert_eq!(server.read().await["error"]["code"], -32602);
    server.ask(2, "elicitation/create", visit("e")).await;
    assert!(matches!(
        request(&mut events).await.0,
        ServerRequest::ElicitUrl(_)
    ));
}

/// EU-015, EU-016, EU-017: unknown visits and those that are over already are ignored.
#[tokio::test(start_paused = true)]
async fn a_visit_is_over_once_and_only_in_the_session_that_asked_for_it() {
    let (_handle, mut server, mut events) = opened().await;
    let over = |id: &str| json!({ "elicitationId": id });
    server
        .tell("notifications/elicitation/complete", over("e-1"))
        .await;
    server.ask(1, "elicitation/create", visit("e-1")).await;
    let (_, reply) = request(&mut events).await;
    reply.reply(&ElicitResult::bare(ElicitAction::Accept));
    server.read().await;
    for id in ["other", "e-1", "e-1"] {
        server.tell("notifications/elicitation/complete", over(id)).await;
    }
    assert!(matches!(event(&mut events).await,
        SessionEvent::ElicitationComplete { elicitation_id } if elicitation_id == "e-1"));
    server.expect_silence().await;
    assert!(events.try_recv().is_err());
    server
        .tell("notifications/elicitation/complete", json!({"id": 1}))
        .await;
    assert!(oddity(&mut events).await.contains("without its name"));
}

/// EU-015: the notification belongs to one revision.
#[tokio::test(start_paused = true)]
async fn older_and_newer_servers_do_not_announce_visits() {
    let (_handle, server, mut events) = opened_with(options(), Revision::V2025_06_18, 64).await;
    server
        .tell(
            "notifications/elicitation/complete",
            json!({"elicitationId": "e"}),
        )
        .await;
    assert!(oddity(&mut events).await.contains("unknown notification"));
    let (_handle, server, mut events) = modern().await;
    server
        .tell(
            "notifications/elicitation/complete",
            json!({"elicitationId": "e"}),
        )
        .await;
    assert!(oddity(&mut events).await.contains("belongs to nothing"));
}

/// EU-017, EU-018, EU-019.
#[tokio::test(start_paused = true)]
async fn after_the_visit_the_very_same_call_can_be_made_again() {
    let (handle, mut server, mut events) = opened().await;
    let arguments = json!({"a": [1, "b"]}).as_object().cloned().unwrap();
    let mut seen = Vec::new();
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        seen.push((id.clone(), params["arguments"].clone()));
        let error = json!({"code": -32042, "message": "visit", "data": {"elicitations": [visit("e-9")]}});
        server.refuse(&id, error).await;
        server
            .tell(
                "notifications/elicitation/complete",
                json!({"elicitationId": "e-9"}),
            )
            .await;
        let (id, params) = server.expect("tools/call").await;
        seen.push((id.clone(), params["arguments"].clone()));
        server.answer(&id, text("done")).await;
    };
    let call = async {
        let first = handle.call_tool("t", &arguments, CallOptions::default()).await;
        let Err(CallError::PagesRequired { pages, .. }) = first else {
            panic!("{first:?}")
        };
        let SessionEvent::ElicitationComplete { elicitation_id } = event(&mut events).await else {
            panic!("the visit is not over")
        };
        assert_eq!(elicitation_id, pages[0].elicitation_id);
        handle
            .call_tool("t", &arguments, CallOptions::default())
            .await
            .unwrap();
    };
    tokio::join!(call, serve);
    assert_ne!(seen[0].0, seen[1].0);
    assert_eq!(seen[0].1, seen[1].1);
}

/// NEG-007, META-006.
#[tokio::test(start_paused = true)]
async fn a_server_that_needs_more_declared_says_what_and_gets_the_call_again_with_it() {
    let (handle, mut server, _events) = modern().await;
    let needed = json!({"elicitation": {"form": {}}});
    let declared = |params: &Value| params["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone();
    let serve = async {
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(declared(&params), json!({}));
        let error = json!({"code": -32021, "message": "no forms", "data": {"requiredCapabilities": needed}});
        server.refuse(&id, error).await;
        let (id, params) = server.expect("tools/call").await;
        assert_eq!(declared(&params), needed);
        server.answer(&id, text("done")).await;
        let (id, _) = server.expect("tools/call").await;
        server.refuse(&id, json!({"code": -32021, "message": "?"})).await;
    };
    let with = |capabilities: Value| CallOptions {
        capabilities: Some(capabilities),
        ..CallOptions::default()
    };
    let call = async {
        let first = handle.call_tool("t", no_arguments(), with(json!({}))).await;
        let Err(CallError::CapabilitiesRequired { required, error }) = first else {
            panic!("{first:?}")
        };
        assert_eq!((&required, error.code), (&needed, -32021));
        handle
            .call_tool("t", no_arguments(), with(required))
            .await
            .unwrap();
        let silent = handle
            .call_tool("t", no_arguments(), CallOptions::default())
            .await;
        assert!(
            matches!(silent, Err(CallError::CapabilitiesRequired { required, .. }) if required == json!({}))
        );
    };
    tokio::join!(call, serve);
}

/// CX-004: whoever only holds the token learns of it too.
#[tokio::test(start_paused = true)]
async fn a_token_of_a_question_tells_of_its_withdrawal() {
    let (_handle, server, mut events) = opened().await;
    server.ask("a", "elicitation/create", visit("e")).await;
    let (_, reply) = request(&mut events).await;
    let token = Responder::cancellation(&reply);
    assert!(!token.is_cancelled());
    server
        .tell("notifications/cancelled", json!({"requestId": "a"}))
        .await;
    token.cancelled().await;
    assert!(reply.is_cancelled());
}
