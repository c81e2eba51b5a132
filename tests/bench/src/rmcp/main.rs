//! The client of the official Rust SDK, made to do what is asked of every driver. It runs on one thread, with its own
//! defaults but where a scenario needs more (the longest line, requests at the same time, no cache). Over HTTP it has
//! two forms: `--layer session` is its default client, which opens a connection for every request, and
//! `--layer pooled` the same with one that keeps them alive.

mod connect;

use std::error::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use connect::{Connection, connect};
use contract::{GREETING, Order, Run, Scenario, Watch, memory_kb};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::service::Peer;
use serde_json::{Value, json};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let order = Order::read(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let run = runtime.block_on(run(&order))?;
    let client = if order.layer == "pooled" {
        "rmcp-pooled"
    } else {
        "rmcp"
    };
    println!("{}", run.line(&order, client, "3.9.0"));
    Ok(())
}

async fn run(order: &Order) -> Result<Run> {
    if order.scenario == Scenario::Sessions {
        return sessions(order).await;
    }
    let began = Instant::now();
    let connection = connect(order).await?;
    let connect = began.elapsed();
    let peer = connection.peer();
    let run = match order.scenario {
        Scenario::Flood => flood(order, &connection).await?,
        Scenario::Pipe => {
            pipe(&peer, order.warmup, order.inflight).await?;
            let watch = Watch::start();
            let samples = pipe(&peer, order.count, order.inflight).await?;
            Run::new(watch.read(), samples)
        }
        _ => {
            for _ in 0..order.warmup {
                once(order, &peer).await?;
            }
            let watch = Watch::start();
            let mut samples = Vec::with_capacity(order.count);
            for _ in 0..order.count {
                let asked = Instant::now();
                once(order, &peer).await?;
                samples.push(asked.elapsed());
            }
            Run::new(watch.read(), samples)
        }
    };
    connection.close().await?;
    Ok(Run {
        connect: Some(connect),
        ..run
    })
}

async fn once(order: &Order, peer: &Peer<RoleClient>) -> Result<()> {
    match order.scenario {
        Scenario::Tools => {
            let listed = peer.list_all_tools().await?.len();
            check(listed == order.tools, "the listing is not complete")
        }
        Scenario::Blob => {
            let text = call(peer, "blob", json!({ "bytes": order.bytes })).await?;
            check(text.len() == order.bytes, "the blob has another size")
        }
        _ => echo(peer).await,
    }
}

async fn echo(peer: &Peer<RoleClient>) -> Result<()> {
    let text = call(peer, "echo", json!({ "text": GREETING })).await?;
    check(text == GREETING, "the echo says something else")
}

async fn pipe(peer: &Peer<RoleClient>, count: usize, inflight: usize) -> Result<Vec<Duration>> {
    let mut samples = Vec::with_capacity(count);
    let mut waiting = FuturesUnordered::new();
    let mut left = count;
    loop {
        while waiting.len() < inflight && left > 0 {
            left -= 1;
            waiting.push(async {
                let began = Instant::now();
                echo(peer).await.map(|()| began.elapsed())
            });
        }
        match waiting.next().await {
            Some(sample) => samples.push(sample?),
            None => return Ok(samples),
        }
    }
}

async fn flood(order: &Order, connection: &Connection) -> Result<Run> {
    let peer = connection.peer();
    if order.warmup > 0 {
        call(&peer, "flood", json!({ "n": order.warmup })).await?;
    }
    let seen = &connection.counter.seen;
    let before = seen.load(Ordering::Relaxed);
    let delivered = || seen.load(Ordering::Relaxed) - before;
    let watch = Watch::start();
    call(&peer, "flood", json!({ "n": order.count })).await?;
    let mut cost = watch.read();
    if delivered() < order.count {
        let everything = async {
            while delivered() < order.count {
                connection.counter.told.notified().await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(1), everything)
            .await
            .is_ok()
        {
            cost = watch.read();
        }
    }
    let run = Run {
        operations: order.count,
        ..Run::new(cost, Vec::new())
    };
    Ok(run.with("delivered", delivered()))
}

async fn sessions(order: &Order) -> Result<Run> {
    let base = memory_kb("VmRSS");
    let mut open = Vec::with_capacity(order.count);
    let mut samples = Vec::with_capacity(order.count);
    let watch = Watch::start();
    for _ in 0..order.count {
        let began = Instant::now();
        open.push(connect(order).await?);
        samples.push(began.elapsed());
    }
    let cost = watch.read();
    tokio::time::sleep(order.hold).await;
    let each = memory_kb("VmRSS").saturating_sub(base) as f64 / order.count.max(1) as f64;
    for connection in open {
        connection.close().await?;
    }
    Ok(Run::new(cost, samples)
        .with("sessions_ready_ms", cost.wall.as_secs_f64() * 1e3)
        .with("base_rss_kb", base)
        .with("rss_per_session_kb", each))
}

async fn call(peer: &Peer<RoleClient>, tool: &'static str, arguments: Value) -> Result<String> {
    let Value::Object(arguments) = arguments else {
        return Err("arguments are an object".into());
    };
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    let rmcp::model::CallToolResponse::Complete(result) = peer.call_tool_once(params).await? else {
        return Err("the server wants input".into());
    };
    match result.content.into_iter().next() {
        Some(ContentBlock::Text(text)) => Ok(text.text),
        _ => Err("the result has no text".into()),
    }
}

fn check(holds: bool, otherwise: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
