//! What the host decides about a session before it opens: who we say we are, what we offer, how long we wait
//! and how much we take. Every number here bounds something a server could otherwise grow at will.

use std::time::Duration;

use serde_json::{Value, json};
use vestibule_protocol::mcp::Implementation;
use vestibule_protocol::{EraChoice, Revision};
use vestibule_transport::MAX_FRAME_BYTES;

/// The longest frame with the result of a tool that a client should let its transports read, in bytes.
pub const MAX_RESULT_BYTES: usize = 68 * 1024 * 1024;

/// How to open and hold a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What we call ourselves.
    pub client: Implementation,
    /// What we can do, in the newest shape. What the agreed revision does not know is not declared.
    pub capabilities: Value,
    /// Which era to speak.
    pub era: EraChoice,
    /// The revision to propose in a handshake.
    pub offer: Revision,
    /// For the whole opening; long, because a server may first be downloaded.
    pub start_timeout: Duration,
    /// For the probe of the era (`server/discover`) over a stream, which a legacy server may leave unanswered. An HTTP
    /// server answers every request, so there the probe may take the whole `start_timeout`.
    pub probe_timeout: Duration,
    /// For a call without progress; each progress restarts it.
    pub call_timeout: Duration,
    /// For a call, whatever its progress.
    pub hard_timeout: Duration,
    /// How a legacy server is pinged; `None` for never. Servers over Streamable HTTP are not pinged.
    pub health: Option<HealthCheck>,
    /// How much is taken from the server.
    pub limits: SessionLimits,
}

/// When a server is pinged, and when it counts as gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthCheck {
    /// The time between two pings.
    pub every: Duration,
    /// How long an answer is waited for; best not longer than the time between two pings.
    pub patience: Duration,
    /// How many pings in a row may stay without an answer until the session ends.
    pub misses: u32,
}

impl Default for HealthCheck {
    fn default() -> Self {
        Self {
            every: Duration::from_secs(120),
            patience: Duration::from_secs(60),
            misses: 3,
        }
    }
}

impl SessionOptions {
    /// The usual waits and limits, the era found out, and no capability.
    #[must_use]
    pub fn new(client: Implementation) -> Self {
        Self {
            client,
            capabilities: json!({}),
            era: EraChoice::Auto,
            offer: Revision::NEWEST_HANDSHAKE,
            start_timeout: Duration::from_secs(60),
            probe_timeout: Duration::from_secs(5),
            call_timeout: Duration::from_secs(60),
            hard_timeout: Duration::from_secs(600),
            health: None,
            limits: SessionLimits::default(),
        }
    }
}

/// How much is taken from one server.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Calls of ours in flight; more wait their turn.
    pub calls: usize,
    /// Requests of the server in flight; more are answered "not now".
    pub server_requests: usize,
    /// Times a server may answer one call with a request for input, until the call is given up.
    pub rounds: usize,
    /// Resources that are watched at once.
    pub watched: usize,
    /// Things in a row that are no messages, until the session ends.
    pub junk: usize,
    /// Log lines, diagnostics and oddities handed on per second; more are counted.
    pub lines_per_second: u32,
    /// Notifications, requests and lines of the server per second, until it is read no further in that second.
    pub unasked_per_second: u32,
    /// The longest message that is not the result of a tool, in bytes.
    pub message_bytes: usize,
    /// The most JSON values in a message that is longer than that. Each takes more memory than it has bytes.
    pub result_values: usize,
    /// The longest log message, in bytes of JSON.
    pub log_bytes: usize,
    /// The longest name, version or description a server gives itself, in bytes; more is cut.
    pub name_bytes: usize,
    /// The longest instructions for the model, in bytes; more is cut.
    pub instructions_bytes: usize,
    /// Tools that are kept.
    pub tools: usize,
    /// The longest definition of one tool, in bytes of JSON.
    pub tool_bytes: usize,
    /// Resources, templates or prompts that are kept.
    pub entries: usize,
    /// The longest of these, in bytes of JSON.
    pub entry_bytes: usize,
    /// All entries of one listing together, in bytes of JSON.
    pub listing_bytes: usize,
    /// Pages of one listing.
    pub pages: usize,
    /// The least time between two progress reports of one call.
    pub progress_interval: Duration,
    /// The least time between two polls of a task, whatever interval the server gives.
    pub task_poll_least: Duration,
    /// The time between two polls where the server gives no interval.
    pub task_poll_usual: Duration,
    /// The most time between two polls of a task, whatever interval the server gives.
    pub task_poll_most: Duration,
    /// How long a task is waited for, and how long a server is asked to keep one.
    pub task_wait: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            calls: 256,
            server_requests: 32,
            rounds: 5,
            watched: 256,
            junk: 1000,
            lines_per_second: 200,
            unasked_per_second: 5000,
            message_bytes: MAX_FRAME_BYTES,
            result_values: 1_000_000,
            log_bytes: 64 * 1024,
            name_bytes: 1024,
            instructions_bytes: 64 * 1024,
            tools: 512,
            tool_bytes: 64 * 1024,
            entries: 4096,
            entry_bytes: 64 * 1024,
            listing_bytes: 16 * 1024 * 1024,
            pages: 600,
            progress_interval: Duration::from_millis(50),
            task_poll_least: Duration::from_millis(500),
            task_poll_usual: Duration::from_secs(2),
            task_poll_most: Duration::from_secs(60),
            task_wait: Duration::from_secs(24 * 60 * 60),
        }
    }
}
