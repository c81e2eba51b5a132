//! Canaries: texts that occur nowhere else, planted where secrets are, and looked for wherever a secret must not turn
//! up: every log line at TRACE level, every request at a listener of the tests, every event of another chat, and every
//! file but the database. Each scene plants some by itself and ends with a look at all of them. A canary is looked for
//! as it is and in base64; its letters are the same in JSON and in an address.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem::Finder;
use serde::Serialize;
use vestibule_protocol::ChatId;

use crate::capture;

/// The most leaks of one canary that are told of.
const MOST_LEAKS: usize = 20;
/// How the name of each file of the database begins.
const DATABASE: &str = "vestibule.db";

/// All canaries of scenes that have not ended.
static ALIVE: RwLock<Vec<Arc<Canary>>> = RwLock::new(Vec::new());
static PLANTED: AtomicU64 = AtomicU64::new(0);

/// Where a canary turned up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of the log.
    Log,
    /// A request at a listener, or a message to a server.
    Request,
    /// An event or a card of another chat, or of none.
    Event,
    File,
}

/// A canary where it must not be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// What it stands for.
    pub canary: &'static str,
    pub place: Place,
    /// Which line, listener, event or file.
    pub at: String,
}

/// Where a canary may be.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// In events of this chat.
    pub chat: Option<ChatId>,
    /// In requests to this listener.
    pub listener: Option<String>,
    /// In the headers of requests to this listener.
    pub headers: Option<String>,
    pub file: Option<PathBuf>,
    pub database: bool,
}

/// The canaries of one scene.
#[derive(Default)]
pub struct Canaries(Mutex<Vec<Arc<Canary>>>);

struct Canary {
    what: &'static str,
    /// It, and its forms in base64.
    forms: Vec<Finder<'static>>,
    home: Home,
    leaks: Mutex<Vec<Leak>>,
}

impl Canaries {
    /// Makes a text that stands for `what` and may be nowhere but at home.
    pub fn plant(&self, what: &'static str, home: Home) -> String {
        capture::start();
        let number = PLANTED.fetch_add(1, Ordering::Relaxed);
        let text = format!(
            "marked-{:x}-{number:x}-{}",
            std::process::id(),
            what.replace(' ', "-")
        );
        let canary = Arc::new(Canary {
            what,
            forms: forms(&text)
                .iter()
                .map(|form| Finder::new(form).into_owned())
                .collect(),
            home,
            leaks: Mutex::default(),
        });
        alive_mut(|alive| alive.push(canary.clone()));
        self.own(|own| own.push(canary));
        text
    }

    /// Everything that leaked until now, with what stands in the files of a folder.
    ///
    /// # Panics
    /// When log lines are not captured, so that nothing could be found.
    #[must_use]
    pub fn leaks(&self, folder: &Path) -> Vec<Leak> {
        let probe = "a probe of the capture";
        let text = self.plant(probe, Home::default());
        tracing::trace!(text, "looking for canaries");
        let own = self.own(|own| own.clone());
        search(folder, &own);
        let mut leaks: Vec<Leak> = own.iter().flat_map(|canary| canary.leaks()).collect();
        let probed = leaks.extract_if(.., |leak| leak.canary == probe).count();
        assert!(probed > 0, "log lines at TRACE level are not captured");
        leaks.sort();
        leaks
    }

    fn own<T>(&self, with: impl FnOnce(&mut Vec<Arc<Canary>>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Canaries {
    fn drop(&mut self) {
        let own = self.own(std::mem::take);
        alive_mut(|alive| alive.retain(|canary| !own.iter().any(|own| Arc::ptr_eq(own, canary))));
    }
}

impl Canary {
    fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms.iter().any(|form| form.find(bytes).is_some())
    }

    fn leaked(&self, place: Place, at: impl FnOnce() -> String) {
        let mut leaks = self.leaks.lock().unwrap_or_else(PoisonError::into_inner);
        if leaks.len() < MOST_LEAKS {
            let (canary, at) = (self.what, at());
            leaks.push(Leak { canary, place, at });
        }
    }

    fn leaks(&self) -> Vec<Leak> {
        self.leaks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Looks at a line of the log.
pub(crate) fn logged(target: &str, line: &str) {
    each_in(line.as_bytes(), |canary| {
        canary.leaked(Place::Log, || format!("{target}: {line}"));
    });
}

/// Looks at what reached a listener.
pub(crate) fn requested(listener: &str, head: &[u8], body: &[u8]) {
    let is = |home: &Option<String>| home.as_deref() == Some(listener);
    each_in(head, |canary| {
        if !is(&canary.home.listener) && !is(&canary.home.headers) {
            canary.leaked(Place::Request, || {
                format!("the headers of a request to {listener}")
            });
        }
    });
    each_in(body, |canary| {
        if !is(&canary.home.listener) {
            canary.leaked(Place::Request, || format!("the body of a request to {listener}"));
        }
    });
}

/// Looks at what a window was told, in a chat or outside of all.
pub(crate) fn told(chat: Option<ChatId>, what: &str, shown: &impl Serialize) {
    // Without canaries there is nothing to look for, and a driver that measures does not serialize each event.
    if ALIVE.read().unwrap_or_else(PoisonError::into_inner).is_empty() {
        return;
    }
    let Ok(shown) = serde_json::to_vec(shown) else {
        return;
    };
    each_in(&shown, |canary| {
        if chat.is_none() || canary.home.chat != chat {
            canary.leaked(Place::Event, || format!("{what} of {chat:?}"));
        }
    });
}

fn each_in(bytes: &[u8], found: impl Fn(&Canary)) {
    let alive = ALIVE.read().unwrap_or_else(PoisonError::into_inner);
    alive
        .iter()
        .filter(|canary| canary.is_in(bytes))
        .for_each(|canary| found(canary));
}

fn alive_mut(with: impl FnOnce(&mut Vec<Arc<Canary>>)) {
    with(&mut ALIVE.write().unwrap_or_else(PoisonError::into_inner));
}

/// Looks through every file of a folder. What is gone meanwhile, or closed to its owner, holds nothing for others.
fn search(folder: &Path, canaries: &[Arc<Canary>]) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => search(&path, canaries),
            Ok(kind) if kind.is_file() => search_file(&path, canaries),
            _ => {}
        }
    }
}

fn search_file(path: &Path, canaries: &[Arc<Canary>]) {
    let Ok(bytes) = fs::read(path) else { return };
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let is_database = name.starts_with(DATABASE);
    for canary in canaries {
        let home = &canary.home;
        let at_home = home.file.as_deref() == Some(path) || home.database && is_database;
        if !at_home && canary.is_in(&bytes) {
            canary.leaked(Place::File, || path.display().to_string());
        }
    }
}

/// A text, and what is the same wherever it stands in something that is written in base64.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    for skipped in 0..3 {
        let whole = &text.as_bytes()[skipped..];
        let whole = &whole[..whole.len() / 3 * 3];
        forms.extend([STANDARD_NO_PAD.encode(whole), URL_SAFE_NO_PAD.encode(whole)]);
    }
    forms.dedup();
    forms
}
