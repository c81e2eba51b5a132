//! The official Rust SDK as an independent server: in every revision with a handshake, over a byte stream as a
//! child's pipes would be. What we and our scripted servers might misread alike, this one reads its own way.

#![allow(clippy::disallowed_methods, reason = "these tests speak to sessions directly")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, PingRequest, PingRequestMethod, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, ServerRequest as Asked, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_protocol::Revision;
use vestibule_protocol::mcp::{ContentBlock as Block, Implementation, ListRootsResult, Root};
use vestibule_session::{
    CallError, CallOptions, EraChoice, ServerRequest, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_transport::StreamTransport;

/// Only a bound against hanging.
const BOUND: Duration = Duration::from_secs(20);

/// Tells the test what it sees.
#[derive(Clone)]
struct Peer(mpsc::UnboundedSender<&'static str>);

impl Peer {
    fn tell(&self, what: &'static str) {
        self.0.send(what).unwrap();
    }
}

fn tool(name: &'static str) -> Tool {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    Tool::new(name, "for the test", schema.as_object().unwrap().clone())
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(match request.and_then(|request| request.cursor) {
            None => {
                let mut page = ListToolsResult::with_all_items(vec![tool("echo"), tool("count")]);
                page.next_cursor = Some("more".into());
                page
            }
            Some(cursor) => {
                assert_eq!(cursor, "more");
                ListToolsResult::with_all_items(vec![tool("hang"), tool("roots"), tool("ping")])
            }
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = |text: String| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        match request.name.as_ref() {
            "echo" => said(Value::Object(request.arguments.unwrap()).to_string()),
            "count" => {
                let token = context.meta.get_progress_token().expect("a progress token");
                for step in 1..=3 {
                    let report =
                        ProgressNotificationParam::new(token.clone(), f64::from(step)).with_total(3.0);
                    context.peer.notify_progress(report).await.unwrap();
                }
                said("counted".into())
            }
            "hang" => {
                self.tell("hanging");
                context.ct.cancelled().await;
                self.tell("cancelled");
                Err(ErrorData::internal_error("too late", None))
            }
            #[allow(
                deprecated,
                reason = "the newest revision drops roots, these revisions have them"
            )]
            "roots" => {
                let roots = context.peer.list_roots().await;
                said(roots.map_or_else(|error| error.to_string(), |list| list.roots[0].uri.clone()))
            }
            "ping" => {
                let ping = PingRequest {
                    method: PingRequestMethod,
                    extensions: Default::default(),
                };
                said(
                    context
                        .peer
                        .send_request(Asked::PingRequest(ping))
                        .await
                        .is_ok()
                        .to_string(),
                )
            }
            _ => Err(ErrorData::invalid_params("no such tool", None)),
        }
    }

    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {
        self.tell("initialized");
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.tell("roots changed");
    }
}

struct Met {
    handle: SessionHandle,
    events: mpsc::Receiver<SessionEvent>,
    told: mpsc::UnboundedReceiver<&'static str>,
}

async fn meet(offer: Revision) -> Met {
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
        era: EraChoice::Legacy,
        offer,
        capabilities: json!({"roots": {"listChanged": true}}),
        ..SessionOptions::new(client)
    };
    let (sender, events) = mpsc::channel(64);
    let handle = timeout(BOUND, open(Box::new(transport), options, sender))
        .await
        .unwrap()
        .unwrap();
    let mut met = Met { handle, events, told };
    met.expect("initialized").await;
    met
}

impl Met {
    async fn expect(&mut self, what: &str) {
        assert_eq!(timeout(BOUND, self.told.recv()).await.unwrap(), Some(what));
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<String, CallError> {
        let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
        let call = self.handle.call_tool(name, arguments, CallOptions::default());
        let result = timeout(BOUND, call).await.unwrap()?;
        match &result.content[..] {
            [Block::Text { text, .. }] => Ok(text.clone()),
            other => panic!("{other:?}"),
        }
    }
}

/// LC-001, LC-003, LC-005, TL-002, PG-001, PI-002.
#[tokio::test]
async fn every_revision_is_agreed_on_listed_called_and_pinged() {
    for revision in Revision::HANDSHAKES {
        let met = meet(revision).await;
        assert_eq!(met.handle.info().revision, revision);
        assert!(met.handle.info().capabilities.tools.is_some());
        let list = timeout(BOUND, met.handle.list_tools()).await.unwrap().unwrap();
        let names: Vec<&str> = list.items.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["echo", "count", "hang", "roots", "ping"]);
        assert_eq!(
            list.items[0].input_schema()["properties"]["text"]["type"],
            "string"
        );
        assert_eq!(
            met.call("echo", json!({"text": "ä\n\u{2028}"})).await.unwrap(),
            "{\"text\":\"ä\\n\u{2028}\"}"
        );
        let missing = met.call("missing", json!({})).await;
        assert!(
            matches!(missing, Err(CallError::Rpc(error)) if error.code == -32602),
            "{revision}"
        );
        timeout(BOUND, met.handle.ping()).await.unwrap().unwrap();
    }
}

/// PS-001, PS-002.
#[tokio::test]
async fn progress_arrives_in_every_revision() {
    for revision in Revision::HANDSHAKES {
        let met = meet(revision).await;
        let (progress, mut reports) = mpsc::channel(8);
        let options = CallOptions {
            progress: Some(progress),
            ..CallOptions::default()
        };
        timeout(BOUND, met.handle.call_tool("count", Map::new(), options))
            .await
            .unwrap()
            .unwrap();
        let mut seen = Vec::new();
        while let Some(report) = reports.recv().await {
            seen.push((report.progress, report.total));
        }
        assert_eq!(seen.first(), Some(&(1.0, Some(3.0))), "{revision}");
        assert_eq!(seen.last(), Some(&(3.0, Some(3.0))), "{revision}");
    }
}

/// CX-001, CX-003.
#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server_in_every_revision() {
    for revision in Revision::HANDSHAKES {
        let mut met = meet(revision).await;
        let handle = met.handle.clone();
        let call =
            tokio::spawn(async move { handle.call_tool("hang", Map::new(), CallOptions::default()).await });
        met.expect("hanging").await;
        call.abort();
        met.expect("cancelled").await;
        // Its late answer, if it sends one, disturbs nothing.
        assert_eq!(met.call("echo", json!({})).await.unwrap(), "{}");
        assert!(met.events.try_recv().is_err(), "{revision}");
    }
}

/// RO-002, RO-004, PI-001.
#[tokio::test]
async fn the_servers_own_requests_are_answered_while_its_call_waits() {
    for revision in Revision::HANDSHAKES {
        let mut met = meet(revision).await;
        assert_eq!(met.call("ping", json!({})).await.unwrap(), "true");
        let mut events = std::mem::replace(&mut met.events, mpsc::channel(1).1);
        let host = tokio::spawn(async move {
            let Some(SessionEvent::Request {
                request: ServerRequest::ListRoots,
                reply,
            }) = events.recv().await
            else {
                panic!("no request")
            };
            reply.reply(&ListRootsResult {
                roots: vec![Root {
                    uri: "file:///work".into(),
                    name: None,
                }],
            });
            events
        });
        assert_eq!(
            met.call("roots", json!({})).await.unwrap(),
            "file:///work",
            "{revision}"
        );
        let _events = host.await.unwrap();
        met.handle.notify_roots_changed().await.unwrap();
        met.expect("roots changed").await;
        timeout(BOUND, met.handle.close()).await.unwrap();
    }
}
