//! Models behind the OpenAI-compatible Chat Completions interface.
//!
//! Local servers (Ollama, LM Studio, llama.cpp, vLLM) and most hosted ones speak it. The wire itself is a library's
//! work, used only inside this module; requests leave through [`crate::egress`]. This module does not retry, does not
//! choose a model and does not run tools.

mod decode;
mod encode;
mod failure;

use async_trait::async_trait;
use rig_core::providers::openai::wire::{Auth, DEEPSEEK, Dialect, OPENAI, OPENROUTER, OpenAIConfig};
use secrecy::SecretString;
use url::Url;

use crate::egress::{ModelEgress, ModelLimits};
use crate::{ModelError, ModelProvider, ModelRequest, ModelStream};

/// The most model names that are kept of a listing.
const MOST_MODELS: usize = 1000;
/// The longest model name that is kept, in bytes.
const LONGEST_NAME: usize = 200;

/// A model behind an OpenAI-compatible endpoint. Made by [`open_ai_compatible`].
#[derive(Clone)]
pub struct OpenAiCompatible {
    egress: ModelEgress,
    dialect: Dialect,
    label: String,
    images: bool,
}

/// A model at `base_url`, the address up to and including the version, for example `http://localhost:11434/v1`.
///
/// Nothing is sent until it is asked. Plain http works to this computer only, unless
/// [`OpenAiCompatible::allow_plain_http`] says otherwise. The key goes to this endpoint and nowhere else.
#[must_use]
pub fn open_ai_compatible(base_url: Url, key: Option<SecretString>, model: String) -> OpenAiCompatible {
    let dialect = dialect(&base_url);
    let egress = ModelEgress::new(base_url, key, model, ModelLimits::default());
    let label = format!("{} · {}", egress.model(), egress.endpoint());
    // Hosted multimodal models take images; a small local text model would refuse the whole conversation.
    let images = [OPENAI.name, OPENROUTER.name].contains(&dialect.name);
    OpenAiCompatible {
        egress,
        dialect,
        label,
        images,
    }
}

impl OpenAiCompatible {
    /// Permits plain http to another computer: the user wrote `http://` themselves and was warned that the
    /// conversation and the key can be read on the way.
    #[must_use]
    pub fn allow_plain_http(self) -> Self {
        Self {
            egress: self.egress.with_plain_http(),
            ..self
        }
    }

    /// Sends everything through this HTTP proxy; what is on this computer is reached without one all the same. Nothing
    /// here looks at the environment.
    #[must_use]
    pub fn through(self, proxy: Url) -> Self {
        Self {
            egress: self.egress.through(proxy),
            ..self
        }
    }

    /// Replaces the limits on time and size.
    #[must_use]
    pub fn with_limits(self, limits: ModelLimits) -> Self {
        Self {
            egress: self.egress.with_limits(limits),
            ..self
        }
    }

    /// Whether images in tool results are sent. Off by default except for OpenAI and OpenRouter; without it the model
    /// reads a note in the image's place.
    #[must_use]
    pub fn with_images(self, images: bool) -> Self {
        Self { images, ..self }
    }

    fn wire(&self) -> rig_core::providers::openai::OpenAI {
        // The library never holds the key: egress adds it to the request itself.
        OpenAIConfig::with_key(&self.dialect, "")
            .with_auth(Auth::OptionalBearer)
            .with_base_url(self.egress.base().as_str().trim_end_matches('/'))
            .connect(self.egress.clone())
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

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        self.egress.check()?;
        let request = encode::request(request, self.images)?;
        let reply = self.wire().chat(self.egress.model()).stream(request);
        let reply = reply.map_err(|error| failure::model_error(&self.egress, &error))?;
        Ok(decode::events(reply, self.egress.clone()))
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.egress.check()?;
        let listing = self.wire().list_models().await;
        let listing = listing.map_err(|error| failure::model_error(&self.egress, &error))?;
        let names = listing.data.into_iter().map(|model| model.id);
        Ok(names
            .filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME)
            .take(MOST_MODELS)
            .collect())
    }
}

/// The few endpoints whose requests differ are known by their host; every other one gets the common form.
fn dialect(base: &Url) -> Dialect {
    match base.host_str() {
        Some("api.openai.com") => OPENAI,
        Some("openrouter.ai") => OPENROUTER,
        Some("api.deepseek.com") => DEEPSEEK,
        _ => Dialect::gateway("openai-compatible", "", ""),
    }
}
