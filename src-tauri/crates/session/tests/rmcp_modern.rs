//! The official Rust SDK as an independent server of the modern era, over a byte stream: found out, listed,
//! called in rounds, listened to, cancelled. It checks the envelope of every request by its own rules.

#![allow(clippy::disallowed_methods, reason = "these tests speak to sessions directly")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequests,
    InputRequiredResult, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, Prompt, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget, ContentBlock as Block, Implementation};
use vestibule_session::{
    CallError, CallOptions, EraChoice, ServerRequest, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_transport::StreamTransport;

/// Only a bound against hanging.
const BOUND: Duration = Duration::from_secs(20);

/// Characters that do not survive a careless echo.
const STATE: &str = "a.b/c+d= \"e\"\n\té\u{2028}";

/// Tells the test what it sees.
#[derive(Clone)]
struct Peer(mpsc::UnboundedSender<&'static str>);

fn tool(name: &'static str) -> Tool {
    Tool::new(
        name,
        "for the test",
        json!({"type": "object"}).as_object().unwrap().clone(),
    )
}

fn wishes() -> InputRequests {
    let wishes = json!({
        "who": {"method": "elicitation/create", "params": {"message": "Name?", "requestedSchema":
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}},
        "where": {"method": "roots/list"},
    });
    serde_json::from_value(wishes).unwrap()
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        context.sink().notify_tool_list_changed().await.unwrap();
        for uri in context
            .accepted()
            .resource_subscriptions
            .clone()
            .unwrap_or_default()
        {
            context.sink().notify_resource_updated(uri).await.unwrap();
        }
        context.cancelled().await;
        self.0.send("unheard").unwrap();
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(match request.and_then(|request| request.cursor) {
            None => {
                let mut page = ListToolsResult::with_all_items(vec![tool("greet"), tool("count")]);
                page.next_cursor = Some(String::new());
                page
            }
            Some(_) => ListToolsResult::with_all_items(vec![tool("hang")]),
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = |text: String| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        match request.name.as_ref() {
            "greet" => match (request.request_state.as_deref(), request.input_responses) {
                (None, None) => Ok(InputRequiredResult::new(Some(wishes()), Some(STATE.into())).into()),
                (Some(STATE), Some(answers)) => said(format!(
                    "{} in {}",
                    answers["who"]["content"]["name"], answers["where"]["roots"][0]["uri"]
                )),
                other => Err(ErrorData::invalid_params(format!("{other:?}"), None)),
            },
            "count" => {
                let token = context.meta.get_progress_token().expect("a progress token");
                let report = ProgressNotificationParam::new(token, 1.0).with_total(3.0);
                context.peer.notify_progress(report).await.unwrap();
                said("counted".into())
            }
            "hang" => {
                self.0.send("hanging").unwrap();
                context.ct.cancelled().await;
                self.0.send("cancelled").unwrap();
                Err(ErrorData::internal_error("too late", None))
            }
            _ => Err(ErrorData::invalid_params("no such tool", None)),
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text("t", request.uri)]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new(
            "plan",
            Some("for the test"),
            None,
        )]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let city = request.arguments.unwrap()["city"].to_string();
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, city)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = vec![format!("{}lo", request.argument.value)];
        Ok(CompleteResult::new(CompletionInfo::new(values).unwrap()))
    }
}

struct Met {
    handle: SessionHandle,
    events: mpsc::Receiver<SessionEvent>,
    told: mpsc::UnboundedReceiver<&'static str>,
}

async fn meet() -> Met {
    let (tell, told) = mpsc::unbounded_channel();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        // Ends with an error when the test ends the connection.
        if let Ok(server) = Peer(tell).serve(theirs).await {
            let _ = server.waiting().await;
        }
    });
    let (reader, writer) = tokio::io::split(ours);
    let transport = StreamTransport::new(reader, writer, BOUND);
    let client = Implementation {
        name: "test".into(),
        version: "1".into(),
        ..Implementation::default()
    };
    let options = SessionOptions {
        capabilities: json!({"roots": {"listChanged": true}, "elicitation": {}}),
        probe_timeout: BOUND,
        ..SessionOptions::new(client)
    };
    let (sender, events) = mpsc::channel(64);
    let handle = timeout(BOUND, open(Box::new(transport), options, sender))
        .await
        .unwrap()
        .unwrap();
    let info = handle.info();
    assert_eq!((info.revision, info.era()), (Revision::NEWEST, EraChoice::Modern));
    assert_eq!(info.server.name, "rmcp");
    Met { handle, events, told }
}

impl Met {
    async fn expect(&mut self, what: &str) {
        assert_eq!(timeout(BOUND, self.told.recv()).await.unwrap(), Some(what));
    }

    async fn event(&mut self) -> SessionEvent {
        timeout(BOUND, self.events.recv()).await.unwrap().unwrap()
    }

    async fn call(&self, name: &str) -> Result<String, CallError> {
        let call = self.handle.call_tool(name, Map::new(), CallOptions::default());
        let result = timeout(BOUND, call).await.unwrap()?;
        match &result.content[..] {
            [Block::Text { text, .. }] => Ok(text.clone()),
            other => panic!("{other:?}"),
        }
    }
}

/// NEG-005, DISC-001, TL-002, PG-003, PI-003.
#[tokio::test]
async fn it_is_found_out_listed_read_expanded_completed_and_asked_whether_it_is_there() {
    let met = meet().await;
    let list = timeout(BOUND, met.handle.list_tools()).await.unwrap().unwrap();
    let names: Vec<&str> = list.items.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["greet", "count", "hang"]);
    let missing = met.call("missing").await;
    assert!(matches!(missing, Err(CallError::Rpc(error)) if error.code == -32602));
    timeout(BOUND, met.handle.ping()).await.unwrap().unwrap();
    let options = CallOptions::default;
    let read = timeout(BOUND, met.handle.read_resource("x://a", options()))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(read.value.contents.len(), 1);
    let prompts = timeout(BOUND, met.handle.list_prompts()).await.unwrap().unwrap();
    assert_eq!(prompts.items[0].name, "plan");
    let arguments = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
    let prompt = timeout(BOUND, met.handle.get_prompt("plan", &arguments, options()))
        .await
        .unwrap()
        .unwrap();
    assert!(matches!(&prompt.messages[0].content, Block::Text { text, .. } if text.contains("Oslo")));
    let started = CompletionParams {
        target: CompletionTarget::Prompt { name: "plan".into() },
        argument: "city".into(),
        value: "Os".into(),
        chosen: BTreeMap::new(),
    };
    let completion = timeout(BOUND, met.handle.complete(&started))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(completion.values, ["Oslo"]);
}

/// MR-002, MR-004, MR-006, MR-008.
#[tokio::test]
async fn it_gets_the_input_it_needs_and_its_state_back() {
    let mut met = meet().await;
    let handle = met.handle.clone();
    let call = tokio::spawn(async move {
        handle
            .call_tool("greet", Map::new(), CallOptions::default())
            .await
    });
    let mut asked = 0;
    while asked < 2 {
        let SessionEvent::Request { request, reply } = met.event().await else {
            continue;
        };
        asked += 1;
        match request {
            ServerRequest::ElicitForm(_) => {
                reply.reply(&json!({"action": "accept", "content": {"name": "Ada"}}))
            }
            ServerRequest::ListRoots => reply.reply(&json!({"roots": [{"uri": "file:///work"}]})),
            other => panic!("{other:?}"),
        }
    }
    let result = timeout(BOUND, call).await.unwrap().unwrap().unwrap();
    assert!(
        matches!(&result.content[..], [Block::Text { text, .. }] if text == "\"Ada\" in \"file:///work\""),
        "{result:?}"
    );
}

/// PS-001, PS-002, CX-005.
#[tokio::test]
async fn its_progress_arrives_and_it_hears_of_a_dropped_call() {
    let mut met = meet().await;
    let (progress, mut reports) = mpsc::channel(8);
    let options = CallOptions {
        progress: Some(progress),
        ..CallOptions::default()
    };
    timeout(BOUND, met.handle.call_tool("count", Map::new(), options))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(reports.recv().await.unwrap().total, Some(3.0));
    let handle = met.handle.clone();
    let call =
        tokio::spawn(async move { handle.call_tool("hang", Map::new(), CallOptions::default()).await });
    met.expect("hanging").await;
    call.abort();
    met.expect("cancelled").await;
    assert_eq!(met.call("count").await.unwrap(), "counted");
}

/// SU-001, SU-002, SU-006, SU-007, RS-007.
#[tokio::test]
async fn its_changes_are_heard_and_it_hears_what_is_no_longer_wanted() {
    let mut met = meet().await;
    assert!(matches!(met.event().await, SessionEvent::ToolsChanged));
    timeout(BOUND, met.handle.subscribe_resource("x://a"))
        .await
        .unwrap()
        .unwrap();
    met.expect("unheard").await;
    let mut updated = false;
    while !updated {
        match met.event().await {
            SessionEvent::ToolsChanged => {}
            SessionEvent::ResourceUpdated { uri } => updated = uri == "x://a",
            other => panic!("{other:?}"),
        }
    }
    timeout(BOUND, met.handle.unsubscribe_resource("x://a"))
        .await
        .unwrap()
        .unwrap();
    met.expect("unheard").await;
    let value: Value = json!(met.call("count").await.unwrap());
    assert_eq!(value, "counted");
}
