//! Leave to tell a server which folders the person works in. Sharing is asked once and holds until it is taken back;
//! each time a server is told, that is written down on its own.

use serde_json::json;
use vestibule_policy::{Because, Scope};
use vestibule_protocol::{QuestionId, ServerId};
use vestibule_store::{LedgerKind, StoreError};

use super::details::Details;
use super::written::Deed;
use super::{GUARD, Gate, NoPermit, Yes};
use crate::permit::{Permit, TellRoots};
use crate::{About, Answer, Cause, Draft, Fits, FolderPick, ServerFace, ShareFolders};

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
        fits: Fits,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Vec<String>, NoPermit> {
        let deed = deed(server.id, "roots.share");
        let picked = shown.folders.iter().filter(|folder| folder.picked);
        let picked = picked.map(|folder| folder.path.clone()).collect();
        let draft = Draft {
            server,
            cause,
            about: About::ShareFolders(shown),
            scopes: vec![Scope::Always],
            guard: GUARD,
            asked_ms: (self.clock)().as_millisecond(),
            fits: Some(fits),
        };
        let mut waiting = self.park(&deed, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let digest = waiting.digest();
        let Answer::Accept { arguments, .. } = answer else {
            return Err(self
                .no(&deed, answer, Details::from(json!({})).said("question", digest))
                .await);
        };
        let folders: Vec<String> = match arguments {
            None => picked,
            Some(arguments) => {
                serde_json::from_value::<FolderPick>(arguments.into())
                    .map_err(|_| NoPermit::NotNow)?
                    .folders
            }
        };
        let because = json!([Because::Person { scope: Scope::Always }]);
        let body = json!({ "folders": folders, "question": digest });
        let draft = deed.entry(LedgerKind::Grant, Some("allow"), because, body);
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
        let draft = deed(server, "roots.share").entry(LedgerKind::Revoke, Some("ask"), because, body);
        self.store.append(draft).await.map(drop)
    }

    /// Leave to tell a server of folders the person shares with it.
    ///
    /// # Errors
    /// When it could not be written down; the server is then not told.
    pub async fn tell_roots(
        &self,
        server: ServerId,
        folders: Vec<String>,
    ) -> Result<Permit<TellRoots>, NoPermit> {
        let yes = Yes {
            when: vec![],
            waited: None,
            scope: Scope::Always,
            arguments: None,
            because: vec![Because::Person { scope: Scope::Always }],
            shown: None,
        };
        let details = json!({ "folders": folders });
        let receipt = self
            .intend(deed(server, "roots.tell").naming(&json!(folders)), &yes, details)
            .await?;
        Ok(Permit::mint(TellRoots { server, folders }, yes.because, receipt))
    }
}

fn deed(server: ServerId, action: &'static str) -> Deed {
    Deed::new(server, None, action, "")
}
