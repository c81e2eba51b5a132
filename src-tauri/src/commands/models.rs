//! Models.

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{LocalModels, ModelDraft, ModelSaved, Problem};
use vestibule_protocol::ModelId;

#[tauri::command]
pub(crate) async fn model_save(host: State<'_, Host>, draft: ModelDraft) -> Result<ModelSaved, Problem> {
    host.model_save(draft).await
}

#[tauri::command]
pub(crate) async fn model_remove(host: State<'_, Host>, model: ModelId) -> Result<(), Problem> {
    host.model_remove(model).await
}

#[tauri::command]
pub(crate) async fn model_list(
    host: State<'_, Host>,
    base_url: String,
    key: Option<String>,
    model: Option<ModelId>,
) -> Result<Vec<String>, Problem> {
    host.model_list(&base_url, key, model).await
}

#[tauri::command]
pub(crate) async fn model_proxy(host: State<'_, Host>, base_url: String) -> Result<Option<String>, Problem> {
    Ok(host.model_proxy(&base_url))
}

#[tauri::command]
pub(crate) async fn model_detect(host: State<'_, Host>) -> Result<Vec<LocalModels>, Problem> {
    Ok(host.model_detect().await)
}
