//! Workspaces, their folders, and what servers may know and spend.

use tauri::{Runtime, State, WebviewWindow};
use vestibule_host::Host;
use vestibule_host::view::{Budget, BudgetView, ChangeOutcome, Problem};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};

use crate::folder_dialog::FolderDialog;

#[tauri::command]
pub(crate) async fn workspace_create(host: State<'_, Host>, name: String) -> Result<WorkspaceId, Problem> {
    host.workspace_create(&name).await
}

#[tauri::command]
pub(crate) async fn workspace_rename(
    host: State<'_, Host>,
    workspace: WorkspaceId,
    name: String,
) -> Result<(), Problem> {
    host.workspace_rename(workspace, &name).await
}

#[tauri::command]
pub(crate) async fn workspace_remove(
    host: State<'_, Host>,
    workspace: WorkspaceId,
) -> Result<ChangeOutcome, Problem> {
    host.workspace_remove(workspace).await
}

#[tauri::command]
pub(crate) async fn folder_add(
    host: State<'_, Host>,
    workspace: WorkspaceId,
    path: String,
) -> Result<String, Problem> {
    host.folder_add(workspace, path).await
}

/// Lets the user pick a folder in the system's own dialog and adds it. `None` where they picked none.
#[tauri::command]
pub(crate) async fn folder_choose<R: Runtime>(
    window: WebviewWindow<R>,
    dialog: State<'_, FolderDialog>,
    host: State<'_, Host>,
    workspace: WorkspaceId,
) -> Result<Option<String>, Problem> {
    match dialog.pick(&window, host.settings().language).await? {
        Some(path) => host.folder_add(workspace, path).await.map(Some),
        None => Ok(None),
    }
}

#[tauri::command]
pub(crate) async fn folder_remove(
    host: State<'_, Host>,
    workspace: WorkspaceId,
    path: String,
) -> Result<(), Problem> {
    host.folder_remove(workspace, &path).await
}

#[tauri::command]
pub(crate) async fn folders_share(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.folders_share(server)
}

#[tauri::command]
pub(crate) async fn folder_unshare(
    host: State<'_, Host>,
    server: ServerId,
    path: String,
) -> Result<(), Problem> {
    host.folder_unshare(server, &path).await
}

#[tauri::command]
pub(crate) async fn chat_workspace(
    host: State<'_, Host>,
    chat: ChatId,
    workspace: WorkspaceId,
) -> Result<ChangeOutcome, Problem> {
    host.chat_workspace(chat, workspace).await
}

#[tauri::command]
pub(crate) async fn sampling_budget(host: State<'_, Host>, server: ServerId) -> Result<BudgetView, Problem> {
    host.sampling_budget(server).await
}

#[tauri::command]
pub(crate) async fn sampling_budget_save(
    host: State<'_, Host>,
    server: ServerId,
    budget: Budget,
) -> Result<ChangeOutcome, Problem> {
    host.sampling_budget_save(server, budget).await
}
