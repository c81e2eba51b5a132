//! Asking which folders a server may know of. Each folder on the card was looked into just before; after the answer
//! it is looked at again, and one that was swapped in between is not shared.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;
use vestibule_consent::{
    Cause, Denied, FolderFacts, FolderPick, FolderReach, Gate, ServerSummary, ShareFolders, ShareRequest,
    Validate,
};
use vestibule_protocol::{ServerId, WorkspaceId};

use crate::Folders;
use crate::look::{FolderContents, Most, list_folder};
use crate::place::{self, Identity};
use vestibule_app_protocol::{FolderView, Problem, WorkspaceView};

/// The most folders on one card.
pub(crate) const MOST: usize = 40;

impl Folders {
    /// Asks because a server wants to know. A no holds for this run; "not now" holds for this time.
    pub async fn ask(&self, gate: &Gate, face: &ServerSummary, cause: Option<Cause>) -> Result<(), Problem> {
        let within = match &cause {
            Some(cause) => self.workspace_of(cause).await?,
            None => None,
        };
        self.offer(gate, face, cause, within, true).await.map(drop)
    }

    /// Asks because the user wants to share. Whether something changed.
    pub async fn share_by_hand(&self, gate: &Gate, face: &ServerSummary) -> Result<bool, Problem> {
        self.offer(gate, face, None, None, false).await
    }

    async fn offer(
        &self,
        gate: &Gate,
        face: &ServerSummary,
        cause: Option<Cause>,
        within: Option<WorkspaceId>,
        asked: bool,
    ) -> Result<bool, Problem> {
        let (shown, before) = self.facts(face, within, asked).await?;
        if shown.folders.is_empty() {
            return Ok(false);
        }
        let on_card: BTreeSet<String> = shown.folders.iter().map(|folder| folder.path.clone()).collect();
        let request = share_request(face, cause, shown);
        let Some(picked) = self.picked(gate, request).await? else {
            return Ok(false);
        };
        self.share_unchanged(gate, face, picked, &before, &on_card)
            .await?;
        Ok(true)
    }

    /// The folders the user picks on the card. A no is remembered for this run.
    async fn picked(&self, gate: &Gate, request: ShareRequest) -> Result<Option<Vec<String>>, Problem> {
        let server = request.server.id;
        match request.approve(gate, |_| {}).await {
            Ok(picked) => Ok(Some(picked)),
            Err(Denied::ByUser { .. }) => {
                self.declined().insert(server);
                Ok(None)
            }
            Err(Denied::LedgerFailed(error)) => Err(error.into()),
            Err(
                Denied::Dismissed
                | Denied::NotAsked
                | Denied::Muted
                | Denied::ByRule(_)
                | Denied::DefinitionChanged,
            ) => Ok(None),
        }
    }

    /// Shares the picked folders that are still those that were shown, and that a workspace still holds. The rest of what
    /// the ledger has as shared is written down as taken back. What is shared already and had no room on the card stays
    /// shared: nothing was decided about it.
    pub(crate) async fn share_unchanged(
        &self,
        gate: &Gate,
        face: &ServerSummary,
        picked: Vec<String>,
        before: &BTreeMap<String, Identity>,
        on_card: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let now = identities(picked.clone()).await;
        let same = |path: &String| before.get(path).is_some_and(|was| now.get(path) == Some(was));
        let (mut kept, swapped): (Vec<String>, Vec<String>) = picked.into_iter().partition(same);
        for path in swapped {
            tracing::warn!(server = %face.name, %path, "not sharing a folder that was replaced while the question was open");
            gate.unshare_folder(face.id, &path).await?;
        }
        // The store replaces the whole list, so no folder may be taken back between reading and writing it.
        let sharing = self.0.sharing.lock().await;
        kept.extend(self.shared(face.id).await?.filter(|path| !on_card.contains(path)));
        let wanted = kept.len();
        let removed = self.0.store.share(face.id, kept, Timestamp::now()).await?;
        drop(sharing);
        if removed.len() == wanted {
            self.declined().insert(face.id);
        } else {
            self.declined().remove(&face.id);
        }
        for path in removed {
            tracing::warn!(server = %face.name, %path, "not sharing a folder that was removed while the question was open");
            gate.unshare_folder(face.id, &path).await?;
        }
        Ok(())
    }

    async fn workspace_of(&self, cause: &Cause) -> Result<Option<WorkspaceId>, Problem> {
        let chat = self.0.store.chat(cause.chat).await?;
        Ok(chat.map(|chat| chat.workspace))
    }

    /// What the card shows: the folders of one workspace and what the server knows already, or all; and which folders these
    /// were before they were looked into.
    pub(crate) async fn facts(
        &self,
        face: &ServerSummary,
        within: Option<WorkspaceId>,
        asked: bool,
    ) -> Result<(ShareFolders, BTreeMap<String, Identity>), Problem> {
        let names: BTreeMap<_, _> = self
            .0
            .store
            .servers()
            .await?
            .into_iter()
            .map(|server| (server.id, server.name))
            .collect();
        let mut folders: Vec<FolderFacts> = vec![];
        let mut identities = BTreeMap::new();
        let nothing_shared = self.shared(face.id).await?.next().is_none();
        for candidate in candidates(self.views().await?, face.id, within) {
            let Candidate {
                workspace,
                folder,
                shared,
            } = candidate;
            let others = folder.shares.iter().filter(|share| share.server != face.id);
            let others = others
                .filter_map(|share| names.get(&share.server).cloned())
                .collect();
            let (identity, seen, reach) = look_into(folder.path.clone()).await;
            identities.extend(identity.map(|identity| (folder.path.clone(), identity)));
            let harmless = seen.secrets.is_empty() && reach == FolderReach::Folder;
            folders.push(FolderFacts {
                uri: place::uri(&folder.path).unwrap_or_default(),
                workspace,
                files: seen.files,
                bytes: seen.bytes,
                whole: seen.whole,
                repository: seen.repository,
                secrets: seen.secrets,
                more_secrets: seen.more_secrets,
                reach,
                trouble: folder.trouble,
                shared,
                others,
                // What holds secrets or spans everything is picked by hand.
                picked: folder.trouble.is_none() && (shared || (nothing_shared && harmless)),
                path: folder.path,
            });
        }
        Ok((ShareFolders { folders, asked }, identities))
    }
}

/// A folder that the card can show.
struct Candidate {
    /// The name of the first workspace that holds it.
    workspace: String,
    folder: FolderView,
    /// Whether the server knows of it already.
    shared: bool,
}

/// The folders for a card about a server, each once. Those it knows of come first, so that the user can take them back
/// however many others there are.
fn candidates(views: Vec<WorkspaceView>, server: ServerId, within: Option<WorkspaceId>) -> Vec<Candidate> {
    let mut known = BTreeSet::new();
    let mut candidates = vec![];
    for view in views {
        let here = within.is_none_or(|within| within == view.id);
        for folder in view.folders {
            let shared = folder.shares.iter().any(|share| share.server == server);
            if (here || shared) && known.insert(folder.path.clone()) {
                candidates.push(Candidate {
                    workspace: view.name.clone(),
                    folder,
                    shared,
                });
            }
        }
    }
    candidates.sort_by_key(|candidate| !candidate.shared);
    candidates.truncate(MOST);
    candidates
}

/// Which folder this is, what it holds, and how far it reaches. The identity is read first, so that one that is swapped in
/// while the content is read is not the one that was shown.
async fn look_into(path: String) -> (Option<Identity>, FolderContents, FolderReach) {
    let looked = tokio::task::spawn_blocking(move || {
        let identity = place::still_there(&path).ok();
        let seen = list_folder(path.as_ref(), Most::default());
        (identity, seen, place::reach(&path, place::home().as_deref()))
    });
    looked
        .await
        .unwrap_or((None, Default::default(), FolderReach::Folder))
}

fn share_request(face: &ServerSummary, cause: Option<Cause>, shown: ShareFolders) -> ShareRequest {
    ShareRequest {
        server: face.clone(),
        cause,
        validate: only_what_is_offered(&shown),
        shown,
    }
}

/// Refuses a choice of folders that the card does not offer.
fn only_what_is_offered(shown: &ShareFolders) -> Validate {
    let offered = shown.folders.iter().filter(|folder| folder.trouble.is_none());
    let offered: Vec<String> = offered.map(|folder| folder.path.clone()).collect();
    Validate::now(move |arguments| {
        let pick: FolderPick =
            serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| error.to_string())?;
        match pick.folders.iter().find(|path| !offered.contains(path)) {
            Some(other) => Err(format!("{other} was not on offer")),
            None => Ok(()),
        }
    })
}

/// Which folders these are; one that is not what it was is left out.
pub(crate) async fn identities(paths: Vec<String>) -> BTreeMap<String, Identity> {
    let look = move || {
        let identity = |path: String| Some((path.clone(), place::still_there(&path).ok()?));
        paths.into_iter().filter_map(identity).collect()
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}
