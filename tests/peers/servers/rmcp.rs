//! A server made with the official Rust SDK. It speaks both eras, over stdio or (with "http") on a free port of
//! 127.0.0.1. Not part of the product.

#![allow(
    deprecated,
    reason = "the newest revision asks in another way; this server speaks the older ones too"
)]

use std::sync::Arc;

use axum::Router;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, ElicitRequestParams, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InputRequests, InputRequiredResult, JsonObject, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

const NOTE: &str = "note://one";
const CITIES: [&str; 3] = ["Oslo", "Osaka", "Rome"];

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stderr, reason = "who started it reads the address there")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let peer = Peer(Arc::new(watch::channel(false).0));
    if !std::env::args().any(|arg| arg == "http") {
        peer.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    }
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(peer.clone()), sessions, config);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

/// Tells all who listen that the note was touched.
#[derive(Clone)]
struct Peer(Arc<watch::Sender<bool>>);

fn object(value: Value) -> JsonObject {
    serde_json::from_value(value).expect("an object")
}

fn tool(name: &'static str) -> Tool {
    Tool::new(name, "for the tests", object(json!({ "type": "object" })))
}

fn said(text: impl Into<String>) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

fn wrong(what: impl ToString) -> ErrorData {
    ErrorData::invalid_params(what.to_string(), None)
}

/// What a call needs first, by one name, and what came of it: the newest revision asks by its answer, an older one at
/// once.
async fn needed(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    wish: Value,
) -> Result<Result<Value, CallToolResponse>, ErrorData> {
    if let Some(answers) = &request.input_responses {
        return Ok(Ok(json!(answers["it"])));
    }
    if context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
    {
        let wishes: InputRequests = serde_json::from_value(json!({ "it": wish })).map_err(wrong)?;
        return Ok(Err(InputRequiredResult::new(Some(wishes), None).into()));
    }
    let answer = if wish["method"] == "roots/list" {
        json!(context.peer.list_roots().await.map_err(wrong)?)
    } else {
        let form: ElicitRequestParams = serde_json::from_value(wish["params"].clone()).map_err(wrong)?;
        json!(context.peer.create_elicitation(form).await.map_err(wrong)?)
    };
    Ok(Ok(answer))
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let sum = object(json!({ "type": "object", "properties": { "sum": { "type": "integer" } } }));
        let add = tool("add").with_raw_output_schema(Arc::new(sum));
        Ok(ListToolsResult::with_all_items(vec![
            add,
            tool("greet"),
            tool("folder"),
            tool("count"),
            tool("touch"),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "add" => {
                let arguments = request.arguments.unwrap_or_default();
                let number = |name: &str| {
                    arguments
                        .get(name)
                        .and_then(Value::as_i64)
                        .ok_or_else(|| wrong(name))
                };
                Ok(CallToolResult::structured(json!({ "sum": number("a")? + number("b")? })).into())
            }
            "greet" => {
                let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
                let params =
                    json!({ "mode": "form", "message": "What is your name?", "requestedSchema": schema });
                match needed(
                    &request,
                    &context,
                    json!({ "method": "elicitation/create", "params": params }),
                )
                .await?
                {
                    Ok(answer) => said(format!(
                        "Hello, {}.",
                        answer["content"]["name"].as_str().unwrap_or_default()
                    )),
                    Err(wish) => Ok(wish),
                }
            }
            "folder" => match needed(&request, &context, json!({ "method": "roots/list" })).await? {
                Ok(answer) => said(answer["roots"][0]["uri"].as_str().unwrap_or_default()),
                Err(wish) => Ok(wish),
            },
            "count" => {
                let token = context
                    .meta
                    .get_progress_token()
                    .ok_or_else(|| wrong("no token"))?;
                for step in 1..=3 {
                    let report =
                        ProgressNotificationParam::new(token.clone(), f64::from(step)).with_total(3.0);
                    context.peer.notify_progress(report).await.map_err(wrong)?;
                }
                said("counted")
            }
            "touch" => {
                self.0.send_replace(true);
                said("touched")
            }
            _ => Err(wrong("no such tool")),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            NOTE, "note",
        )]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match request.uri.as_str() {
            NOTE => Ok(ReadResourceResult::new(vec![ResourceContents::text("a note", NOTE)]).into()),
            _ => Err(ErrorData::resource_not_found("no such note", None)),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watched = context
            .accepted()
            .resource_subscriptions
            .clone()
            .unwrap_or_default();
        let mut touched = self.0.subscribe();
        // Who listens was told so before this runs, and may have touched it since.
        if *touched.borrow() {
            touched.mark_changed();
        }
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                Ok(()) = touched.changed() => for uri in &watched {
                    context.sink().notify_resource_updated(uri.clone()).await.map_err(wrong)?;
                },
                else => return Ok(()),
            }
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let city = arguments
            .get("city")
            .map(|city| json!(city))
            .ok_or_else(|| wrong("no city"))?;
        let text = format!("Plan a day in {}.", city.as_str().unwrap_or_default());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let fitting = CITIES
            .iter()
            .filter(|city| city.starts_with(&request.argument.value));
        let fitting = fitting.map(|city| (*city).to_owned()).collect();
        Ok(CompleteResult::new(CompletionInfo::new(fitting).map_err(wrong)?))
    }
}
