//! One session of the SDK's client, over a child process or HTTP, in either era.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::Order;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{
    ClientCacheConfig, ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

use crate::Result;

/// Counts progress, as a user of the client would.
#[derive(Clone, Default)]
pub(crate) struct Counter {
    pub(crate) seen: Arc<AtomicUsize>,
    pub(crate) told: Arc<Notify>,
}

impl ClientHandler for Counter {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("bench", "1"))
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.told.notify_one();
    }
}

pub(crate) struct Connection {
    service: RunningService<RoleClient, Counter>,
    child: Option<Child>,
    pub(crate) counter: Counter,
}

impl Connection {
    pub(crate) fn peer(&self) -> Peer<RoleClient> {
        self.service.peer().clone()
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.service.cancel().await?;
        if let Some(mut child) = self.child {
            // Its input has ended with the transport.
            child.wait().await?;
        }
        Ok(())
    }
}

/// Opens a session and lists the tools once.
pub(crate) async fn connect(order: &Order) -> Result<Connection> {
    let counter = Counter::default();
    let lifecycle = if order.modern {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let (service, child) = match (&order.server, &order.url) {
        (Some(words), _) => {
            let (program, args) = words.split_first().ok_or("no program")?;
            let mut child = Command::new(program)
                .args(args)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .kill_on_drop(true)
                .spawn()?;
            let (output, input) = (
                child.stdout.take().ok_or("no pipe")?,
                child.stdin.take().ok_or("no pipe")?,
            );
            let transport = AsyncRwTransport::new(output, input).with_max_line_length(1 << 30);
            (
                counter.clone().serve_with_lifecycle(transport, lifecycle).await?,
                Some(child),
            )
        }
        (None, Some(url)) => {
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .max_concurrent_requests(order.inflight)
                .max_sse_event_size(1 << 30);
            let transport = if order.layer == "pooled" {
                StreamableHttpClientTransport::with_client(reqwest::Client::new(), config)
            } else {
                StreamableHttpClientTransport::from_config(config)
            };
            (
                counter.clone().serve_with_lifecycle(transport, lifecycle).await?,
                None,
            )
        }
        (None, None) => return Err("no server".into()),
    };
    let peer = service.peer().clone();
    peer.set_response_cache_config(ClientCacheConfig::disabled())
        .await;
    peer.list_all_tools().await?;
    Ok(Connection {
        service,
        child,
        counter,
    })
}
