//! What all drivers share: the command line, the clocks and counters, and the one line of JSON at the end. A driver
//! makes one MCP client do one thing; how much that costs is read here in the same way for each of them. Nothing here
//! knows a client.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};

/// What every call of `seq` and `pipe` says.
pub const GREETING: &str = "hello from the other side";

/// What is asked of a driver.
#[derive(Clone, Debug)]
pub struct Order {
    /// The program of the server and its arguments, over stdio.
    pub server: Option<Vec<String>>,
    /// The address of the server, over HTTP.
    pub url: Option<String>,
    /// Whether to speak 2026-07-28 instead of 2025-11-25.
    pub modern: bool,
    /// The scenario to run.
    pub scenario: Scenario,
    /// How often it is repeated.
    pub count: usize,
    /// Calls under way at all times.
    pub inflight: usize,
    /// Characters of a blob.
    pub bytes: usize,
    /// Tools the server has.
    pub tools: usize,
    /// Operations before the clock starts.
    pub warmup: usize,
    /// How long sessions are held before memory is read.
    pub hold: Duration,
    /// Which part of the client, in words of that client.
    pub layer: String,
}

/// What a driver can be asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Calls one after another.
    Seq,
    /// Calls side by side.
    Pipe,
    /// Large answers one after another.
    Blob,
    /// One call with very many progress notifications.
    Flood,
    /// Many sessions at once.
    Sessions,
    /// Listings of all tools.
    Tools,
}

impl Scenario {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seq => "seq",
            Self::Pipe => "pipe",
            Self::Blob => "blob",
            Self::Flood => "flood",
            Self::Sessions => "sessions",
            Self::Tools => "tools",
        }
    }
}

impl Order {
    /// Reads a command line without the program's name.
    ///
    /// # Errors
    /// When an option is unknown, has no value or a wrong one, or when the server is missing.
    pub fn read(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut given = HashMap::new();
        let mut args = args;
        while let Some(option) = args.next() {
            let name = option
                .strip_prefix("--")
                .ok_or_else(|| format!("{option:?} is no option"))?;
            let value = args.next().ok_or_else(|| format!("{option} has no value"))?;
            given.insert(name.to_owned(), value);
        }
        let order = Self::from_options(&mut given)?;
        match given.keys().next() {
            Some(unknown) => Err(format!("there is no option --{unknown}")),
            None => Ok(order),
        }
    }

    fn from_options(given: &mut HashMap<String, String>) -> Result<Self, String> {
        let mut text =
            |name: &str, otherwise: &str| given.remove(name).unwrap_or_else(|| otherwise.to_owned());
        let transport = text("transport", "stdio");
        let command = text("server-cmd", "");
        let url = text("url", "");
        let (server, url) = match transport.as_str() {
            "stdio" if !command.is_empty() => {
                let words = command.split_whitespace().map(str::to_owned).collect();
                (Some(words), None)
            }
            "http" if !url.is_empty() => (None, Some(url)),
            "stdio" => return Err("--server-cmd is missing".into()),
            "http" => return Err("--url is missing".into()),
            other => return Err(format!("there is no transport {other:?}")),
        };
        let modern = match text("era", "legacy").as_str() {
            "legacy" => false,
            "modern" => true,
            other => return Err(format!("there is no era {other:?}")),
        };
        let scenario = match text("scenario", "seq").as_str() {
            "seq" => Scenario::Seq,
            "pipe" => Scenario::Pipe,
            "blob" => Scenario::Blob,
            "flood" => Scenario::Flood,
            "sessions" => Scenario::Sessions,
            "tools" => Scenario::Tools,
            other => return Err(format!("there is no scenario {other:?}")),
        };
        let layer = text("layer", "session");
        let mut number = |name: &str, otherwise: usize| match given.remove(name) {
            None => Ok(otherwise),
            Some(value) => value.parse().map_err(|_| format!("--{name} is no number")),
        };
        Ok(Self {
            server,
            url,
            modern,
            scenario,
            count: number("count", 1)?,
            inflight: number("inflight", 64)?.max(1),
            bytes: number("bytes", 1_000_000)?,
            tools: number("tools", 10)?,
            warmup: number("warmup", 0)?,
            hold: Duration::from_millis(number("hold-ms", 300)? as u64),
            layer,
        })
    }

    /// How the server is reached, in the words of the command line.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        if self.url.is_some() { "http" } else { "stdio" }
    }
}

/// Time and processor time of the measured part.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    cpu: Duration,
}

/// What the measured part cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Time on the clock.
    pub wall: Duration,
    /// Of all threads of this process.
    pub cpu: Duration,
}

impl Watch {
    /// Starts both of the clocks.
    #[must_use]
    pub fn start() -> Self {
        Self {
            cpu: cpu(),
            began: Instant::now(),
        }
    }

    /// Reads both of the clocks.
    #[must_use]
    pub fn read(&self) -> Cost {
        Cost {
            wall: self.began.elapsed(),
            cpu: cpu().saturating_sub(self.cpu),
        }
    }
}

/// Processor time of this process since it began, all threads, no children.
#[must_use]
pub fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// A line of `/proc/self/status` in KiB: `VmRSS`, `VmHWM`.
#[must_use]
pub fn memory_kb(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status
        .lines()
        .find_map(|entry| entry.strip_prefix(line)?.strip_prefix(':'))
        .and_then(|value| value.split_whitespace().next()?.parse().ok());
    value.unwrap_or_default()
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    /// What the measured part took.
    pub cost: Cost,
    /// Operations in the measured part.
    pub operations: usize,
    /// The time of each, where there is one.
    pub samples: Vec<Duration>,
    /// Until the session was open and its tools listed.
    pub connect: Option<Duration>,
    /// Further members of the line.
    pub more: Map<String, Value>,
}

impl Run {
    /// A run in which every operation has its time.
    #[must_use]
    pub fn new(cost: Cost, samples: Vec<Duration>) -> Self {
        Self {
            cost,
            operations: samples.len(),
            samples,
            connect: None,
            more: Map::new(),
        }
    }

    /// Adds a member to the line.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The line of JSON.
    #[must_use]
    pub fn line(&self, order: &Order, client: &str, version: &str) -> Value {
        let wall = self.cost.wall.as_secs_f64();
        let operations = self.operations.max(1) as f64;
        let mut line = json!({
            "client": client, "version": version, "scenario": order.scenario.name(),
            "transport": order.transport(), "era": if order.modern { "modern" } else { "legacy" },
            "count": order.count, "wall_s": wall, "ops": self.operations, "ops_per_s": operations / wall,
            "client_cpu_s": self.cost.cpu.as_secs_f64(),
            "cpu_us_per_op": self.cost.cpu.as_secs_f64() * 1e6 / operations,
            "total_cpu_s": cpu().as_secs_f64(), "peak_rss_kb": memory_kb("VmHWM"),
        });
        let mut sorted = self.samples.clone();
        sorted.sort_unstable();
        for (name, percent) in [("p50_us", 50), ("p99_us", 99)] {
            let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
            if let Some(sample) = sorted.get(rank) {
                line[name] = (sample.as_secs_f64() * 1e6).into();
            }
        }
        if let Some(connect) = self.connect {
            line["connect_ms"] = (connect.as_secs_f64() * 1e3).into();
        }
        match order.scenario {
            Scenario::Pipe => line["inflight"] = order.inflight.into(),
            Scenario::Blob => {
                line["bytes"] = order.bytes.into();
                line["mb_per_s"] = (order.bytes as f64 * operations / 1e6 / wall).into();
            }
            Scenario::Tools => {
                line["tools"] = order.tools.into();
                line["tools_per_s"] = (order.tools as f64 * operations / wall).into();
            }
            Scenario::Seq | Scenario::Flood | Scenario::Sessions => {}
        }
        for (name, value) in &self.more {
            line[name] = value.clone();
        }
        line
    }
}
