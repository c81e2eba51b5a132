//! Questions: the commands of the consent window alone.

use futures::StreamExt;
use serde_json::{Map, Value};
use tauri::State;
use tauri::ipc::Channel;
use vestibule_consent::{Misfit, Reply};
use vestibule_host::Host;
use vestibule_host::view::{InboxMessage, Problem, RequestKind};
use vestibule_protocol::{QuestionId, ServerId};

#[tauri::command]
pub(crate) async fn consent_open(
    host: State<'_, Host>,
    channel: Channel<InboxMessage>,
) -> Result<(), Problem> {
    let mut messages = Box::pin(host.consent_window());
    tauri::async_runtime::spawn(async move {
        while let Some(message) = messages.next().await {
            // The window was reloaded or is gone; its next page opens a channel of its own.
            if channel.send(message).is_err() {
                return;
            }
        }
    });
    Ok(())
}

#[tauri::command]
pub(crate) async fn consent_present(host: State<'_, Host>, question: QuestionId) -> Result<(), Problem> {
    host.consent_present(question);
    Ok(())
}

#[tauri::command]
pub(crate) async fn consent_answer(host: State<'_, Host>, reply: Reply) -> Result<(), Problem> {
    host.consent_answer(reply).await
}

#[tauri::command]
pub(crate) async fn consent_check(
    host: State<'_, Host>,
    question: QuestionId,
    content: Map<String, Value>,
) -> Result<Vec<Misfit>, Problem> {
    Ok(host.consent_check(question, &content))
}

#[tauri::command]
pub(crate) async fn consent_keep(
    host: State<'_, Host>,
    question: QuestionId,
    nonce: String,
    entered: Option<Map<String, Value>>,
) -> Result<(), Problem> {
    host.consent_keep(question, &nonce, entered);
    Ok(())
}

#[tauri::command]
pub(crate) async fn consent_unmute(
    host: State<'_, Host>,
    server: ServerId,
    asking: RequestKind,
) -> Result<(), Problem> {
    host.server_unmute(server, asking).await
}
