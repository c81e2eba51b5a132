//! The official Rust SDK as an independent server over HTTP, in both eras. What we and our scripted servers
//! might misread alike, this one reads its own way.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler};

use super::*;

struct Peer;

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![]))
    }

    #[allow(
        deprecated,
        reason = "the newest revision drops roots, the tested one has them"
    )]
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = match request.name.as_ref() {
            "roots" => context
                .peer
                .list_roots()
                .await
                .map_or_else(|error| error.to_string(), |list| list.roots[0].uri.clone()),
            _ => "echo".to_owned(),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

async fn meet() -> (HttpTransport, Arc<LocalSessionManager>) {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(
        || Ok(Peer),
        sessions.clone(),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (
        transport(&address, HttpVariant::Either, HttpLimits::default()),
        sessions,
    )
}

fn call(id: i64, method: &'static str, params: &Value) -> Outgoing {
    let frame = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
    Outgoing::request(frame.into(), RequestId::Number(id), method)
}

async fn open_legacy(client: &mut HttpTransport) {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
        "clientInfo": {"name": "test", "version": "1"}});
    let mut outgoing = call(1, "initialize", &params);
    if let OutgoingKind::Request { opening, .. } = &mut outgoing.kind {
        *opening = true;
    }
    client.send(outgoing).unwrap();
    assert_eq!(frame(client).await["result"]["protocolVersion"], "2025-11-25");
    client.agreed(Revision::V2025_11_25);
    client.send(notification("notifications/initialized")).unwrap();
}

#[tokio::test]
async fn a_session_of_the_handshake_era_opens_asks_answers_and_says_goodbye() {
    let (mut client, sessions) = meet().await;
    open_legacy(&mut client).await;
    client.send(call(2, "tools/list", &json!({}))).unwrap();
    assert_eq!(frame(&mut client).await["id"], 2);
    client
        .send(call(3, "tools/call", &json!({"name": "roots", "arguments": {}})))
        .unwrap();
    let asked = frame(&mut client).await;
    assert_eq!(asked["method"], "roots/list");
    let id: RequestId = serde_json::from_value(asked["id"].clone()).unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": "file:///here"}]}});
    client
        .send(Outgoing::response(answer.to_string().into(), id))
        .unwrap();
    assert_eq!(
        frame(&mut client).await["result"]["content"][0]["text"],
        "file:///here"
    );
    assert_eq!(sessions.sessions.read().await.len(), 1);
    timeout(BOUND, client.close()).await.unwrap();
    assert_eq!(sessions.sessions.read().await.len(), 0);
}

#[tokio::test]
async fn a_session_it_forgot_is_lost() {
    let (mut client, sessions) = meet().await;
    open_legacy(&mut client).await;
    client.send(call(2, "tools/list", &json!({}))).unwrap();
    assert_eq!(frame(&mut client).await["id"], 2);
    sessions.sessions.write().await.clear();
    client.send(call(3, "tools/list", &json!({}))).unwrap();
    assert!(matches!(next(&mut client).await, Incoming::SessionLost));
}

#[tokio::test]
async fn requests_of_the_stateless_era_are_understood() {
    let (mut client, sessions) = meet().await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let ask = |id: i64, method: &'static str, mut params: Value, extra: &[(&str, &str)]| {
        params["_meta"] = meta.clone();
        let Outgoing { kind, .. } = modern_request(id, method, extra);
        let frame = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        Outgoing {
            frame: frame.to_string().into(),
            kind,
        }
    };
    client.send(ask(1, "server/discover", json!({}), &[])).unwrap();
    let versions = &frame(&mut client).await["result"]["supportedVersions"];
    assert!(
        versions.as_array().unwrap().contains(&json!("2026-07-28")),
        "{versions}"
    );
    let params = json!({"name": "echo", "arguments": {}});
    client
        .send(ask(2, "tools/call", params.clone(), &[("Mcp-Name", "echo")]))
        .unwrap();
    assert_eq!(frame(&mut client).await["result"]["content"][0]["text"], "echo");
    // A header that contradicts the body is refused, with the code that says so.
    client
        .send(ask(3, "tools/call", params, &[("Mcp-Name", "other")]))
        .unwrap();
    assert_eq!(frame(&mut client).await["error"]["code"], -32020);
    assert_eq!(sessions.sessions.read().await.len(), 0);
}
