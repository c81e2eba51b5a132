//! The settings of the user and of chats as the store has them.

use vestibule_app_protocol::{
    Appearance, ChatSettings, Currency, Language, LargeResults, OFFICIAL_REGISTRY, Problem, Settings,
    ToolDiscovery, USUAL_PICTURE_EDGE, USUAL_PICTURES_SENT,
};
use vestibule_store::{ChatRecord, Store};

use crate::rehearsal_id;

/// The settings of the user; those of the first start where none were saved or they cannot be read.
///
/// # Errors
/// When the store cannot be read.
pub async fn load_settings(store: &Store) -> Result<Settings, Problem> {
    let kept = store
        .setting("settings")
        .await?
        .map(serde_json::from_value::<Settings>);
    if let Some(Err(error)) = &kept {
        tracing::error!(%error, "failed to read the settings; using defaults until they are saved again");
    }
    Ok(kept.and_then(Result::ok).unwrap_or(Settings {
        appearance: Appearance::default(),
        language: Language::default(),
        default_model: rehearsal_id(),
        max_rounds: 25,
        call_timeout_s: 60,
        notify: true,
        zoom: 100,
        tool_discovery: ToolDiscovery::default(),
        large_results: LargeResults::default(),
        compact: true,
        compact_at: 80,
        title_chats: false,
        budget: None,
        server_order: vec![],
        day_budget: None,
        currency: Currency::DOLLAR,
        picture_edge: USUAL_PICTURE_EDGE,
        pictures_sent: USUAL_PICTURES_SENT,
        gallery_address: OFFICIAL_REGISTRY.to_owned(),
    }))
}

/// The settings of a stored chat; what cannot be read is left to the model.
pub fn settings_of(record: &ChatRecord) -> ChatSettings {
    let kept = record.settings.clone();
    kept.and_then(|kept| serde_json::from_value(kept).ok())
        .unwrap_or_default()
}
