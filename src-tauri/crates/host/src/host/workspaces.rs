//! Workspaces: their folders, what is shared of them, and which of them a chat belongs to. Sharing is a question of
//! its own in the consent window; taking back acts at once.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use vestibule_consent::{MoveChats, RuleSummary, ServerRule, WidenRequest, Widening, WorkspaceSummary};
use vestibule_policy::{Decision, Reach};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};
use vestibule_store::{ChatRecord, FolderRecord, WorkspaceRecord};

use super::Host;
use crate::view::{Budget, BudgetView, ChangeOutcome, InputProblem, Problem, StoreProblem};
use vestibule_client_features::USUAL_BUDGET;
use vestibule_folders as folders;
use vestibule_servers::gone;

/// The longest name of a workspace, in characters.
const NAME: usize = 64;
/// The most folders of all workspaces together.
const MOST_FOLDERS: usize = 200;
/// How often the folders are looked at.
const WATCH: Duration = Duration::from_secs(5);

impl Host {
    /// Makes a workspace.
    ///
    /// # Errors
    /// When it has no name or one that is taken, or could not be kept.
    pub async fn workspace_create(&self, name: &str) -> Result<WorkspaceId, Problem> {
        let record = WorkspaceRecord {
            id: WorkspaceId::new(),
            name: self.free_name(name, None).await?,
            created: Timestamp::now(),
        };
        self.0.store.put_workspace(&record).await?;
        self.folders_changed().await?;
        Ok(record.id)
    }

    /// Gives a workspace another name.
    ///
    /// # Errors
    /// When it is gone or the one every chat begins in, or the name cannot be used or kept.
    pub async fn workspace_rename(&self, workspace: WorkspaceId, name: &str) -> Result<(), Problem> {
        let name = self.free_name(name, Some(workspace)).await?;
        let known = self.0.store.workspaces().await?;
        let record = known
            .into_iter()
            .find(|record| record.id == workspace && workspace != WorkspaceId::home())
            .ok_or_else(gone)?;
        self.0
            .store
            .put_workspace(&WorkspaceRecord { name, ..record })
            .await?;
        self.folders_changed().await
    }

    /// Removes a workspace. Its chats go back to the one every chat begins in; the folders stay on the disk. Where that
    /// lets more happen in the chats, the consent window asks first.
    ///
    /// # Errors
    /// When it could not be removed.
    pub async fn workspace_remove(&self, workspace: WorkspaceId) -> Result<ChangeOutcome, Problem> {
        let chats = self.chats_in(workspace).await?;
        let Some(widening) = self
            .move_widens(&chats, workspace, WorkspaceId::home(), true)
            .await?
        else {
            self.remove_workspace(workspace).await?;
            return Ok(ChangeOutcome::Done);
        };
        self.widen(WidenRequest::new(widening), move |host, shown| async move {
            let chats = host.chats_in(workspace).await?;
            let now = host
                .move_widens(&chats, workspace, WorkspaceId::home(), true)
                .await?;
            if now != Some(shown) {
                return Ok(false);
            }
            host.remove_workspace(workspace).await?;
            Ok(true)
        })
        .await
    }

    async fn remove_workspace(&self, workspace: WorkspaceId) -> Result<(), Problem> {
        self.0.store.remove_workspace(workspace).await?;
        self.folders_changed().await?;
        self.tell_of_all_chats().await
    }

    /// Adds a folder to a workspace, by its canonical path. No server gets it. Returns that path.
    ///
    /// # Errors
    /// When it is no folder that can be used, there are too many, or it could not be kept.
    pub async fn folder_add(&self, workspace: WorkspaceId, path: String) -> Result<String, Problem> {
        if self.0.store.folders().await?.len() >= MOST_FOLDERS {
            return Err(Problem::Store(StoreProblem::FolderUnusable {
                folder: path,
                detail: format!("there are {MOST_FOLDERS} folders already, which is the most"),
            }));
        }
        let looked =
            tokio::task::spawn_blocking(move || folders::canonical(&path, folders::home().as_deref()));
        let path = looked.await.map_err(|error| {
            Problem::Store(StoreProblem::StoreFailed {
                detail: error.to_string(),
            })
        })??;
        let record = FolderRecord {
            workspace,
            path: path.clone(),
            added: Timestamp::now(),
        };
        self.0.store.add_folder(&record).await?;
        self.folders_changed().await?;
        Ok(path)
    }

    /// Removes a folder from a workspace; with its last place ends what was shared of it.
    ///
    /// # Errors
    /// When it could not be removed.
    pub async fn folder_remove(&self, workspace: WorkspaceId, path: &str) -> Result<(), Problem> {
        self.0.store.remove_folder(workspace, path).await?;
        self.folders_changed().await
    }

    /// Asks which folders a server may know of.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn folders_share(&self, server: ServerId) -> Result<(), Problem> {
        let face = self.0.servers.get(server)?.face();
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let asked = host.0.folders.share_by_hand(&host.0.gate, &face).await;
            let told = match asked {
                Ok(_) => host.folders_changed().await,
                Err(problem) => Err(problem),
            };
            if let Err(problem) = told {
                tracing::error!(%problem, "failed to persist shared folders");
            }
        });
        Ok(())
    }

    /// Takes a folder back from a server, which hears at once that its folders changed.
    ///
    /// # Errors
    /// When that could not be written down.
    pub async fn folder_unshare(&self, server: ServerId, path: &str) -> Result<(), Problem> {
        self.0.gate.unshare_folder(server, path).await?;
        self.0.folders.unshare(server, path).await?;
        self.folders_changed().await
    }

    /// Moves a chat to another workspace. Where that lets more happen in it, the consent window asks first.
    ///
    /// # Errors
    /// When one of them is gone, or the move could not be kept.
    pub async fn chat_workspace(
        &self,
        chat: ChatId,
        workspace: WorkspaceId,
    ) -> Result<ChangeOutcome, Problem> {
        let Some(widening) = self.chat_move_widens(chat, workspace).await? else {
            self.move_chat(chat, workspace).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest {
            chat: Some(chat),
            ..WidenRequest::new(widening)
        };
        self.widen(request, move |host, shown| async move {
            if host.chat_move_widens(chat, workspace).await? != Some(shown) {
                return Ok(false);
            }
            host.move_chat(chat, workspace).await?;
            Ok(true)
        })
        .await
    }

    async fn move_chat(&self, chat: ChatId, workspace: WorkspaceId) -> Result<(), Problem> {
        self.0.store.set_chat_workspace(chat, workspace).await?;
        self.tell_of_chat(chat).await
    }

    async fn chats_in(&self, workspace: WorkspaceId) -> Result<Vec<ChatRecord>, Problem> {
        let mut chats = self.0.store.chats().await?;
        chats.retain(|chat| chat.workspace == workspace);
        Ok(chats)
    }

    async fn chat_move_widens(&self, chat: ChatId, to: WorkspaceId) -> Result<Option<Widening>, Problem> {
        let record = self.chat_record(chat).await?;
        let from = record.workspace;
        self.move_widens(&[record], from, to, false).await
    }

    /// What moving chats would let happen there that is not let happen here; `None` where that is nothing.
    async fn move_widens(
        &self,
        chats: &[ChatRecord],
        from: WorkspaceId,
        to: WorkspaceId,
        removes: bool,
    ) -> Result<Option<Widening>, Problem> {
        let known = self.0.store.workspaces().await?;
        let named = |id| known.iter().find(|record| record.id == id).ok_or_else(gone);
        let folders = self.0.store.folders().await?;
        let face = |record: &WorkspaceRecord| {
            let of = folders.iter().filter(|folder| folder.workspace == record.id);
            WorkspaceSummary {
                name: record.name.clone(),
                folders: of.map(|folder| folder.path.clone()).collect(),
            }
        };
        let (from, to) = (named(from)?, named(to)?);
        let (here, there) = (face(from), face(to));
        let now = Timestamp::now();
        let rules = |workspace: &WorkspaceRecord, decision| -> Vec<ServerRule> {
            let rules = self.0.gate.rules().all().into_iter();
            let of = rules.filter(|rule| {
                rule.reach == Reach::Workspace(workspace.id)
                    && rule.decision == decision
                    && rule.holds_at(now)
            });
            let faced = of.filter_map(|rule| {
                Some(ServerRule {
                    server: self.0.servers.get(rule.server).ok()?.name(),
                    rule: RuleSummary {
                        place: Some(workspace.name.clone()),
                        ..RuleSummary::from(&rule)
                    },
                })
            });
            faced.collect()
        };
        let (allowed, refused) = (rules(to, Decision::Allow), rules(from, Decision::Deny));
        let more_folders = there.folders.iter().any(|folder| !here.folders.contains(folder));
        let widens = more_folders || !allowed.is_empty() || !refused.is_empty();
        Ok((widens && from.id != to.id && !chats.is_empty()).then(|| {
            Widening::MoveChats(MoveChats {
                chats: chats.iter().map(|chat| chat.title.clone()).collect(),
                from: here,
                to: there,
                removes,
                allowed,
                refused,
            })
        }))
    }

    /// What a server may spend of the user's models, and what it has spent.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn sampling_budget(&self, server: ServerId) -> Result<BudgetView, Problem> {
        let store = &self.0.store;
        let budget = store.budget(server).await?.unwrap_or(USUAL_BUDGET);
        let now = Timestamp::now();
        let ago = |hours| now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(now);
        let hour = store.spent_since(server, ago(1)).await?;
        let day = store.spent_since(server, ago(24)).await?;
        Ok(BudgetView {
            budget,
            spent_hour: hour.tokens,
            spent_day: day.tokens,
            costs_hour: hour.costs,
            costs_day: day.costs,
        })
    }

    /// Says what a server may spend. Less holds at once; before more does, the consent window asks.
    ///
    /// # Errors
    /// When the server is gone, or it could not be kept.
    pub async fn sampling_budget_save(
        &self,
        server: ServerId,
        after: Budget,
    ) -> Result<ChangeOutcome, Problem> {
        let before = self.0.store.budget(server).await?.unwrap_or(USUAL_BUDGET);
        if !Budget::is_raised(&before, &after) {
            self.0.store.put_budget(server, after).await?;
            return Ok(ChangeOutcome::Done);
        }
        let request = WidenRequest {
            server: Some(self.0.servers.get(server)?.face()),
            chat: None,
            widening: Widening::RaiseBudget { before, after },
        };
        self.widen(request, move |host, _| async move {
            let now = host.0.store.budget(server).await?.unwrap_or(USUAL_BUDGET);
            if now != before {
                return Ok(false);
            }
            host.0.store.put_budget(server, after).await?;
            Ok(true)
        })
        .await
    }

    /// Looks at the folders from time to time, so that one that is gone is shown as gone and servers are notified.
    pub(super) fn watch_folders(&self) {
        let host = self.clone();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            let mut look = tokio::time::interval(WATCH);
            look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            while closing.run_until_cancelled(look.tick()).await.is_some() {
                if let Err(problem) = host.folders_changed().await {
                    tracing::debug!(%problem, "failed to inspect the folders");
                }
            }
        });
    }

    /// Looks at the folders now, and notifies windows and servers of changes.
    pub(super) async fn folders_changed(&self) -> Result<(), Problem> {
        for server in self.0.folders.look_again().await? {
            if let Ok(server) = self.0.servers.get(server) {
                server.roots_changed().await;
            }
        }
        Ok(())
    }

    async fn free_name(&self, name: &str, of: Option<WorkspaceId>) -> Result<String, Problem> {
        let name: String = name.trim().chars().take(NAME).collect();
        if name.is_empty() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let known = self.0.store.workspaces().await?;
        if known
            .iter()
            .any(|record| record.name == name && Some(record.id) != of)
        {
            return Err(Problem::Input(InputProblem::NameTaken { name }));
        }
        Ok(name)
    }
}
