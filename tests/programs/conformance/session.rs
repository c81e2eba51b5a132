//! A scenario over transport and session, without a host.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{
    CallError, CallOptions, ServerRequest, SessionEvent, SessionHandle, SessionOptions, open,
};
use vestibule_transport::egress::{Egress, Reach};
use vestibule_transport::http::{HttpOptions, HttpTransport, Limits, Shape};

use super::Result;
use super::script::{Script, Use};
use super::values::value_for;

pub(crate) async fn play(url: &str, script: &Script) -> Result<()> {
    let (sender, events) = mpsc::channel(64);
    let session = connect(url, sender).await?;
    let person = tokio::spawn(answer(events));
    let played = follow(&session, script).await;
    session.close().await;
    person.await?;
    played
}

#[expect(
    clippy::disallowed_methods,
    reason = "the suite judges the client without its host"
)]
async fn connect(url: &str, events: mpsc::Sender<SessionEvent>) -> Result<SessionHandle> {
    let address: url::Url = url.parse()?;
    let egress = Egress::new(&address, Reach::Local)?;
    let options = HttpOptions {
        address,
        headers: Vec::new(),
        authorization: None,
        shape: Shape::Either,
        limits: Limits::default(),
    };
    let transport = HttpTransport::new(options, egress)?;
    let client = Implementation {
        name: "vestibule".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..Implementation::default()
    };
    let options = SessionOptions {
        capabilities: json!({ "elicitation": { "form": {} }, "roots": { "listChanged": true }, "sampling": {} }),
        ..SessionOptions::new(client)
    };
    Ok(open(Box::new(transport), options, events).await?)
}

async fn follow(session: &SessionHandle, script: &Script) -> Result<()> {
    if script.uses() == Use::Connect {
        return Ok(());
    }
    let tools = match session.list_tools().await {
        Err(CallError::NotSupported) => Vec::new(),
        listed => listed?.items,
    };
    if script.uses() == Use::List {
        return Ok(());
    }
    for call in script.calls(&tools)? {
        #[expect(
            clippy::disallowed_methods,
            reason = "the suite judges the client without its host"
        )]
        session
            .call_tool(&call.name, call.arguments, CallOptions::default())
            .await?;
    }
    if script.uses() == Use::Everything {
        read_everything(session).await?;
    }
    Ok(())
}

async fn read_everything(session: &SessionHandle) -> Result<()> {
    for resource in session.list_resources().await?.items {
        session
            .read_resource(&resource.uri, CallOptions::default())
            .await?;
    }
    for prompt in session.list_prompts().await?.items {
        let named =
            |argument: &vestibule_protocol::mcp::PromptArgument| (argument.name.clone(), "text".to_owned());
        let arguments: BTreeMap<_, _> = prompt.arguments.iter().map(named).collect();
        session
            .get_prompt(&prompt.name, &arguments, CallOptions::default())
            .await?;
    }
    Ok(())
}

/// Fills every form; shares no folder and asks no model.
async fn answer(mut events: mpsc::Receiver<SessionEvent>) {
    while let Some(event) = events.recv().await {
        match event {
            SessionEvent::Request {
                request: ServerRequest::ElicitForm(form),
                reply,
            } => {
                let schema: Value = serde_json::from_str(form.requested_schema.get()).unwrap_or_default();
                reply.reply(&json!({ "action": "accept", "content": value_for(&schema) }));
            }
            SessionEvent::Request {
                request: ServerRequest::ListRoots,
                reply,
            } => {
                reply.reply(&json!({ "roots": [] }));
            }
            SessionEvent::Closed(_) => break,
            _ => {}
        }
    }
}
