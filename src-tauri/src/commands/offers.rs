//! Resources, prompts, proposals and the level of a server's log.

use std::collections::BTreeMap;

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{
    AttachmentView, CompletionAsk, CompletionView, OffersView, Problem, ResourcePick,
};
use vestibule_protocol::mcp::LogLevel;
use vestibule_protocol::{AttachmentId, ChatId, ServerId};

#[tauri::command]
pub(crate) async fn server_offers(host: State<'_, Host>, server: ServerId) -> Result<OffersView, Problem> {
    host.server_offers(server)
}

#[tauri::command]
pub(crate) async fn resource_read(
    host: State<'_, Host>,
    chat: ChatId,
    server: ServerId,
    pick: ResourcePick,
) -> Result<AttachmentView, Problem> {
    host.resource_read(chat, server, pick).await
}

#[tauri::command]
pub(crate) async fn prompt_get(
    host: State<'_, Host>,
    chat: ChatId,
    server: ServerId,
    name: String,
    arguments: BTreeMap<String, String>,
) -> Result<AttachmentView, Problem> {
    host.prompt_get(chat, server, name, arguments).await
}

#[tauri::command]
pub(crate) async fn attachment_drop(host: State<'_, Host>, attachment: AttachmentId) -> Result<(), Problem> {
    host.attachment_drop(attachment);
    Ok(())
}

#[tauri::command]
pub(crate) async fn complete(
    host: State<'_, Host>,
    server: ServerId,
    ask: CompletionAsk,
) -> Result<CompletionView, Problem> {
    host.complete(server, ask).await
}

#[tauri::command]
pub(crate) async fn server_log_level(
    host: State<'_, Host>,
    server: ServerId,
    level: LogLevel,
) -> Result<(), Problem> {
    host.server_log_level(server, level).await
}
