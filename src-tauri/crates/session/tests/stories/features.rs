//! Resources, prompts and completion, alike in both eras.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget, Implementation};
use vestibule_session::{
    CallError, CallOptions, EraChoice, SessionEvent, SessionHandle, SessionOptions, Wire, open,
};
use vestibule_transport::pair;

use super::{Events, Server, event, modern_over, options};

fn everything() -> Value {
    json!({"resources": {"subscribe": true}, "prompts": {}, "completions": {}})
}

async fn legacy(revision: Revision, capabilities: Value) -> (SessionHandle, Server, Events) {
    let (transport, peer) = pair();
    let mut server = Server(peer);
    let (events, inbox) = mpsc::channel(64);
    let serve = async {
        let (id, _) = server.expect("initialize").await;
        let server_info = Implementation::default();
        let result =
            json!({"protocolVersion": revision, "serverInfo": server_info, "capabilities": capabilities});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
    };
    let (handle, ()) = tokio::join!(open(Box::new(transport), options(), events), serve);
    (handle.unwrap(), server, inbox)
}

async fn in_era(era: EraChoice, capabilities: Value) -> (SessionHandle, Server, Events) {
    match era {
        EraChoice::Modern => modern_over(Wire::Stream, options(), capabilities).await,
        _ => legacy(Revision::V2025_11_25, capabilities).await,
    }
}

const ERAS: [EraChoice; 2] = [EraChoice::Legacy, EraChoice::Modern];

/// RS-001, PR-001, CP-002, PR-009, LC-008.
#[tokio::test(start_paused = true)]
async fn what_a_server_did_not_declare_is_not_asked_of_it() {
    for era in ERAS {
        let (handle, mut server, _events) = in_era(era, json!({"tools": {}})).await;
        let options = CallOptions::default;
        let refused = [
            handle.list_resources().await.err(),
            handle.list_resource_templates().await.err(),
            handle.read_resource("x://a", options()).await.err(),
            handle.subscribe_resource("x://a").await.err(),
            handle.unsubscribe_resource("x://a").await.err(),
            handle.list_prompts().await.err(),
            handle.get_prompt("p", &BTreeMap::new(), options()).await.err(),
            handle.complete(&city("")).await.err(),
        ];
        for error in refused {
            assert!(matches!(error, Some(CallError::NotSupported)), "{error:?}");
        }
        match era {
            EraChoice::Modern => server.expect_nothing(&handle).await,
            _ => server.expect_silence().await,
        }
    }
}

/// RS-002, PG-001, PG-003, PR-005.
#[tokio::test(start_paused = true)]
async fn every_list_is_read_to_its_end_and_broken_entries_cost_only_themselves() {
    for era in ERAS {
        let (handle, mut server, _events) = in_era(era, everything()).await;
        let serve = async {
            for (method, member, key) in [
                ("resources/list", "resources", "uri"),
                ("resources/templates/list", "resourceTemplates", "uriTemplate"),
                ("prompts/list", "prompts", "name"),
            ] {
                let (id, params) = server.expect(method).await;
                assert!(params.get("cursor").is_none());
                let page = json!({member: [{key: "a"}, {"x": 1}, {key: "a"}, 5], "nextCursor": ""});
                server.answer(&id, page).await;
                let (id, params) = server.expect(method).await;
                assert_eq!(params["cursor"], "");
                server.answer(&id, json!({member: [{key: "b"}]})).await;
            }
        };
        let lists = async {
            let resources = handle.list_resources().await.unwrap();
            let uris: Vec<&str> = resources.items.iter().map(|one| one.uri.as_str()).collect();
            assert_eq!((uris, resources.dropped.len()), (vec!["a", "b"], 3));
            let templates = handle.list_resource_templates().await.unwrap();
            assert_eq!((templates.items.len(), templates.dropped.len()), (2, 3));
            let prompts = handle.list_prompts().await.unwrap();
            assert_eq!((prompts.items[1].name.as_str(), prompts.dropped.len()), ("b", 3));
        };
        tokio::join!(lists, serve);
    }
}

/// PG-007: the limits of tools hold for the others too.
#[tokio::test(start_paused = true)]
async fn endless_lists_end() {
    let mut few = options();
    few.limits.entries = 2;
    let (handle, mut server, _events) = modern_over(Wire::Stream, few, everything()).await;
    let serve = async {
        let (id, _) = server.expect("resources/list").await;
        let page = json!({"resources": [{"uri": "a"}, {"uri": "b"}, {"uri": "c"}], "nextCursor": "n"});
        server.answer(&id, page).await;
        for _ in 0..2 {
            let (id, _) = server.expect("prompts/list").await;
            server
                .answer(&id, json!({"prompts": [], "nextCursor": "same"}))
                .await;
        }
        let (id, _) = server.expect("prompts/list").await;
        server.answer(&id, json!({"tools": []})).await;
    };
    let lists = async {
        let resources = handle.list_resources().await.unwrap();
        assert_eq!(resources.items.len(), 2);
        assert!(resources.truncated.unwrap().contains("first 2 resources"));
        assert!(
            handle
                .list_prompts()
                .await
                .unwrap()
                .truncated
                .unwrap()
                .contains("circle")
        );
        assert!(matches!(
            handle.list_prompts().await,
            Err(CallError::Malformed(_))
        ));
    };
    tokio::join!(lists, serve);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_know_templates_has_none() {
    let (handle, mut server, _events) = legacy(Revision::V2024_11_05, everything()).await;
    let serve = async {
        let (id, _) = server.expect("resources/templates/list").await;
        server.refuse(&id, json!({"code": -32601, "message": "no"})).await;
    };
    let (outcome, ()) = tokio::join!(handle.list_resource_templates(), serve);
    assert!(outcome.unwrap().items.is_empty());
}

/// RS-003, RS-009, CA-001.
#[tokio::test(start_paused = true)]
async fn a_resource_is_read_and_one_that_is_not_there_is_said_so() {
    for (era, missing) in [(EraChoice::Legacy, -32002), (EraChoice::Modern, -32602)] {
        let (handle, mut server, _events) = in_era(era, everything()).await;
        let serve = async {
            let (id, params) = server.expect("resources/read").await;
            assert_eq!(params["uri"], "x://a");
            assert_eq!(params["_meta"]["progressToken"], id);
            let contents = json!([{"uri": "x://a", "text": "t"}, {"uri": "x://b", "blob": "AA=="}]);
            server
                .answer(&id, json!({"contents": contents, "ttlMs": 3000}))
                .await;
            let (id, _) = server.expect("resources/read").await;
            server
                .refuse(&id, json!({"code": missing, "message": "gone"}))
                .await;
        };
        let reads = async {
            let read = handle
                .read_resource("x://a", CallOptions::default())
                .await
                .unwrap();
            assert_eq!(read.value.contents.len(), 2);
            let ttl = if era == EraChoice::Modern { 3 } else { 0 };
            assert_eq!(read.cache.ttl, Duration::from_secs(ttl));
            let gone = handle
                .read_resource("x://a", CallOptions::default())
                .await
                .unwrap_err();
            assert!(gone.is_not_found());
        };
        tokio::join!(reads, serve);
    }
}

/// RS-006.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_asked_to_watch_a_resource_by_name() {
    let (handle, mut server, mut events) = legacy(Revision::V2025_11_25, everything()).await;
    let serve = async {
        let (id, params) = server.expect("resources/subscribe").await;
        assert_eq!(params, json!({"uri": "x://a"}));
        server.answer(&id, json!({})).await;
        server
            .tell("notifications/resources/updated", json!({"uri": "x://a"}))
            .await;
        let (id, _) = server.expect("resources/unsubscribe").await;
        server.answer(&id, json!({})).await;
    };
    let watch = async {
        handle.subscribe_resource("x://a").await.unwrap();
        assert!(matches!(event(&mut events).await, SessionEvent::ResourceUpdated { uri } if uri == "x://a"));
        handle.unsubscribe_resource("x://a").await.unwrap();
    };
    tokio::join!(watch, serve);
}

/// PR-001, PR-004.
#[tokio::test(start_paused = true)]
async fn a_prompt_is_expanded_with_its_arguments() {
    for era in ERAS {
        let (handle, mut server, _events) = in_era(era, everything()).await;
        let serve = async {
            let (id, params) = server.expect("prompts/get").await;
            assert_eq!(
                (&params["name"], &params["arguments"]),
                (&json!("p"), &json!({"city": "Oslo"}))
            );
            let message = json!({"role": "user", "content": {"type": "text", "text": "Plan Oslo"}});
            server.answer(&id, json!({"messages": [message]})).await;
        };
        let arguments = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
        let (prompt, ()) = tokio::join!(handle.get_prompt("p", &arguments, CallOptions::default()), serve);
        assert_eq!(prompt.unwrap().messages.len(), 1);
    }
}

fn city(written: &str) -> CompletionParams {
    CompletionParams {
        target: CompletionTarget::Prompt { name: "p".into() },
        argument: "city".into(),
        value: written.into(),
        chosen: BTreeMap::from([("country".to_owned(), "no".to_owned())]),
    }
}

/// CP-001, CP-002, CP-003, CP-005.
#[tokio::test(start_paused = true)]
async fn completions_are_asked_for_in_the_words_of_the_revision() {
    let sessions = [
        (legacy(Revision::V2025_11_25, everything()).await, true),
        (legacy(Revision::V2025_03_26, everything()).await, false),
        (legacy(Revision::V2024_11_05, json!({})).await, false),
        (modern_over(Wire::Stream, options(), everything()).await, true),
    ];
    let started = city("Os");
    for ((handle, mut server, _events), has_context) in sessions {
        let serve = async {
            let (id, params) = server.expect("completion/complete").await;
            assert_eq!(params["ref"], json!({"type": "ref/prompt", "name": "p"}));
            assert_eq!(params["argument"], json!({"name": "city", "value": "Os"}));
            let context = has_context.then(|| json!({"arguments": {"country": "no"}}));
            assert_eq!(params.get("context"), context.as_ref());
            let values = vec!["Oslo"; 200];
            server
                .answer(&id, json!({"completion": {"values": values, "total": 900}}))
                .await;
        };
        let (completion, ()) = tokio::join!(handle.complete(&started), serve);
        let completion = completion.unwrap();
        assert_eq!(
            (completion.values.len(), completion.total, completion.has_more),
            (100, Some(900), true)
        );
    }
    let (handle, mut server, _events) = legacy(Revision::V2024_11_05, json!({})).await;
    let serve = async {
        let (id, _) = server.expect("completion/complete").await;
        server.refuse(&id, json!({"code": -32601, "message": "no"})).await;
    };
    let (outcome, ()) = tokio::join!(handle.complete(&started), serve);
    assert!(matches!(outcome, Err(CallError::NotSupported)));
}

/// TM-001.
#[tokio::test(start_paused = true)]
async fn a_read_has_a_timeout_like_any_request() {
    for era in ERAS {
        let (handle, mut server, _events) = in_era(era, everything()).await;
        let options = CallOptions {
            timeout: Some(Duration::from_secs(3)),
            ..CallOptions::default()
        };
        let serve = async { server.expect("resources/read").await };
        let (outcome, _) = tokio::join!(handle.read_resource("x://a", options), serve);
        assert!(matches!(outcome, Err(CallError::TimedOut { after }) if after == Duration::from_secs(3)));
    }
    let unused = SessionOptions::new(Implementation::default());
    assert_eq!(unused.era, EraChoice::Auto, "unless it is set");
}
