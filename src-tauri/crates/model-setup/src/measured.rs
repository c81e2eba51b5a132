//! What the meter of a chat needs of its model. The model is neither started nor asked for it.

use vestibule_app_protocol::Problem;
use vestibule_protocol::ModelId;

use super::Models;

/// What the meter of a chat needs of its model.
pub struct MeasuredModel {
    /// How its replies name it; `None` for the rehearsal, and where it cannot be spoken to now.
    pub label: Option<String>,
    /// How many tokens it reads in a request, as far as that is known without asking its server now.
    pub context: Option<u32>,
    /// Whether the user says that it uses no tools.
    pub refuses_tools: bool,
    /// Whether it is the rehearsal.
    pub is_script: bool,
}

impl MeasuredModel {
    /// What is known of a model without starting or asking it.
    ///
    /// # Errors
    /// When the model is gone or cannot be read.
    pub async fn of(models: &Models, id: ModelId) -> Result<Self, Problem> {
        let (record, connection) = models.records(id).await?;
        let context = models.context_in_use(&record, connection.as_ref());
        let provider = models.provider_of(&record, connection.as_ref()).await.ok();
        let label = provider.map(|provider| provider.label().to_owned());
        Ok(Self {
            label: label.filter(|_| connection.is_some()),
            context,
            refuses_tools: record.tools == Some(false),
            is_script: connection.is_none(),
        })
    }
}
