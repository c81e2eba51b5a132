//! Chat Completions (being written).

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use crate::{ModelError, ModelProvider, ModelRequest, ModelStream};

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAiCompatible {
    label: String,
}

/// A model at `base_url` (for example `http://localhost:11434/v1`).
#[must_use]
pub fn open_ai_compatible(base_url: Url, key: Option<SecretString>, model: String) -> OpenAiCompatible {
    drop(key);
    OpenAiCompatible {
        label: format!("{model} · {}", base_url.host_str().unwrap_or_default()),
    }
}

impl OpenAiCompatible {
    /// Permits plain http to another computer: the person wrote `http://` themselves and was told what it means.
    #[must_use]
    pub fn allow_plain_http(self) -> Self {
        self
    }
}

#[async_trait]
impl ModelProvider for OpenAiCompatible {
    fn label(&self) -> &str {
        &self.label
    }

    fn scripted(&self) -> bool {
        false
    }

    async fn stream(&self, _request: ModelRequest) -> Result<ModelStream, ModelError> {
        Err(ModelError::Unsendable {
            detail: "not yet written".to_owned(),
        })
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(Vec::new())
    }
}
