//! Runs the tools of the tour, the server to try everything on.
//!
//! A call is a future and nothing else: cancelling it is dropping it, and whatever it had asked the client is
//! withdrawn by the guards it holds. Arguments are checked here by hand; what does not fit becomes a failed result,
//! so that a model can correct itself.

mod arguments;
mod questions;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::picture;
use crate::resources;
use crate::rpc::{ErrorReply, INTERNAL_ERROR, RpcOutcome};
use crate::server::Tour;
use crate::session::TourRevision;
use crate::tools;
use crate::weather;
use arguments::Arguments;

const MOST_NOTES: usize = 100;

/// Why a tool has no result.
pub(crate) enum ToolFailure {
    /// Told inside the result.
    Told(String),
    /// Told as an error reply.
    Protocol(ErrorReply),
}

impl From<String> for ToolFailure {
    fn from(why: String) -> Self {
        Self::Told(why)
    }
}

type CallResult = Result<Value, ToolFailure>;

pub(crate) struct TourCall {
    pub(crate) tour: Arc<Tour>,
    progress: Option<Value>,
}

impl TourCall {
    pub(crate) fn new(tour: Arc<Tour>, params: &Value) -> Self {
        let token = &params["_meta"]["progressToken"];
        let progress = (token.is_string() || token.is_i64() || token.is_u64()).then(|| token.clone());
        Self { tour, progress }
    }

    /// Runs the tool that `params` name.
    pub(crate) async fn run(&self, params: Value) -> RpcOutcome {
        let name = params["name"].as_str().unwrap_or_default();
        if !tools::names().contains(&name) {
            return Err(ErrorReply::params("this server has no tool of that name"));
        }
        match self.tool(name, &Arguments::of(&params["arguments"])).await {
            Ok(result) => Ok(result),
            Err(ToolFailure::Protocol(error)) => Err(error),
            Err(ToolFailure::Told(why)) => Ok(json!({ "content": [text(&why)], "isError": true })),
        }
    }

    async fn tool(&self, name: &str, given: &Arguments<'_>) -> CallResult {
        match name {
            "add" => self.add(given),
            "weather" => self.weather(given),
            "slow" => self.slow(given).await,
            "fail" => self.fail(given).await,
            "picture" => Ok(self.picture()),
            "change_tools" => Ok(self.change_tools().await),
            "remember" => self.remember(given).await,
            "recall" => self.recall(given),
            "forget" => self.forget(given).await,
            "ask_form" => questions::form(&self.tour).await,
            "open_page" => questions::page(&self.tour).await,
            "ask_model" => questions::model(&self.tour, given.text("question", 2000)?).await,
            _ => questions::roots(&self.tour).await,
        }
    }

    fn add(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["a", "b"])?;
        let whole = given
            .integer("a")
            .zip(given.integer("b"))
            .map(|(a, b)| json!(a + b));
        let sum = match whole {
            Some(sum) => sum,
            None => json!(given.number("a")? + given.number("b")?),
        };
        Ok(self.structured(json!({ "sum": sum })))
    }

    fn weather(&self, given: &Arguments<'_>) -> CallResult {
        let changed = self.tour.weather_changed.load(Ordering::Relaxed);
        given.only(if changed {
            &["city", "days", "unit", "email"]
        } else {
            &["city", "days", "unit"]
        })?;
        let city = given.text("city", 100)?;
        let days = given.whole("days", 1..=7, 3)?;
        let unit = given.choice("unit", &["celsius", "fahrenheit"])?;
        Ok(self.structured(weather::forecast(city, days, unit)))
    }

    async fn slow(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["seconds", "steps"])?;
        let seconds = given.number_or("seconds", 5.0)?;
        if !(1.0..=30.0).contains(&seconds) {
            return Err("seconds must be from 1 to 30".to_owned().into());
        }
        let steps = given.whole("steps", 1..=20, 5)?;
        let pause = Duration::from_secs_f64(seconds) / u32::try_from(steps).unwrap_or(1);
        self.tour
            .log("info", json!(format!("slow begins: {steps} steps")))
            .await;
        for step in 1..=steps {
            tokio::time::sleep(pause).await;
            self.report(step, steps).await;
            self.tour.log("debug", json!({ "step": step, "of": steps })).await;
        }
        self.tour.log("info", json!("slow is done")).await;
        Ok(said(&format!("Done after {seconds} seconds in {steps} steps.")))
    }

    async fn report(&self, step: u64, steps: u64) {
        let Some(token) = &self.progress else { return };
        let mut params = json!({ "progressToken": token, "progress": step, "total": steps });
        if self.tour.revision() >= TourRevision::V2025_03_26 {
            params["message"] = json!(format!("Step {step} of {steps}"));
        }
        self.tour.peer.notify("notifications/progress", params).await;
    }

    async fn fail(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["how"])?;
        match given.choice("how", &["tool_error", "protocol_error", "crash"])? {
            "tool_error" => Err(
                "This is the failure you asked for: the tool ran and did not succeed."
                    .to_owned()
                    .into(),
            ),
            "protocol_error" => Err(ToolFailure::Protocol(ErrorReply::new(
                INTERNAL_ERROR,
                "This is the protocol error you asked for.",
            ))),
            _ => {
                self.tour.crash.notify_one();
                // The connection ends now and takes this call with it.
                std::future::pending().await
            }
        }
    }

    fn picture(&self) -> Value {
        let mut content = vec![
            text("A door in a wall, drawn by the tour."),
            json!({ "type": "image", "mimeType": "image/png", "data": picture::door() }),
        ];
        if self.tour.revision() >= TourRevision::V2025_06_18 {
            content.push(json!({ "type": "resource_link", "name": "welcome", "title": "Welcome",
                "uri": resources::WELCOME, "mimeType": "text/markdown", "description": "What this server shows." }));
        }
        json!({ "content": content })
    }

    async fn change_tools(&self) -> Value {
        let was_changed = self.tour.weather_changed.fetch_xor(true, Ordering::Relaxed);
        self.tour
            .peer
            .notify("notifications/tools/list_changed", json!({}))
            .await;
        said(if was_changed {
            "The tool weather is as it was in the beginning."
        } else {
            "The tool weather now asks for an email address. A careful host shows you what changed."
        })
    }

    async fn remember(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["key", "text"])?;
        let (key, note) = (given.text("key", 100)?, given.text("text", 10_000)?);
        {
            let mut notes = resources::notes(&self.tour);
            if notes.len() >= MOST_NOTES && !notes.contains_key(key) {
                return Err("the notebook is full: forget a note first".to_owned().into());
            }
            notes.insert(key.to_owned(), note.to_owned());
        }
        resources::note_changed(&self.tour, key).await;
        Ok(said(&format!("Written down as \"{key}\".")))
    }

    fn recall(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["key"])?;
        let key = given.text("key", 100)?;
        let note = resources::notes(&self.tour).get(key).cloned();
        note.map(|note| said(&note))
            .ok_or_else(|| format!("there is no note \"{key}\"").into())
    }

    async fn forget(&self, given: &Arguments<'_>) -> CallResult {
        given.only(&["key"])?;
        let key = given.text("key", 100)?;
        let gone = resources::notes(&self.tour).remove(key);
        gone.ok_or_else(|| format!("there is no note \"{key}\""))?;
        resources::note_changed(&self.tour, key).await;
        Ok(said(&format!("The note \"{key}\" is deleted.")))
    }

    /// The value as structured content where the revision has it, and always as JSON text.
    fn structured(&self, value: Value) -> Value {
        let shown = serde_json::to_string_pretty(&value).unwrap_or_else(|_| value.to_string());
        let mut result = said(&shown);
        if self.tour.revision() >= TourRevision::V2025_06_18 {
            result["structuredContent"] = value;
        }
        result
    }
}

pub(crate) fn said(words: &str) -> Value {
    json!({ "content": [text(words)] })
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}
