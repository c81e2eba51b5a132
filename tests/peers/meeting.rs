//! A session with a server, and a host in miniature that keeps what the server says and answers what it asks the same
//! way each time. There is no gate here: what these servers may do, the tests decide.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, watch};
use url::Url;
use vestibule_egress::{Egress, NetworkReach};
use vestibule_protocol::Revision;
use vestibule_protocol::capability::{ClientCapabilities, Sampling};
use vestibule_protocol::elicitation::{ElicitAction, ElicitResult};
use vestibule_protocol::mcp::{
    CallToolResult, ContentBlock, Implementation, ListRootsResult, LogMessage, Progress, Root,
};
use vestibule_session::{
    CallError, CallOptions, EraChoice, ServerRequest, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_tests::{program, soon};
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::http::{HttpLimits, HttpOptions, HttpTransport, HttpVariant};
use vestibule_transport::path::{SearchPath, resolve};
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};
use vestibule_transport::{CloseReason, Transport};

use crate::Peer;

/// The folder the server is told of.
pub(crate) const ROOT: &str = "file:///work/letters";
/// What "the model" answers.
pub(crate) const ANSWER: &str = "Forty-two, I should think.";

/// Something the server did.
#[derive(Debug)]
pub(crate) enum Heard {
    /// It asked for something, and got an answer.
    Asked(&'static str, Value),
    /// A watched resource changed.
    Updated(String),
    /// A line of its log.
    Log(LogMessage),
    /// Its tools are others.
    ToolsChanged,
    /// Something out of order.
    Oddity(String),
}

/// A session with a server.
pub(crate) struct Met {
    pub(crate) session: SessionHandle,
    heard: watch::Receiver<Vec<Heard>>,
    /// Stands for what the user fills in, page after page.
    pub(crate) fills_in: Arc<watch::Sender<ElicitResult>>,
}

/// Starts a server and opens a session in this revision.
pub(crate) async fn meet(peer: &Peer, offer: Revision) -> Met {
    #[expect(
        clippy::disallowed_methods,
        reason = "these tests are about a session without a host around it"
    )]
    async fn spawn(peer: &Peer) -> StdioTransport {
        let guard = GuardHandle::start(program("vestibule-driver"), vec!["guard".into(), "peers".into()]);
        let guard = guard.await.unwrap();
        let search_path = SearchPath::default().get().await.clone();
        let launch = LaunchSpec {
            program: resolve(&peer.command, &search_path, None).unwrap(),
            args: peer.args.clone(),
            env: peer
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone().into()))
                .collect(),
            cwd: "/".into(),
            search_path,
            files: vec![],
        };
        StdioTransport::spawn(launch, &guard, Patience::default())
            .await
            .unwrap()
    }
    begin(Box::new(spawn(peer).await), offer).await
}

/// Opens a session in this revision with a server at an address of this computer.
#[expect(
    clippy::disallowed_methods,
    reason = "these tests are about a session without a host around it"
)]
pub(crate) async fn meet_at(address: &str, offer: Revision) -> Met {
    let address = Url::parse(address).unwrap();
    let egress = Egress::new(&address, NetworkReach::Local).unwrap();
    let options = HttpOptions {
        address,
        headers: Vec::new(),
        authorization: None,
        shape: HttpVariant::Either,
        limits: HttpLimits::default(),
    };
    begin(Box::new(HttpTransport::new(options, egress).unwrap()), offer).await
}

#[expect(
    clippy::disallowed_methods,
    reason = "these tests are about a session without a host around it"
)]
async fn begin(transport: Box<dyn Transport>, offer: Revision) -> Met {
    let client = Implementation {
        name: "vestibule-tests".into(),
        version: "1".into(),
        ..Implementation::default()
    };
    let everything = ClientCapabilities {
        roots: true,
        sampling: Some(Sampling {
            tools: true,
            context: true,
        }),
        forms: true,
        pages: true,
        tasks: true,
    };
    let (offer, era) = match offer.is_modern() {
        true => (Revision::NEWEST_HANDSHAKE, EraChoice::Modern),
        false => (offer, EraChoice::Legacy),
    };
    let options = SessionOptions {
        offer,
        era,
        capabilities: everything.to_value(),
        ..SessionOptions::new(client)
    };
    let (sender, events) = mpsc::channel(4096);
    let opened = soon("a session", open(transport, options, sender)).await;
    let (told, heard) = watch::channel(Vec::new());
    let agrees = ElicitResult::bare(ElicitAction::Accept);
    let fills_in = Arc::new(watch::channel(agrees).0);
    tokio::spawn(answer(events, told, fills_in.clone()));
    Met {
        session: opened.unwrap(),
        heard,
        fills_in,
    }
}

async fn answer(
    mut events: mpsc::Receiver<SessionEvent>,
    told: watch::Sender<Vec<Heard>>,
    fills_in: Arc<watch::Sender<ElicitResult>>,
) {
    while let Some(event) = events.recv().await {
        let heard = match event {
            SessionEvent::Request { request, reply } => match request {
                ServerRequest::ListRoots => {
                    let roots = vec![Root {
                        uri: ROOT.into(),
                        name: Some("letters".into()),
                    }];
                    reply.reply(&ListRootsResult { roots });
                    Heard::Asked("roots", Value::Null)
                }
                ServerRequest::CreateMessage(wish) => {
                    reply.reply(
                        &json!({ "role": "assistant", "model": "a model", "stopReason": "endTurn",
                        "content": { "type": "text", "text": ANSWER } }),
                    );
                    Heard::Asked("sampling", wish.as_raw().read().unwrap())
                }
                ServerRequest::ElicitForm(form) => {
                    reply.reply(&*fills_in.borrow());
                    Heard::Asked("form", serde_json::from_str(form.requested_schema.get()).unwrap())
                }
                ServerRequest::ElicitUrl(page) => {
                    reply.reply(&ElicitResult::bare(ElicitAction::Accept));
                    Heard::Asked("page", json!(page))
                }
            },
            SessionEvent::ResourceUpdated { uri } => Heard::Updated(uri),
            SessionEvent::Log(message) => Heard::Log(message),
            SessionEvent::ToolsChanged => Heard::ToolsChanged,
            SessionEvent::Oddity(what) => Heard::Oddity(what),
            _ => continue,
        };
        told.send_modify(|all| all.push(heard));
    }
}

impl Met {
    /// The revision that was agreed on.
    pub(crate) fn revision(&self) -> Revision {
        self.session.info().revision
    }

    /// The names of all tools. Every one of them can be used.
    pub(crate) async fn tools(&self) -> Vec<String> {
        let list = soon("a listing", self.session.list_tools()).await.unwrap();
        assert_eq!((&list.dropped[..], &list.truncated), (&[][..], &None));
        list.items.into_iter().map(|tool| tool.name).collect()
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, CallError> {
        self.call_with(name, arguments, CallOptions::default()).await
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "these tests are about a session without a host around it"
    )]
    async fn call_with(
        &self,
        name: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<CallToolResult, CallError> {
        soon(name, self.session.call_tool(name, members(arguments), options)).await
    }

    /// Calls a tool that succeeds.
    pub(crate) async fn result(&self, name: &str, arguments: Value) -> CallToolResult {
        let result = self.call(name, arguments).await.unwrap();
        assert!(!result.is_error, "{result:?}");
        result
    }

    /// All text of what a tool that succeeds answers.
    pub(crate) async fn text(&self, name: &str, arguments: Value) -> String {
        text(&self.result(name, arguments).await)
    }

    /// Whether a tool refuses, by an error or by saying that it failed.
    pub(crate) async fn refuses(&self, name: &str, arguments: Value) -> bool {
        match self.call(name, arguments).await {
            Ok(result) => result.is_error,
            Err(error) => matches!(error, CallError::Rpc(_)),
        }
    }

    /// The last report of a call, after it succeeded.
    pub(crate) async fn last_report(&self, name: &str, arguments: Value) -> Option<Progress> {
        let (tell, mut told) = mpsc::channel(64);
        let options = CallOptions {
            progress: Some(tell),
            ..CallOptions::default()
        };
        let done = self.call_with(name, arguments, options).await.unwrap();
        assert!(!done.is_error, "{done:?}");
        let mut last = None;
        while let Some(report) = told.recv().await {
            last = Some(report);
        }
        last
    }

    /// Waits until something was heard.
    pub(crate) async fn heard<T>(&self, what: &str, find: impl Fn(&Heard) -> Option<T>) -> T {
        let mut heard = self.heard.clone();
        let found = |all: &Vec<Heard>| all.iter().any(|one| find(one).is_some());
        let all = soon(what, heard.wait_for(found)).await.unwrap();
        all.iter().find_map(find).unwrap()
    }

    /// What the server asked for, when it asked for this.
    pub(crate) async fn asked(&self, kind: &'static str) -> Value {
        self.heard(kind, |heard| match heard {
            Heard::Asked(asked, about) if *asked == kind => Some(about.clone()),
            _ => None,
        })
        .await
    }

    /// Whether something was heard until now.
    pub(crate) fn has_heard(&self, find: impl Fn(&Heard) -> bool) -> bool {
        self.heard.borrow().iter().any(find)
    }

    /// Ends politely. Nothing that happened was out of order.
    pub(crate) async fn part(mut self) -> CloseReason {
        let end = soon("the end", self.session.close()).await;
        // The last event was followed by nothing.
        while soon("the last event", self.heard.changed()).await.is_ok() {}
        let heard = self.heard.borrow();
        let odd = heard.iter().filter_map(|heard| match heard {
            Heard::Oddity(what) => Some(what),
            _ => None,
        });
        assert_eq!(odd.collect::<Vec<_>>(), Vec::<&String>::new());
        drop(heard);
        end
    }
}

/// All text of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The members of an object.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other}"),
    }
}
