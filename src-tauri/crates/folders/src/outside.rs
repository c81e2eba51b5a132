//! Which arguments of a call name a place outside the folders a server may know of. It marks and does not forbid:
//! roots are guidance in the protocol, and a server sees what its own account on this computer lets it see. Paths
//! are compared part by part, never letter by letter, and after their links are resolved.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use url::Url;
use vestibule_consent::PathFinding;

use crate::LONGEST_PATH;
use crate::follow::{by_text, follow, is_file_url};

/// The most places that are named on one card, and how deep arguments are looked into.
const MOST: usize = 20;
const DEPTH: usize = 16;

/// The places in the arguments that lie outside. Blocks for a few looks at the disk.
pub(crate) fn outside(
    arguments: &Map<String, Value>,
    roots: &[String],
    home: Option<&Path>,
) -> Vec<PathFinding> {
    let mut search = OutsideSearch {
        roots,
        home,
        found: vec![],
    };
    for (name, value) in arguments {
        search.search(value, vec![name.clone()]);
    }
    search.found
}

struct OutsideSearch<'a> {
    roots: &'a [String],
    home: Option<&'a Path>,
    found: Vec<PathFinding>,
}

impl OutsideSearch<'_> {
    /// Looks at the value at `at` and at all that is in it, to the end of what one card can name.
    fn search(&mut self, value: &Value, at: Vec<String>) {
        if self.found.len() >= MOST || at.len() > DEPTH {
            return;
        }
        let step = |part: String| at.iter().cloned().chain([part]).collect::<Vec<_>>();
        match value {
            Value::String(text) => self.found.extend(self.finding(text, at)),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.search(item, step(index.to_string()));
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.search(member, step(name.clone()));
                }
            }
            _ => {}
        }
    }

    /// The text at `at`, where it names a place outside the roots.
    fn finding(&self, text: &str, at: Vec<String>) -> Option<PathFinding> {
        let place = place(text, self.home)?;
        let is_inside = self.roots.iter().any(|root| place.starts_with(root));
        (!is_inside).then(|| PathFinding {
            at,
            value: text.to_owned(),
            place: place.display().to_string(),
        })
    }
}

/// The place a text names, with links resolved as far as it exists; `None` where it names none that is known here.
fn place(text: &str, home: Option<&Path>) -> Option<PathBuf> {
    if text.len() > LONGEST_PATH || text.contains(['\n', '\0']) {
        return None;
    }
    let path = if is_file_url(text) {
        Url::parse(text).ok()?.to_file_path().ok()?
    } else if let Some(rest) = text.strip_prefix('~') {
        home?.join(rest.trim_start_matches(['/', '\\']))
    } else {
        PathBuf::from(text)
    };
    path.is_absolute()
        .then(|| follow(&path).unwrap_or_else(|| by_text(&path)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
