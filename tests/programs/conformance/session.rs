//! Over transport and session, without a host: what the host has no way to do. It signs in where the server wants it,
//! lists the tools and calls some of them.

use serde_json::json;
use tokio::sync::mpsc;
use url::Url;
use vestibule_auth::Authorizer;
use vestibule_protocol::mcp::{Implementation, Tool};
use vestibule_session::{CallError, CallOptions, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_transport::egress::{Egress, NetworkReach};
use vestibule_transport::http::{HttpLimits, HttpOptions, HttpTransport, HttpVariant};

use super::Result;
use super::script::{Call, Script};
use super::sign_in::{Unsent, authorized, authorizer};

/// A session, and what its server wants to know of who uses it.
pub(crate) struct Session {
    handle: SessionHandle,
    authorizer: Authorizer,
}

impl Session {
    /// Opens a session, and signs in where that is wanted.
    pub(crate) async fn open(url: &str, script: &Script) -> Result<Self> {
        let address: Url = url.parse()?;
        let authorizer = authorizer(&address, script).await?;
        let handle = authorized(&authorizer, || connect(&address, &authorizer)).await?;
        Ok(Self { handle, authorizer })
    }

    /// The tools.
    pub(crate) async fn tools(&self) -> Result<Vec<Tool>> {
        let list = || async {
            match self.handle.list_tools().await {
                Err(CallError::NotSupported) => Ok(Vec::new()),
                listed => Ok(listed?.items),
            }
        };
        authorized(&self.authorizer, list).await
    }

    /// Calls a tool.
    #[expect(
        clippy::disallowed_methods,
        reason = "the host has no way to make these calls"
    )]
    pub(crate) async fn call(&self, call: &Call) -> Result<()> {
        let send = || async {
            let arguments = call.arguments.clone();
            let sent = self
                .handle
                .call_tool(&call.name, arguments, CallOptions::default());
            Ok(sent.await.map(drop)?)
        };
        authorized(&self.authorizer, send).await
    }

    /// Ends it.
    pub(crate) async fn close(self) {
        self.handle.close().await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host has no way to do what this session is for"
)]
async fn connect(address: &Url, authorizer: &Authorizer) -> std::result::Result<SessionHandle, Unsent> {
    let egress =
        Egress::new(address, NetworkReach::Local).map_err(|error| Unsent::Failed(error.to_string()))?;
    let options = HttpOptions {
        address: address.clone(),
        headers: Vec::new(),
        authorization: Some(authorizer.authorization()),
        shape: HttpVariant::Either,
        limits: HttpLimits::default(),
    };
    let transport = HttpTransport::new(options, egress).map_err(|error| Unsent::Failed(error.to_string()))?;
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
