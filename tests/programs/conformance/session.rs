//! Over transport and session, without a host: calls that the host refuses to make.

use serde_json::json;
use tokio::sync::mpsc;
use url::Url;
use vestibule_egress::{Egress, NetworkReach};
use vestibule_protocol::mcp::Implementation;
use vestibule_session::{CallOptions, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_transport::http::{HttpLimits, HttpOptions, HttpTransport, HttpVariant};

use super::Result;
use super::script::Call;

/// A session of a client that checks no arguments.
pub(crate) struct Session(SessionHandle);

impl Session {
    pub(crate) async fn open(url: &str) -> Result<Self> {
        Ok(Self(connect(&url.parse()?).await?))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the host has no way to make these calls"
    )]
    pub(crate) async fn call(&self, call: &Call) -> Result<()> {
        let arguments = call.arguments.clone();
        self.0
            .call_tool(&call.name, arguments, CallOptions::default())
            .await?;
        Ok(())
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host has no way to do what this session is for"
)]
async fn connect(address: &Url) -> Result<SessionHandle> {
    let egress = Egress::new(address, NetworkReach::Local)?;
    let options = HttpOptions {
        address: address.clone(),
        headers: Vec::new(),
        authorization: None,
        shape: HttpVariant::Either,
        limits: HttpLimits::default(),
    };
    let transport = HttpTransport::new(options, egress)?;
    let client = Implementation {
        name: "vestibule".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..Implementation::default()
    };
    let options = SessionOptions {
        capabilities: json!({}),
        ..SessionOptions::new(client)
    };
    let (tell, mut events) = mpsc::channel::<SessionEvent>(64);
    // Dropping a request answers it.
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    Ok(open(Box::new(transport), options, tell).await?)
}
