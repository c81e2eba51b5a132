//! The main window's own stream, and the way from it to the consent window.

use futures::StreamExt;
use tauri::ipc::Channel;
use tauri::{AppHandle, Runtime, State};
use vestibule_host::Host;
use vestibule_host::view::{Envelope, InputProblem, Problem, Snapshot, StoreProblem};
use vestibule_protocol::QuestionId;

use crate::consent_window;

#[tauri::command]
pub(crate) async fn host_open(
    host: State<'_, Host>,
    channel: Channel<Envelope>,
) -> Result<Snapshot, Problem> {
    let (snapshot, events) = host.main_window().await?;
    let mut events = Box::pin(events);
    tauri::async_runtime::spawn(async move {
        while let Some(event) = events.next().await {
            // The window was reloaded or is gone; its next page opens a channel of its own.
            if channel.send(event).is_err() {
                return;
            }
        }
    });
    Ok(snapshot)
}

#[tauri::command]
pub(crate) async fn question_raise<R: Runtime>(
    app: AppHandle<R>,
    host: State<'_, Host>,
    question: QuestionId,
) -> Result<(), Problem> {
    if !host.question_waits(question) {
        return Err(Problem::Input(InputProblem::Gone));
    }
    host.consent_show(question);
    consent_window::raise(&app).await.map_err(|error| {
        Problem::Store(StoreProblem::StoreFailed {
            detail: error.to_string(),
        })
    })
}
