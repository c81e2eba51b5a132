//! Permission to tell a server which folders the user works in. Sharing is asked once and holds until it is taken back;
//! each disclosure to a server is written down on its own.

use serde_json::json;
use vestibule_policy::{Because, Scope};
use vestibule_protocol::QuestionId;
use vestibule_store::LedgerKind;

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
        let picked = self.shown.folders.iter().filter(|folder| folder.picked);
        let picked = picked.map(|folder| folder.path.clone()).collect();
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
        let folders: Vec<String> = match arguments {
            None => picked,
            Some(arguments) => {
                serde_json::from_value::<FolderPick>(arguments.into())
                    .map_err(|_| Denied::Dismissed)?
                    .folders
            }
        };
        let because = json!([Because::Person { scope: Scope::Always }]);
        let body = json!({ "folders": folders, "question": shown });
        let draft = effect.draft(LedgerKind::Grant, Some(DecisionWord::Allow), because, body);
        gate.ledger.store.append(draft).await?;
        Ok(folders)
    }
}
