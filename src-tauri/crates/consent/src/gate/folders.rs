//! Permission to tell a server which folders the user works in. Sharing is asked once and holds until it is taken back;
//! each disclosure to a server is written down on its own.

use serde_json::{Map, Value, json};
use vestibule_policy::{Because, Digest, Scope};
use vestibule_protocol::QuestionId;
use vestibule_store::{LedgerDraft, LedgerKind};

use super::ledger_body::LedgerBody;
use super::record::{DecisionWord, EffectRecord};
use super::{Denied, Gate};
use crate::{Answer, Cause, Draft, FolderPick, QuestionBody, ServerSummary, ShareFolders, Validate};

/// Folders to share with a server.
pub struct ShareRequest {
    pub server: ServerSummary,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    /// What the card shows.
    pub shown: ShareFolders,
    /// Judges a choice other than the one shown.
    pub validate: Validate,
}

impl ShareRequest {
    /// Asks which folders a server may know of, and writes the answer down. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal; what was shared before then stays as it was.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> Result<Vec<String>, Denied> {
        let effect = EffectRecord::new(self.server.id, None, "roots.share", "");
        let picked = picked_as_shown(&self.shown);
        let questions = &gate.questions;
        let draft = Draft {
            scopes: vec![Scope::Always],
            validate: Some(self.validate),
            ..questions.draft(self.server, self.cause, QuestionBody::ShareFolders(self.shown))
        };
        let (answer, shown) = questions.ask_user(&effect, draft, asked).await?;
        let Answer::Accept { arguments, .. } = answer else {
            let details = LedgerBody::shown(shown);
            return Err(questions.deny_by_answer(&effect, answer, details).await);
        };
        let folders = arguments.map_or(Ok(picked), read_pick)?;
        gate.ledger
            .store
            .append(granted(&effect, &folders, shown))
            .await?;
        Ok(folders)
    }
}

/// What the ledger says of folders that were shared.
fn granted(effect: &EffectRecord, folders: &[String], shown: Digest) -> LedgerDraft {
    let because = json!([Because::Person { scope: Scope::Always }]);
    let body = json!({ "folders": folders, "question": shown });
    effect.draft(LedgerKind::Grant, Some(DecisionWord::Allow), because, body)
}

fn read_pick(arguments: Map<String, Value>) -> Result<Vec<String>, Denied> {
    let pick: FolderPick = serde_json::from_value(arguments.into()).map_err(|_| Denied::Dismissed)?;
    Ok(pick.folders)
}

/// The folders that are picked on the card as it is shown.
fn picked_as_shown(shown: &ShareFolders) -> Vec<String> {
    let picked = shown.folders.iter().filter(|folder| folder.picked);
    picked.map(|folder| folder.path.clone()).collect()
}
