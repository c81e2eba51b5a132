//! The record of the rehearsal among the models, which is there before anything is set up.

use jiff::Timestamp;
use vestibule_app_protocol::Problem;
use vestibule_models::{ModelProvider, rehearsal};
use vestibule_protocol::ModelId;
use vestibule_store::{ModelRecord, Store};

/// The id of the rehearsal.
pub fn rehearsal_id() -> ModelId {
    "00000000-0000-7000-8000-000000000000"
        .parse()
        .expect("this text is a UUID")
}

/// Puts the rehearsal among the models.
pub async fn add_rehearsal(store: &Store) -> Result<(), Problem> {
    let label = rehearsal().label().to_owned();
    let known = store.models().await?;
    let before = known.into_iter().find(|record| record.id == rehearsal_id());
    let record = ModelRecord {
        id: rehearsal_id(),
        label,
        favourite: before.is_some_and(|record| record.favourite),
        ..ModelRecord::new(None, "", Timestamp::UNIX_EPOCH)
    };
    Ok(store.put_model(&record).await?)
}
