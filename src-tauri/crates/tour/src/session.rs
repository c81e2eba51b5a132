//! What the two sides agreed on when the session was opened.
//!
//! The revision decides which members may be sent; the client's capabilities decide what may be asked of it.

use serde_json::{Value, json};

/// A revision of the protocol, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TourRevision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
}

const REVISIONS: [(TourRevision, &str); 4] = [
    (TourRevision::V2024_11_05, "2024-11-05"),
    (TourRevision::V2025_03_26, "2025-03-26"),
    (TourRevision::V2025_06_18, "2025-06-18"),
    (TourRevision::V2025_11_25, "2025-11-25"),
];

impl TourRevision {
    /// The client's revision if it is known, otherwise the newest.
    fn agree(wanted: &str) -> Self {
        REVISIONS
            .iter()
            .find(|(_, name)| *name == wanted)
            .map_or(Self::V2025_11_25, |(revision, _)| *revision)
    }

    pub(crate) fn name(self) -> &'static str {
        REVISIONS
            .iter()
            .find(|(revision, _)| *revision == self)
            .map_or("2025-11-25", |(_, name)| name)
    }
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) revision: TourRevision,
    capabilities: Value,
}

impl Session {
    pub(crate) fn open(params: &Value) -> Self {
        let wanted = params
            .get("protocolVersion")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Self {
            revision: TourRevision::agree(wanted),
            capabilities: params["capabilities"].clone(),
        }
    }

    /// The result of `initialize`.
    pub(crate) fn result(&self) -> Value {
        let mut capabilities = json!({
            "logging": {},
            "prompts": {},
            "resources": { "subscribe": true },
            "tools": { "listChanged": true },
        });
        if self.revision >= TourRevision::V2025_03_26 {
            capabilities["completions"] = json!({});
        }
        let mut info = json!({ "name": "tour", "version": env!("CARGO_PKG_VERSION") });
        if self.revision >= TourRevision::V2025_06_18 {
            info["title"] = json!("Tour");
        }
        json!({
            "protocolVersion": self.revision.name(),
            "capabilities": capabilities,
            "serverInfo": info,
            "instructions": INSTRUCTIONS,
        })
    }

    pub(crate) fn has_sampling(&self) -> bool {
        self.capabilities["sampling"].is_object()
    }

    pub(crate) fn has_roots(&self) -> bool {
        self.capabilities["roots"].is_object()
    }

    /// Forms came with 2025-06-18; since 2025-11-25 a client may have pages without forms.
    pub(crate) fn has_forms(&self) -> bool {
        let Some(elicitation) = self.capabilities["elicitation"].as_object() else {
            return false;
        };
        let only_pages = elicitation.contains_key("url") && !elicitation.contains_key("form");
        self.revision >= TourRevision::V2025_06_18
            && !(self.revision >= TourRevision::V2025_11_25 && only_pages)
    }

    pub(crate) fn has_pages(&self) -> bool {
        self.revision >= TourRevision::V2025_11_25 && self.capabilities["elicitation"]["url"].is_object()
    }
}

const INSTRUCTIONS: &str = "This server is a tour of what servers can do. Its data are invented and it touches \
nothing outside itself. Call a tool when the user asks to see what it shows: add and weather are plain calls; slow \
shows progress; fail shows errors; remember, recall and forget keep a notebook for this run; ask_form, open_page, \
ask_model and list_roots ask the user something through the host; picture returns an image; change_tools changes \
the definition of weather. If the user denies a call, do not try it again.";
