//! What the paths in the arguments of a call come to on this computer: for the card, and for the rules that decide. It
//! looks at the disk, which may take as long as a mount that does not answer, so it runs on threads of its own, a few
//! at a time, and is given up after some seconds; what is then not known is asked about.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use vestibule_consent::{ArgumentPaths, PathFinding};
use vestibule_policy::Places;

use crate::follow::follow;
use crate::outside::outside;
use crate::own_data::{Bases, LeadsTo, OwnDataLookup, OwnFolders};

/// How long the disk may take to answer for one call.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most calls that are looked at at the same time; one whose mount does not answer keeps its place.
const AT_ONCE: usize = 16;
/// Most texts of one call that are looked at, and how deep they may stand.
const MOST_TEXTS: usize = 10_000;
const DEPTH: usize = 128;
/// Most bytes of all texts of one call that are looked at.
const MOST_BYTES: usize = 1024 * 1024;
/// Most findings of one kind on one card.
const MOST_FOUND: usize = 20;

/// What is said of arguments that could not be looked at.
fn unchecked() -> ArgumentPaths {
    let mut paths = ArgumentPaths::default();
    paths.findings.paths_unchecked = true;
    paths.places.unchecked = true;
    paths
}

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathSearch {
    pub(crate) own: Arc<OwnFolders>,
    pub(crate) bases: Bases,
    /// The folders shared with the server.
    pub(crate) roots: Vec<String>,
}

/// The threads that look at the disk.
pub(crate) struct Lookout(Arc<Semaphore>);

impl Default for Lookout {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Lookout {
    /// Looks for the paths in the arguments.
    pub(crate) async fn paths(&self, search: PathSearch, arguments: Map<String, Value>) -> ArgumentPaths {
        let looked = self.run(move || search.at_home().paths(&arguments)).await;
        looked.unwrap_or_else(unchecked)
    }

    /// Looks for the paths in the arguments of many calls; `None` where that takes too long.
    pub(crate) async fn places(&self, search: PathSearch, calls: Vec<Arc<Value>>) -> Option<Vec<Places>> {
        let none = Map::new();
        self.run(move || {
            let search = search.at_home();
            let arguments = calls.iter().map(|call| call.as_object().unwrap_or(&none));
            arguments
                .map(|arguments| search.paths(arguments).places)
                .collect()
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, look: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let look = async {
            let place = self.0.clone().acquire_owned().await.ok()?;
            // Keeps its place until it returns, also after its caller gave up.
            let keeping_place = move || {
                let _place = place;
                look()
            };
            // Unlike the threads of the runtime, these are not waited for when the application closes.
            Some(blocking::unblock(keeping_place).await)
        };
        let looked = tokio::time::timeout(PATIENCE, look).await.ok().flatten();
        if looked.is_none() {
            tracing::warn!("the paths in the arguments of a call could not be checked in time");
        }
        looked
    }
}

impl PathSearch {
    /// With the user's own folder, which is looked up on the disk.
    fn at_home(mut self) -> Self {
        self.bases.home = crate::home();
        self
    }

    fn paths(&self, arguments: &Map<String, Value>) -> ArgumentPaths {
        let mut found = FoundPaths {
            own: self.own.lookup(&self.bases),
            left: (MOST_TEXTS, MOST_BYTES),
            is_cut: false,
            paths: ArgumentPaths::default(),
        };
        found.members(arguments, &[]);
        let is_cut = found.is_cut;
        let mut paths = found.paths;
        paths.places.unchecked |= is_cut;
        paths.findings.paths_unchecked = paths.places.unchecked;
        if !self.roots.is_empty() {
            paths.outside = outside(arguments, &self.roots, self.bases.home.as_deref());
        }
        paths
    }
}

/// What was found so far.
struct FoundPaths<'a> {
    own: OwnDataLookup<'a>,
    /// How many texts and bytes may still be looked at.
    left: (usize, usize),
    /// Whether something was not looked at.
    is_cut: bool,
    paths: ArgumentPaths,
}

impl FoundPaths<'_> {
    fn members(&mut self, members: &Map<String, Value>, at: &[String]) {
        for (name, member) in members {
            let at: Vec<String> = at.iter().cloned().chain([name.clone()]).collect();
            self.own_data(name, &at);
            self.value(member, &at);
        }
    }

    fn value(&mut self, value: &Value, at: &[String]) {
        if at.len() > DEPTH {
            self.is_cut = true;
            return;
        }
        match value {
            Value::String(text) => {
                self.own_data(text, at);
                self.resolve(text, at);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let at: Vec<String> = at.iter().cloned().chain([index.to_string()]).collect();
                    self.value(item, &at);
                }
            }
            Value::Object(members) => self.members(members, at),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn own_data(&mut self, text: &str, at: &[String]) {
        let (texts, bytes) = &mut self.left;
        if *texts == 0 || text.len() > *bytes {
            self.is_cut = true;
            return;
        }
        *texts -= 1;
        *bytes -= text.len();
        match self.own.find(text) {
            LeadsTo::OwnData(place) => {
                self.paths.places.own_data = true;
                keep(&mut self.paths.findings.own_data, at, text, &place);
            }
            LeadsTo::Unknown => self.paths.places.unchecked = true,
            LeadsTo::Elsewhere => {}
        }
    }

    fn resolve(&mut self, text: &str, at: &[String]) {
        let path = Path::new(text);
        let is_path = path.is_absolute() && text.len() <= crate::LONGEST_PATH && !text.contains('\0');
        if !is_path || self.is_cut || self.paths.places.resolved.contains_key(text) {
            return;
        }
        let Some(place) = follow(path) else { return };
        let Some(end) = place.to_str() else { return };
        if crate::follow::by_text(path) != place {
            keep(&mut self.paths.findings.links, at, text, &place);
        }
        self.paths.places.resolved.insert(text.to_owned(), end.to_owned());
    }
}

fn keep(findings: &mut Vec<PathFinding>, at: &[String], text: &str, place: &Path) {
    if findings.len() < MOST_FOUND {
        findings.push(PathFinding {
            at: at.to_vec(),
            value: text.chars().take(crate::LONGEST_PATH).collect(),
            place: place.display().to_string(),
        });
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
