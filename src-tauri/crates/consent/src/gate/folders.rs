//! Permission to tell a server which folders the user works in. Sharing is asked once and holds until it is taken back;
//! each disclosure to a server is written down on its own.

use serde_json::json;
use vestibule_policy::{Because, Scope};
use vestibule_protocol::{QuestionId, ServerId};
use vestibule_store::{LedgerKind, StoreError};

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY, DecisionWord, Denied, Gate};
use crate::permit::{Permit, TellRoots};
use crate::{About, Answer, Cause, Draft, FolderPick, ServerFace, ShareFolders, Validate};

impl Gate {
    /// Asks which folders a server may know of, and writes the answer down. `fits` judges a choice other than the
    /// one shown. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal; what was shared before then stays as it was.
    pub async fn share_folders(
        &self,
        server: ServerFace,
        cause: Option<Cause>,
        shown: ShareFolders,
        validate: Validate,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Vec<String>, Denied> {
        let effect = effect_record(server.id, "roots.share");
        let picked = shown.folders.iter().filter(|folder| folder.picked);
        let picked = picked.map(|folder| folder.path.clone()).collect();
        let draft = Draft {
            server,
            cause,
            about: About::ShareFolders(shown),
            scopes: vec![Scope::Always],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: Some(validate),
        };
        let mut waiting = self.ask_question(&effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let digest = waiting.digest();
        let Answer::Accept { arguments, .. } = answer else {
            return Err(self
                .deny_by_answer(
                    &effect,
                    answer,
                    LedgerBody::from(json!({})).with_digest("question", digest),
                )
                .await);
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
        let body = json!({ "folders": folders, "question": digest });
        let draft = effect.draft(LedgerKind::Grant, Some(DecisionWord::Allow), because, body);
        self.store.append(draft).await?;
        Ok(folders)
    }

    /// Writes down that a folder is no longer shared.
    ///
    /// # Errors
    /// When that could not be written down.
    pub async fn unshare_folder(&self, server: ServerId, folder: &str) -> Result<(), StoreError> {
        let because = json!([Because::Person { scope: Scope::Always }]);
        let body = json!({ "folders": [folder] });
        let draft = effect_record(server, "roots.share").draft(
            LedgerKind::Revoke,
            Some(DecisionWord::Ask),
            because,
            body,
        );
        self.store.append(draft).await.map(drop)
    }

    /// Permission to tell a server of folders the user shares with it.
    ///
    /// # Errors
    /// When it could not be written down; the server is then not told.
    pub async fn tell_roots(
        &self,
        server: ServerId,
        folders: Vec<String>,
    ) -> Result<Permit<TellRoots>, Denied> {
        let approval = Approval {
            when: vec![],
            waited: None,
            scope: Scope::Always,
            arguments: None,
            because: vec![Because::Person { scope: Scope::Always }],
            shown: None,
        };
        let details = json!({ "folders": folders });
        let intent = self
            .record_intent(
                effect_record(server, "roots.tell").with_mentions(&json!(folders)),
                &approval,
                details,
            )
            .await?;
        Ok(Permit::mint(
            TellRoots { server, folders },
            approval.because,
            intent,
        ))
    }
}

fn effect_record(server: ServerId, action: &'static str) -> EffectRecord {
    EffectRecord::new(server, None, action, "")
}
