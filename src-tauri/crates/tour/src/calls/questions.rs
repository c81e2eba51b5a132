//! The tools that ask the user something through the host.
//!
//! Each looks first whether the client said that it can be asked; a no, a timeout or a missing capability becomes a
//! result that says so politely. What the user sends is repeated to them and kept nowhere.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{CallResult, ToolFailure, said};
use crate::peer::NoAnswer;
use crate::server::Tour;
use crate::session::{Session, TourRevision};

/// The most of an answer that is repeated, in characters.
const LONGEST_ECHO: usize = 2000;

pub(super) async fn form(tour: &Tour) -> CallResult {
    able(tour, Session::has_forms, "forms")?;
    let newest = tour.revision() >= TourRevision::V2025_11_25;
    let mut params = json!({
        "message": "The tour would like to know a little about your trip. All of it is for show and kept nowhere.",
        "requestedSchema": form_schema(newest),
    });
    if newest {
        params["mode"] = json!("form");
    }
    let answer = ask(tour, "elicitation/create", params).await?;
    match answer["action"].as_str() {
        Some("accept") => Ok(said(&format!("You sent this:\n{}", echo(&answer["content"])))),
        action => Err(declined(action, "the form").into()),
    }
}

pub(super) async fn page(tour: &Tour) -> CallResult {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    able(
        tour,
        Session::has_pages,
        "pages (they came with revision 2025-11-25)",
    )?;
    let id = format!("tour-page-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let params = json!({
        "mode": "url",
        "elicitationId": id,
        "url": "https://modelcontextprotocol.io/docs/getting-started/intro",
        "message": "The tour would like to show you the introduction to the Model Context Protocol.",
    });
    let answer = ask(tour, "elicitation/create", params).await?;
    match answer["action"].as_str() {
        Some("accept") => {
            // The page is a plain one: there is nothing to wait for once it may be opened.
            tour.peer
                .notify(
                    "notifications/elicitation/complete",
                    json!({ "elicitationId": id }),
                )
                .await;
            Ok(said(
                "You agreed to open the page. The tour cannot see whether or what you read.",
            ))
        }
        action => Err(declined(action, "the page").into()),
    }
}

pub(super) async fn model(tour: &Tour, question: &str) -> CallResult {
    able(tour, Session::has_sampling, "sampling")?;
    let params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": question } }],
        "systemPrompt": "Answer in at most two sentences.",
        "modelPreferences": { "speedPriority": 0.8, "intelligencePriority": 0.2, "costPriority": 0.8 },
        "maxTokens": 200,
    });
    let answer = ask(tour, "sampling/createMessage", params).await?;
    let name = answer["model"].as_str().unwrap_or("the model");
    Ok(said(&format!("{name} answered:\n{}", words(&answer["content"]))))
}

pub(super) async fn roots(tour: &Tour) -> CallResult {
    able(tour, Session::has_roots, "roots")?;
    let answer = ask(tour, "roots/list", json!({})).await?;
    let roots = answer["roots"].as_array().map(Vec::as_slice).unwrap_or_default();
    if roots.is_empty() {
        return Ok(said("You share no folders with this server."));
    }
    let line = |root: &Value| {
        let name = root["name"].as_str().unwrap_or("a folder");
        format!("- {name}: {}", root["uri"].as_str().unwrap_or_default())
    };
    let lines: Vec<_> = roots.iter().take(50).map(line).collect();
    Ok(said(&shortened(&format!(
        "You share these folders:\n{}",
        lines.join("\n")
    ))))
}

fn able(tour: &Tour, can: fn(&Session) -> bool, what: &str) -> Result<(), ToolFailure> {
    match tour.session.get() {
        Some(session) if can(session) => Ok(()),
        _ => {
            Err(format!("This host did not say that it supports {what}, so the tour cannot ask you.").into())
        }
    }
}

async fn ask(tour: &Tour, method: &str, params: Value) -> Result<Value, ToolFailure> {
    tour.peer.ask(method, params).await.map_err(|reason| {
        ToolFailure::Told(match reason {
            NoAnswer::Refused(why) => format!("The host said no: {why}"),
            NoAnswer::TimedOut => {
                "There was no answer within ten minutes, so the tour stopped waiting.".to_owned()
            }
            NoAnswer::Gone => "The question could not be asked.".to_owned(),
        })
    })
}

fn declined(action: Option<&str>, what: &str) -> String {
    match action {
        Some("decline") => format!("You declined {what}. That is fine; nothing was sent."),
        Some("cancel") => format!("You put {what} aside without an answer. Nothing was sent."),
        _ => format!("The host answered {what} in a way this server does not know."),
    }
}

fn form_schema(newest: bool) -> Value {
    let (values, titles) = (
        ["none", "vegetarian", "vegan"],
        ["Anything", "Vegetarian", "Vegan"],
    );
    let mut food = json!({ "type": "string", "title": "Food", "enum": values, "enumNames": titles });
    let mut nights = json!({ "type": "integer", "title": "Nights", "minimum": 1, "maximum": 30 });
    let mut properties = json!({
        "name": { "type": "string", "title": "Your name", "description": "As you like to be called.",
            "minLength": 1, "maxLength": 60 },
        "email": { "type": "string", "title": "Email", "format": "email" },
        "window": { "type": "boolean", "title": "Window seat", "default": true },
    });
    if newest {
        let named: Vec<_> = values
            .iter()
            .zip(titles)
            .map(|(value, title)| json!({ "const": value, "title": title }))
            .collect();
        food = json!({ "type": "string", "title": "Food", "oneOf": named, "default": "none" });
        nights["default"] = json!(3);
        properties["luggage"] = json!({ "type": "array", "title": "Luggage", "minItems": 0, "maxItems": 3,
            "items": { "type": "string", "enum": ["backpack", "suitcase", "bicycle"] }, "default": ["backpack"] });
    }
    properties["nights"] = nights;
    properties["food"] = food;
    json!({ "type": "object", "properties": properties, "required": ["name", "nights"] })
}

/// The text of a model's answer: one block, or since 2025-11-25 several.
fn words(content: &Value) -> String {
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        one => std::slice::from_ref(one),
    };
    let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    if texts.is_empty() {
        "(an answer without text)".to_owned()
    } else {
        shortened(&texts.join("\n"))
    }
}

fn echo(value: &Value) -> String {
    shortened(&serde_json::to_string_pretty(value).unwrap_or_default())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_ECHO) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
