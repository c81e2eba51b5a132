//! The resources: a page of welcome, the notebook, and each note by template.
//!
//! Subscribers get a notification when the notebook changes; what changed they read themselves.

use std::sync::{MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::rpc::{ErrorReply, RESOURCE_NOT_FOUND, RpcOutcome};
use crate::server::Tour;
use crate::session::TourRevision;

pub(crate) const WELCOME: &str = "tour://welcome";
const NOTEBOOK: &str = "tour://notebook";
const NOTES: &str = "tour://notes/";
const MOST_SUBSCRIPTIONS: usize = 100;

const WELCOME_TEXT: &str = "# Welcome\n\nThis server is a tour of what servers can do. Everything it tells is \
invented, and it forgets everything when it ends.\n\n- Call **weather** for a call that only reads.\n- Call \
**remember**, and watch the notebook change.\n- Call **ask_form**, **open_page**, **ask_model** or **list_roots** to \
see a server ask you something.\n- Call **change_tools** to see a tool that changes after you saw it.\n";

pub(crate) fn list(tour: &Tour) -> Value {
    let titled = |name: &str, title: &str, uri: &str, mime: &str, description: &str| {
        let mut resource = json!({ "name": name, "uri": uri, "mimeType": mime, "description": description });
        if tour.revision() >= TourRevision::V2025_06_18 {
            resource["title"] = json!(title);
        }
        resource
    };
    json!({ "resources": [
        titled("welcome", "Welcome", WELCOME, "text/markdown", "What this server shows."),
        titled("notebook", "Notebook", NOTEBOOK, "application/json", "All notes of this run, by key."),
    ] })
}

pub(crate) fn templates(tour: &Tour) -> Value {
    let mut note = json!({
        "name": "note",
        "uriTemplate": "tour://notes/{key}",
        "mimeType": "text/plain",
        "description": "One note, by its key.",
    });
    if tour.revision() >= TourRevision::V2025_06_18 {
        note["title"] = json!("Note");
    }
    json!({ "resourceTemplates": [note] })
}

pub(crate) fn read(tour: &Tour, params: &Value) -> RpcOutcome {
    let uri = uri(params)?;
    let (mime, text) = content(tour, uri).ok_or_else(|| not_found(uri))?;
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": mime, "text": text }] }))
}

pub(crate) fn subscribe(tour: &Tour, params: &Value) -> RpcOutcome {
    let uri = uri(params)?;
    if uri != NOTEBOOK && uri != WELCOME && !uri.starts_with(NOTES) {
        return Err(not_found(uri));
    }
    let mut subscriptions = tour.subscriptions.lock().unwrap_or_else(PoisonError::into_inner);
    if subscriptions.len() >= MOST_SUBSCRIPTIONS && !subscriptions.contains(uri) {
        return Err(ErrorReply::params("there are 100 subscriptions already"));
    }
    subscriptions.insert(uri.to_owned());
    Ok(json!({}))
}

pub(crate) fn unsubscribe(tour: &Tour, params: &Value) -> RpcOutcome {
    let uri = uri(params)?;
    tour.subscriptions
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(uri);
    Ok(json!({}))
}

/// Tells the subscribers of the notebook and of this note.
pub(crate) async fn note_changed(tour: &Tour, key: &str) {
    for uri in [NOTEBOOK.to_owned(), format!("{NOTES}{}", encoded(key))] {
        let wanted = tour
            .subscriptions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&uri);
        if wanted {
            tour.peer
                .notify("notifications/resources/updated", json!({ "uri": uri }))
                .await;
        }
    }
}

pub(crate) fn notes(tour: &Tour) -> MutexGuard<'_, std::collections::BTreeMap<String, String>> {
    tour.notebook.lock().unwrap_or_else(PoisonError::into_inner)
}

fn content(tour: &Tour, uri: &str) -> Option<(&'static str, String)> {
    match uri {
        WELCOME => Some(("text/markdown", WELCOME_TEXT.to_owned())),
        NOTEBOOK => Some(("application/json", json!(*notes(tour)).to_string())),
        _ => {
            let wanted = uri.strip_prefix(NOTES)?;
            let notes = notes(tour);
            let note = notes.iter().find(|(key, _)| encoded(key) == wanted)?;
            Some(("text/plain", note.1.clone()))
        }
    }
}

/// The key as a template's simple expansion writes it: everything but unreserved characters escaped.
fn encoded(key: &str) -> String {
    let escape = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    key.bytes().map(escape).collect()
}

fn uri(params: &Value) -> Result<&str, ErrorReply> {
    params["uri"]
        .as_str()
        .filter(|uri| uri.len() <= 1000)
        .ok_or_else(|| ErrorReply::params("uri must be a short text"))
}

fn not_found(uri: &str) -> ErrorReply {
    ErrorReply {
        data: Some(json!({ "uri": uri })),
        ..ErrorReply::new(RESOURCE_NOT_FOUND, "there is no such resource")
    }
}
