//! A registry of MCP servers after the published schema of the official one: pages by cursor, search in names and
//! descriptions, and a status for each entry. It is on this computer, and notes what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::http::Uri;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Where the official registry keeps what it says itself of an entry.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// A registry on this computer. Dropping it ends it.
pub struct ServerRegistry {
    address: SocketAddr,
    serving: JoinHandle<()>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Drop for ServerRegistry {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl ServerRegistry {
    /// One that lists these descriptions, each with its status.
    pub async fn start(listed: Vec<(Value, &str)>) -> Self {
        let entries: Vec<Value> = listed.into_iter().map(entry).collect();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        let list = move |uri: Uri| {
            let query = uri.query().unwrap_or_default();
            heard.lock().unwrap().push(query.to_owned());
            let page = page(&entries, query);
            async move { Json(page) }
        };
        let app = Router::new().route("/v0.1/servers", axum::routing::get(list));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            address,
            serving,
            asked,
        }
    }

    /// The address for the settings.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The queries so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn entry((server, status): (Value, &str)) -> Value {
    json!({"server": server, "_meta": {OFFICIAL: {
        "status": status, "statusMessage": format!("It is {status}."), "isLatest": true,
        "publishedAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z"}}})
}

/// A page of the entries that are asked for.
fn page(entries: &[Value], query: &str) -> Value {
    let asked: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let value = |name: &str| {
        asked
            .iter()
            .find(|(asked, _)| asked == name)
            .map(|(_, value)| value.as_ref())
    };
    let limit: usize = value("limit").map_or(30, |limit| limit.parse().unwrap());
    let search = value("search").unwrap_or_default().to_lowercase();
    let fits = |entry: &&Value| {
        let server = &entry["server"];
        [&server["name"], &server["description"]].iter().any(|text| {
            text.as_str()
                .is_some_and(|text| text.to_lowercase().contains(&search))
        })
    };
    let cursor = |entry: &Value| {
        format!(
            "{}:{}",
            entry["server"]["name"].as_str().unwrap(),
            entry["server"]["version"].as_str().unwrap()
        )
    };
    let found: Vec<&Value> = entries.iter().filter(fits).collect();
    let first = match value("cursor") {
        Some(after) => 1 + found.iter().position(|entry| cursor(entry) == after).unwrap(),
        None => 0,
    };
    let shown = &found[first..found.len().min(first + limit)];
    let mut metadata = json!({"count": shown.len()});
    if first + limit < found.len() {
        metadata["nextCursor"] = cursor(shown[shown.len() - 1]).into();
    }
    json!({"servers": shown, "metadata": metadata})
}
