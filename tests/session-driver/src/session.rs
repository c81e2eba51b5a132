//! Our client without the host: transport and session, as the host uses them.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use vestibule_egress::{NetworkReach, Route, SharedClients};
use vestibule_protocol::mcp::{CallToolResult, ContentBlock, Implementation};
use vestibule_session::{CallOptions, EraChoice, SessionEvent, SessionHandle, SessionOptions, open};
use vestibule_transport::Transport;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::http::{HttpLimits, HttpOptions, HttpTransport, HttpVariant};
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};

use crate::contract::{Cost, GREETING, Order, Run, Scenario, Watch, memory_kb};
use crate::{Result, check, kilobytes_each, of_sessions};

/// Room for an answer, in bytes, where a scenario asks for large ones.
const ROOM: usize = 256 * 1024 * 1024;

static CLIENTS: LazyLock<SharedClients> = LazyLock::new(SharedClients::default);

/// One open session, and what hears its events.
struct Connection {
    session: SessionHandle,
    events: tokio::task::JoinHandle<()>,
}

/// Runs what the order says.
///
/// # Errors
/// When the server cannot be reached, or answers something else than the contract says.
pub async fn run(order: &Order) -> Result<Run> {
    let guard = match order.server {
        Some(_) => Some(guard().await?),
        None => None,
    };
    if order.scenario == Scenario::Sessions {
        return sessions(order, guard.as_ref()).await;
    }
    let began = Instant::now();
    let connection = connect(order, guard.as_ref()).await?;
    let connect = began.elapsed();
    let session = &connection.session;
    let idle = memory_kb("VmRSS");
    let run = match order.scenario {
        Scenario::Flood => flood(order, session).await?,
        Scenario::Pipe => {
            pipe(session, order.warmup, order.inflight).await?;
            let watch = Watch::start();
            let samples = pipe(session, order.count, order.inflight).await?;
            Run::new(watch.read(), samples)
        }
        _ => {
            for _ in 0..order.warmup {
                once(order, session).await?;
            }
            let watch = Watch::start();
            let mut samples = Vec::with_capacity(order.count);
            for _ in 0..order.count {
                let asked = Instant::now();
                once(order, session).await?;
                samples.push(asked.elapsed());
            }
            Run::new(watch.read(), samples)
        }
    };
    connection.close().await;
    Ok(Run {
        connect: Some(connect),
        ..run.with("idle_rss_kb", idle)
    })
}

async fn once(order: &Order, session: &SessionHandle) -> Result<()> {
    match order.scenario {
        Scenario::Tools => {
            let listing = session.list_tools().await?;
            check(
                listing.items.len() == order.tools && listing.truncated.is_none(),
                "the listing is not complete",
            )
        }
        Scenario::Blob => {
            let text = call(session, "blob", json!({ "bytes": order.bytes }), None).await?;
            check(text.len() == order.bytes, "the blob has another size")
        }
        _ => echo(session).await,
    }
}

async fn echo(session: &SessionHandle) -> Result<()> {
    let text = call(session, "echo", json!({ "text": GREETING }), None).await?;
    check(text == GREETING, "the echo says something else")
}

async fn pipe(session: &SessionHandle, count: usize, inflight: usize) -> Result<Vec<Duration>> {
    let mut samples = Vec::with_capacity(count);
    let mut waiting = FuturesUnordered::new();
    let mut left = count;
    loop {
        while waiting.len() < inflight && left > 0 {
            left -= 1;
            waiting.push(async {
                let began = Instant::now();
                echo(session).await.map(|()| began.elapsed())
            });
        }
        match waiting.next().await {
            Some(sample) => samples.push(sample?),
            None => return Ok(samples),
        }
    }
}

async fn flood(order: &Order, session: &SessionHandle) -> Result<Run> {
    if order.warmup > 0 {
        counted(session, order.warmup).await?;
    }
    let watch = Watch::start();
    let (delivered, cost) = counted_by(session, order.count, &watch).await?;
    let run = Run {
        operations: order.count,
        ..Run::new(cost, Vec::new())
    };
    Ok(run.with("delivered", delivered))
}

async fn counted(session: &SessionHandle, count: usize) -> Result<usize> {
    Ok(counted_by(session, count, &Watch::start()).await?.0)
}

/// Floods and counts what a handler hears, as late as a second after the result.
async fn counted_by(session: &SessionHandle, count: usize, watch: &Watch) -> Result<(usize, Cost)> {
    // A handler that must hear everything leaves room for as much as may come at once.
    let (hear, mut heard) = mpsc::channel(count.max(1));
    let handler = tokio::spawn(async move {
        let (mut delivered, mut batch) = (0, Vec::with_capacity(256));
        while delivered < count {
            match heard.recv_many(&mut batch, 256).await {
                0 => break,
                several => delivered += several,
            }
            batch.clear();
        }
        delivered
    });
    call(session, "flood", json!({ "n": count }), Some(hear)).await?;
    let cost = watch.read();
    // The channel closes with the call, so the handler ends by itself.
    match timeout(Duration::from_secs(1), handler).await {
        Ok(delivered) => {
            let delivered = delivered?;
            let all = delivered == count;
            Ok((delivered, if all { watch.read() } else { cost }))
        }
        Err(_) => Err("the handler hangs".into()),
    }
}

async fn sessions(order: &Order, guard: Option<&GuardHandle>) -> Result<Run> {
    let base = memory_kb("VmRSS");
    let mut connections = Vec::with_capacity(order.count);
    let mut samples = Vec::with_capacity(order.count);
    let watch = Watch::start();
    for _ in 0..order.count {
        let began = Instant::now();
        connections.push(connect(order, guard).await?);
        samples.push(began.elapsed());
    }
    let cost = watch.read();
    tokio::time::sleep(order.hold).await;
    let each = kilobytes_each(base, order.count);
    for connection in connections {
        connection.close().await;
    }
    Ok(of_sessions(Run::new(cost, samples), base, each))
}

async fn call(
    session: &SessionHandle,
    tool: &str,
    arguments: Value,
    progress: Option<mpsc::Sender<vestibule_protocol::mcp::Progress>>,
) -> Result<String> {
    let Value::Object(arguments) = arguments else {
        return Err("arguments are an object".into());
    };
    let options = CallOptions {
        progress,
        ..CallOptions::default()
    };
    first_text(call_tool(session, tool, arguments, options).await?)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host's gate is measured by the other layer"
)]
async fn call_tool(
    session: &SessionHandle,
    tool: &str,
    arguments: Map<String, Value>,
    options: CallOptions,
) -> Result<CallToolResult> {
    Ok(session.call_tool(tool, arguments, options).await?)
}

fn first_text(result: CallToolResult) -> Result<String> {
    match result.content.into_iter().next() {
        Some(ContentBlock::Text { text, .. }) => Ok(text),
        _ => Err("the result has no text".into()),
    }
}

impl Connection {
    async fn close(self) {
        self.session.close().await;
        // It ends with the session's last event.
        let _ = self.events.await;
    }
}

/// Opens a session and lists the tools once.
#[expect(
    clippy::disallowed_methods,
    reason = "the host's gate is measured by the other layer"
)]
async fn connect(order: &Order, guard: Option<&GuardHandle>) -> Result<Connection> {
    let large = order.scenario == Scenario::Blob;
    let transport: Box<dyn Transport> = match (&order.server, guard, &order.url) {
        (Some(words), Some(guard), _) => {
            let (program, args) = words.split_first().ok_or("no program")?;
            let launch = LaunchSpec {
                program: std::fs::canonicalize(program)?,
                args: args.to_vec(),
                env: Vec::new(),
                cwd: "/".into(),
                search_path: "/usr/bin:/bin".into(),
                files: Vec::new(),
            };
            let mut transport = StdioTransport::spawn(launch, guard, Patience::default()).await?;
            if large {
                transport.limit_frames(ROOM);
            }
            Box::new(transport)
        }
        (_, _, Some(url)) => Box::new(over_http(url, large)?),
        _ => return Err("no server".into()),
    };
    let (sender, events) = mpsc::channel(64);
    let session = open(transport, options(order), sender).await?;
    let events = tokio::spawn(hear(events));
    session.list_tools().await?;
    Ok(Connection { session, events })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host's gate is measured by the other layer"
)]
fn over_http(url: &str, large: bool) -> Result<HttpTransport> {
    let address: url::Url = url.parse()?;
    let mut limits = HttpLimits::default();
    if large {
        limits = limits.with_frames_of(ROOM);
    }
    // Sessions to one origin share a client in the application too.
    let egress = CLIENTS.along(&address, &Route::new(NetworkReach::Local))?;
    let options = HttpOptions {
        address,
        headers: Vec::new(),
        authorization: None,
        shape: HttpVariant::Streamable,
        limits,
    };
    Ok(HttpTransport::new(options, egress)?)
}

fn options(order: &Order) -> SessionOptions {
    let client = Implementation {
        name: "vestibule-bench".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..Implementation::default()
    };
    let mut options = SessionOptions {
        era: if order.modern {
            EraChoice::Modern
        } else {
            EraChoice::Legacy
        },
        ..SessionOptions::new(client)
    };
    options.limits.tools = options.limits.tools.max(order.tools);
    if order.scenario == Scenario::Flood {
        options.limits.unasked_per_second = u32::MAX;
        options.limits.progress_interval = Duration::ZERO;
    }
    options
}

async fn hear(mut events: mpsc::Receiver<SessionEvent>) {
    while let Some(event) = events.recv().await {
        if matches!(event, SessionEvent::Closed(_)) {
            break;
        }
    }
}

/// The guard of the servers: the application's own.
async fn guard() -> Result<GuardHandle> {
    let program = std::env::current_exe()?.with_file_name("vestibule-bench-guard");
    Ok(GuardHandle::start(program, vec![]).await?)
}
