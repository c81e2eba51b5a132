//! Chats.

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{ChangeOutcome, ChatView, EntriesView, Problem};
use vestibule_protocol::{AttachmentId, ChatId, EntryId, ModelId};

#[tauri::command]
pub(crate) async fn chat_create(host: State<'_, Host>) -> Result<ChatView, Problem> {
    host.chat_create().await
}

#[tauri::command]
pub(crate) async fn chat_rename(host: State<'_, Host>, chat: ChatId, title: String) -> Result<(), Problem> {
    host.chat_rename(chat, &title).await
}

#[tauri::command]
pub(crate) async fn chat_delete(host: State<'_, Host>, chat: ChatId) -> Result<(), Problem> {
    host.chat_delete(chat).await
}

#[tauri::command]
pub(crate) async fn chat_entries(host: State<'_, Host>, chat: ChatId) -> Result<EntriesView, Problem> {
    host.chat_entries(chat).await
}

#[tauri::command]
pub(crate) async fn chat_send(
    host: State<'_, Host>,
    chat: ChatId,
    text: String,
    attached: Vec<AttachmentId>,
) -> Result<(), Problem> {
    host.chat_send(chat, text, &attached).await
}

#[tauri::command]
pub(crate) async fn task_cancel(host: State<'_, Host>, entry: EntryId) -> Result<(), Problem> {
    host.task_cancel(entry)
}

#[tauri::command]
pub(crate) async fn chat_stop(host: State<'_, Host>, chat: ChatId) -> Result<(), Problem> {
    host.chat_stop(chat);
    Ok(())
}

#[tauri::command]
pub(crate) async fn chat_retry(host: State<'_, Host>, chat: ChatId) -> Result<(), Problem> {
    host.chat_retry(chat).await
}

#[tauri::command]
pub(crate) async fn chat_model(
    host: State<'_, Host>,
    chat: ChatId,
    model: Option<ModelId>,
) -> Result<ChangeOutcome, Problem> {
    host.chat_model(chat, model).await
}
