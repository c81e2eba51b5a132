//! What the files of chats keep to. The samples have the shape of real files and were written for these tests.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod foreign;
mod hostile;
mod markdown;
mod round_trip;

use serde_json::{Value, json};
use vestibule_app_protocol::{ChatPartFault, ContentView, EntryBody};

use crate::{FileChat, FileEntry, ReadChats, Unreadable, read_chats};

/// A moment after everything in the samples, in milliseconds since 1970.
const NOW: i64 = 1_900_000_000_000;

fn read(text: &str) -> Result<ReadChats, Unreadable> {
    read_chats(text, NOW, &|part| part)
}

/// Reads a file with one chat.
fn read_one(text: &str) -> (FileChat, ReadChats) {
    let read = read(text).unwrap();
    assert_eq!(read.chats.len(), 1, "{:?}", read.left_out);
    (read.chats[0].clone(), read)
}

/// What is left out, without its details.
fn faults(read: &ReadChats) -> Vec<(ChatPartFault, u32)> {
    let lines = read.left_out.lines().0.iter();
    lines.map(|line| (line.reason, line.count)).collect()
}

fn body(value: Value) -> EntryBody {
    serde_json::from_value(value).unwrap()
}

fn user(text: &str) -> EntryBody {
    body(json!({ "kind": "user", "text": text, "attachments": [] }))
}

fn assistant(text: &str, reasoning: &str) -> EntryBody {
    body(
        json!({ "kind": "assistant", "text": text, "reasoning": reasoning, "model": "small", "scripted": false,
        "state": "done", "usage": { "input": 12, "output": 3, "cached": 0, "cost": null, "currency": "EUR" } }),
    )
}

fn entry(id: &str, parent: Option<usize>, shown: bool, body: EntryBody) -> FileEntry {
    FileEntry {
        id: id.to_owned(),
        parent,
        at_ms: 1_700_000_000_000 + parent.map_or(0, |parent| parent as i64),
        shown,
        body,
    }
}

/// What an entry says, in short.
fn short(body: &EntryBody) -> String {
    match body {
        EntryBody::User { text, .. } => format!("you: {text}"),
        EntryBody::Assistant {
            text,
            reasoning,
            model,
            ..
        } => format!(
            "{model}: {text}{}",
            if reasoning.is_empty() {
                String::new()
            } else {
                format!(" ({reasoning})")
            }
        ),
        EntryBody::Call(call) => {
            let state = serde_json::to_value(&call.state).unwrap();
            let texts = state["result"]["content"].as_array().cloned().unwrap_or_default();
            let texts: Vec<&str> = texts.iter().filter_map(|part| part["text"].as_str()).collect();
            format!(
                "{} {} {} {} {texts:?}",
                call.server_name,
                call.called_as,
                Value::Object(call.arguments.clone()),
                state["state"].as_str().unwrap()
            )
        }
        EntryBody::BuiltInCall(call) => call.tool.name().to_owned(),
        EntryBody::Compaction(_) => "compaction".to_owned(),
        EntryBody::ToolsLeftOut { .. } => "left out".to_owned(),
        EntryBody::Failure { .. } => "failure".to_owned(),
    }
}

/// The branch that a chat shows, in short.
fn shown(chat: &FileChat) -> Vec<String> {
    let entries = chat.entries.iter().filter(|entry| entry.shown);
    entries.map(|entry| short(&entry.body)).collect()
}

/// A call of a tool with a result of every kind, as the database has it.
fn rich_call() -> EntryBody {
    body(json!({
        "kind": "call", "call": "call-1", "called_as": "notes__read",
        "server": "0190d8a8-0000-7000-8000-000000000001", "server_name": "notes", "tool": "read",
        "arguments": { "deep": [{ "number": 1.5, "text": "天气" }] }, "edited": true,
        "because": [{ "why": "rule", "rule": "0190d8a8-0000-7000-8000-0000000000aa", "scope": "always" }],
        "state": "answered", "elapsed_ms": 12,
        "result": {
            "content": [
                { "type": "text", "text": "milk ``` and\u{0} eggs" },
                { "type": "image", "mime": "image/png", "base64": "iVBORw0KGgo=" },
                { "type": "audio", "mime": "audio/wav", "base64": "UklGRg==" },
                { "type": "link", "uri": "note://1", "name": "One", "description": null },
                { "type": "resource", "uri": "note://2", "mime": null, "text": "two", "bytes": 3 },
                { "type": "other", "kind": "hologram" }
            ],
            "structured": { "items": ["milk"] }, "failed": false, "misfits": ["items: too few"],
            "unchecked": null, "cut_bytes": 7, "model_cut_bytes": 0
        }
    }))
}

fn content_of(body: &EntryBody) -> Vec<ContentView> {
    let value = serde_json::to_value(body).unwrap();
    serde_json::from_value(value["result"]["content"].clone()).unwrap()
}
