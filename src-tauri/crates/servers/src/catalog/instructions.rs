//! What a server tells models about itself. It becomes part of every prompt, so it is bound like the definition of a tool:
//! no model gets it before the user has read this very text, and a changed one is asked about with the difference. The
//! accepted text is kept with the accepted definitions, under a name that no tool can have.

use jiff::Timestamp;
use serde_json::{Value, json};
use vestibule_consent::{Change, ChangeSubject, differences};
use vestibule_policy::Digest;
use vestibule_session::SessionHandle;
use vestibule_store::ApprovedTool;

use super::reviews::review_instructions;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::Problem;

/// The most of the instructions that a model is given and that the user is asked about, in characters.
const LONGEST: usize = 4000;

/// The instructions of a connected server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Instructions {
    #[default]
    None,
    /// The user read exactly this.
    Accepted(String),
    /// Not given to a model until the user accepts it.
    Held {
        text: String,
        /// What the user accepted before.
        before: Option<String>,
    },
}

impl Instructions {
    /// What a model may be given.
    pub(crate) fn accepted(&self) -> Option<&str> {
        match self {
            Self::Accepted(text) => Some(text),
            Self::None | Self::Held { .. } => None,
        }
    }

    /// The user accepted this record. Other instructions stay held.
    pub(super) fn accept(&mut self, record: &Value) {
        if let Self::Held { text, .. } = self
            && definition(text) == *record
        {
            *self = Self::Accepted(std::mem::take(text));
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }
}

/// Compares the instructions of a session with the accepted ones, and asks about others. Those of this very program need
/// no question: the user started it.
pub(crate) async fn compare(server: &ServerHandle, session: &SessionHandle) -> Result<(), Problem> {
    let sent = session.info().instructions.as_deref().unwrap_or_default();
    let text: String = sent.chars().take(LONGEST).collect();
    let instructions = if text.trim().is_empty() {
        Instructions::None
    } else if server.read(|snapshot| snapshot.is_own_program) {
        Instructions::Accepted(text)
    } else {
        compared(text, accepted(server).await?)
    };
    server.change(|snapshot| snapshot.instructions = instructions);
    review_instructions(server);
    Ok(())
}

fn compared(text: String, before: Option<String>) -> Instructions {
    if before.as_ref() == Some(&text) {
        Instructions::Accepted(text)
    } else {
        Instructions::Held { text, before }
    }
}

/// The text that the user accepted. A record that was changed from outside accepts nothing.
async fn accepted(server: &ServerHandle) -> Result<Option<String>, Problem> {
    let store = &server.context().options.store;
    let rows = store.checked_tools(Some(server.id())).await?;
    let record = rows
        .into_iter()
        .filter(|checked| checked.fault.is_none())
        .filter_map(|checked| checked.row)
        .find(|record| record.name == ApprovedTool::INSTRUCTIONS);
    Ok(record.and_then(|record| record.definition["instructions"].as_str().map(str::to_owned)))
}

/// What the card shows of instructions.
pub(super) fn change(text: &str, before: Option<&str>) -> Change {
    let before = before.map_or_else(|| json!({}), definition);
    let after = definition(text);
    Change {
        subject: ChangeSubject::Instructions,
        differences: differences(&before, &after),
        before,
        after,
    }
}

/// The record that makes a text the accepted one.
pub(super) fn approval(server: &ServerHandle, text: &str) -> ApprovedTool {
    let definition = definition(text);
    ApprovedTool {
        server: server.id(),
        name: ApprovedTool::INSTRUCTIONS.to_owned(),
        digest: Digest::of_tool(&definition).to_string(),
        definition,
        approved: Timestamp::now(),
    }
}

fn definition(text: &str) -> Value {
    json!({ "instructions": text })
}
