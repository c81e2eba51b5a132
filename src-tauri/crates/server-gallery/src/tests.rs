//! A registry that answers well, badly, slowly or not at all, and what the gallery makes of it. No other address than
//! one of this computer is asked.

use serde_json::{Value, json};
use vestibule_app_protocol::{GalleryPage, GalleryProblem, Problem};

use crate::page;

mod answers;
mod descriptions;

const HOST: &str = "registry.example.com";

/// Any address may be a server's.
fn any(_: &str) -> Result<(), Problem> {
    Ok(())
}

fn read(answer: &Value) -> GalleryPage {
    page::read(answer.to_string().as_bytes(), HOST, None, any).unwrap()
}

/// An entry of a registry's list around a description.
fn entry(server: Value) -> Value {
    json!({"server": server, "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active", "isLatest": true}}})
}

/// A description with these packages.
fn described(packages: Value) -> Value {
    json!({"name": "io.github.ada/notes", "version": "1.2.0", "description": "Notes", "packages": packages})
}

/// Why the only package of a description is not among what can be added.
fn skipped(package: Value) -> Problem {
    let page = read(&json!({"servers": [entry(described(json!([package])))]}));
    let mut parsed = page.entries.into_iter().next().unwrap().servers;
    assert!(parsed.servers.is_empty(), "{:?}", parsed.servers);
    parsed.skipped.remove(0).problem
}

fn unreadable(detail: &str) -> Problem {
    Problem::Gallery(GalleryProblem::RegistryUnreadable {
        host: HOST.to_owned(),
        detail: detail.to_owned(),
    })
}
