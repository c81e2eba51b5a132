//! Models at an address, over any of the [`Wire`]s.
//!
//! The wires themselves are a library's work, used only inside this module; requests leave through
//! [`crate::egress`]. This module does not retry, does not choose a model and does not run tools.

mod decode;
mod encode;
mod failure;
mod ollama;
mod trial;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use rig_core::completion::CompletionRequest;
use rig_core::message::{Api, Origin};
use rig_core::providers::anthropic::{ANTHROPIC, Anthropic, AnthropicConfig, compatible};
use rig_core::providers::gemini::{Gemini, GeminiConfig};
use rig_core::providers::ollama::{Ollama, OllamaConfig};
use rig_core::providers::openai::OpenAI;
use rig_core::providers::openai::wire::{AZURE, Auth, DEEPSEEK, Dialect, OPENAI, OPENROUTER, OpenAIConfig};
use rig_core::streaming::CompletionStream;
use secrecy::SecretString;
use serde_json::Value;
use tokio::sync::OnceCell;
use url::Url;

use crate::egress::{Framing, ModelEgress, ModelLimits};
use crate::wire::is_google_chat;
pub(crate) use failure::carried;
pub use ollama::ollama_context;
pub(crate) use ollama::reported as ollama_reported;
pub use trial::{Trial, TrialStep};

use crate::{ModelError, ModelFacts, ModelProvider, ModelRequest, ModelStream, Wire};

/// What the dialect of a server is called that is not known.
const GATEWAY: &str = "openai-compatible";
/// The longest reply asked of a model whose own limit is not known, where the vendor demands a limit.
const LONGEST_REPLY: u64 = 8192;

/// A model at an address. Made by [`remote_model`].
#[derive(Clone)]
pub struct RemoteModel {
    egress: ModelEgress,
    wire: Wire,
    dialect: Dialect,
    label: String,
    images: bool,
    /// What the user says of images, which holds against what the model's server says.
    images_said: Option<bool>,
    context: Option<u32>,
    facts: Arc<OnceCell<ModelFacts>>,
}

/// A model at `base_url`, spoken to over `wire`.
///
/// Nothing is sent until it is asked. Plain http works to this computer only, unless
/// [`RemoteModel::allow_plain_http`] says otherwise. The key goes to this endpoint and nowhere else.
#[must_use]
pub fn remote_model(wire: Wire, base_url: Url, key: Option<SecretString>, model: String) -> RemoteModel {
    let egress =
        ModelEgress::new(base_url, key, model, ModelLimits::default()).with_key_header(wire.key_header());
    RemoteModel::over(wire, egress)
}

/// A model behind Chat Completions at `base_url`, the address up to and including the version, for example
/// `http://localhost:11434/v1`.
#[must_use]
pub fn open_ai_compatible(base_url: Url, key: Option<SecretString>, model: String) -> RemoteModel {
    remote_model(Wire::ChatCompletions, base_url, key, model)
}

impl RemoteModel {
    fn over(wire: Wire, egress: ModelEgress) -> Self {
        let dialect = dialect(wire, egress.base(), egress.model());
        // Hosted multimodal models take images; a small local text model would refuse the whole conversation.
        let images = match wire {
            Wire::ChatCompletions => [OPENAI.name, OPENROUTER.name].contains(&dialect.name),
            Wire::Responses | Wire::Anthropic | Wire::Gemini | Wire::Azure => true,
            Wire::Ollama => false,
        };
        Self {
            label: format!("{} · {}", egress.model(), egress.endpoint()),
            egress: egress.with_framing(framing(wire)),
            wire,
            dialect,
            images,
            images_said: None,
            context: None,
            facts: Arc::default(),
        }
    }

    /// Another model of the same endpoint, over the same connections.
    #[must_use]
    pub fn for_model(&self, model: String) -> Self {
        Self::over(self.wire, self.egress.clone().for_model(model))
    }

    /// Sends these headers with every request to the endpoint, and nowhere else.
    #[must_use]
    pub fn with_headers(self, headers: Vec<(String, SecretString)>) -> Self {
        Self {
            egress: self.egress.with_headers(headers),
            ..self
        }
    }

    /// The name of the model at the endpoint.
    #[must_use]
    pub fn model(&self) -> &str {
        self.egress.model()
    }

    pub(crate) fn egress(&self) -> &ModelEgress {
        &self.egress
    }

    pub(crate) fn wire(&self) -> Wire {
        self.wire
    }

    /// Permits plain http to another computer: the user wrote `http://` themselves and was warned that the
    /// conversation can be read on the way. A key is sent so only to a private address that is written as such.
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

    /// Whether images in tool results are sent. Without it the model reads a note in the image's place. An Ollama
    /// model that says it sees gets them in any case.
    #[must_use]
    pub fn with_images(self, images: bool) -> Self {
        Self { images, ..self }
    }

    /// Whether the model sees images, as the user says: the model's own server is not believed against it.
    #[must_use]
    pub fn with_images_said(self, sees: bool) -> Self {
        Self {
            images_said: Some(sees),
            ..self
        }
    }

    /// The most tokens this model may be made to read, where its server takes a length; never more than the model can.
    #[must_use]
    pub fn with_context(self, tokens: Option<u32>) -> Self {
        Self {
            context: tokens,
            ..self
        }
    }

    pub(crate) fn root(&self) -> String {
        self.wire.root(self.egress.base())
    }

    // The library never holds the key: egress adds it to the request itself.
    fn openai(&self) -> OpenAI {
        OpenAIConfig::with_key(&self.dialect, "")
            .with_auth(Auth::OptionalBearer)
            .with_base_url(self.root())
            .connect(self.egress.clone())
    }

    fn anthropic(&self) -> Anthropic {
        let base = self.egress.base();
        let own = base.host_str() == Some("api.anthropic.com") || self.egress.model().starts_with("claude");
        let dialect = if own {
            ANTHROPIC
        } else {
            compatible("anthropic-compatible", "", "", None)
        };
        AnthropicConfig::with_key(&dialect, "")
            .with_base_url(self.root())
            .connect(self.egress.clone())
    }

    fn gemini(&self) -> Gemini {
        GeminiConfig::new("")
            .with_base_url(self.root())
            .connect(self.egress.clone())
    }

    fn ollama(&self) -> Ollama {
        OllamaConfig::new()
            .with_base_url(self.root())
            .connect(self.egress.clone())
    }

    fn open(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let model = self.egress.model();
        let reply = match self.wire {
            Wire::ChatCompletions | Wire::Azure => self.openai().chat(model).stream(request),
            Wire::Responses => {
                // Nothing of the conversation stays with the vendor; its reasoning then comes back encrypted.
                let mut stateless = serde_json::json!({ "store": false });
                if let (Some(all), Some(Value::Object(own))) =
                    (stateless.as_object_mut(), request.additional_params.clone())
                {
                    all.extend(own);
                }
                self.openai()
                    .responses(model)
                    .stream(request.additional_params(stateless))
            }
            Wire::Anthropic => {
                let mut messages = self.anthropic().completion(model);
                messages.wire.default_max_tokens.get_or_insert(LONGEST_REPLY);
                messages.wire = messages.wire.with_prompt_caching();
                messages.stream(request)
            }
            Wire::Gemini => self.gemini().completion(model).stream(request),
            Wire::Ollama => self.ollama().native_completion(model).stream(request),
        };
        reply.map_err(|error| failure::model_error(&self.egress, &error))
    }

    /// Who a reply must have come from to pass as this model's own, where calls without a signature are refused.
    fn signing_origin(&self) -> Option<Origin> {
        let demands = self.wire == Wire::ChatCompletions && is_google_chat(self.egress.base());
        let origin = || {
            Origin::new(
                Api::from_static("openai.chat"),
                self.dialect.name,
                self.egress.model(),
            )
        };
        demands.then(origin)
    }
}

#[async_trait]
impl ModelProvider for RemoteModel {
    fn label(&self) -> &str {
        &self.label
    }

    fn scripted(&self) -> bool {
        false
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        self.egress.check()?;
        let images = self.sees_images().await;
        let facts = self.facts().await;
        let form = encode::RequestForm {
            common: matches!(self.wire, Wire::ChatCompletions | Wire::Azure),
            gateway: (self.dialect.name == GATEWAY)
                .then_some(self.wire)
                .filter(|wire| wire.is_open_ai() || *wire == Wire::Azure),
            completion_limit: self.wire == Wire::Azure && self.dialect.name == GATEWAY,
            images,
            signing_origin: self.signing_origin(),
        };
        let began = Instant::now();
        let mut request = encode::request(request, &form)?;
        let converted = began.elapsed();
        if self.wire == Wire::Ollama {
            request = ollama::with_context(request, facts.context);
        }
        let reply = self.open(request)?;
        tracing::debug!(?converted, whole = ?began.elapsed(), "made the body of a request");
        Ok(decode::events(reply, self.egress.clone()))
    }

    async fn facts(&self) -> ModelFacts {
        if self.wire != Wire::Ollama {
            return ModelFacts::default();
        }
        let asked = async || ollama::facts(&self.egress, &self.root(), self.context).await;
        self.facts
            .get_or_try_init(asked)
            .await
            .copied()
            .unwrap_or(ModelFacts {
                context: Some(ollama_context(None, self.context)),
                images: false,
            })
    }

    async fn sees_images(&self) -> bool {
        match self.images_said {
            Some(said) => said,
            None => self.images || self.facts().await.images,
        }
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        let listing = self.listing().await?;
        Ok(listing.models.into_iter().map(|model| model.name).collect())
    }
}

/// How replies over a wire are divided; that a server names another content type changes nothing for the library.
fn framing(wire: Wire) -> Framing {
    match wire {
        Wire::Ollama => Framing::Lines,
        Wire::ChatCompletions | Wire::Responses | Wire::Anthropic | Wire::Gemini | Wire::Azure => {
            Framing::Events
        }
    }
}

/// The few endpoints whose requests differ are known by their host; every other one gets the common form.
fn dialect(wire: Wire, base: &Url, model: &str) -> Dialect {
    let mut dialect = match (wire, base.host_str()) {
        // Azure's newer address names the interface's version and takes the model in the request.
        (Wire::Azure, _) if !base.path().trim_end_matches('/').ends_with("/openai/v1") => AZURE,
        (_, Some("api.openai.com")) => OPENAI,
        (_, Some("openrouter.ai")) => OPENROUTER,
        (_, Some("api.deepseek.com")) => DEEPSEEK,
        _ => Dialect::gateway(GATEWAY, "", ""),
    };
    // DeepSeek's models demand their reasoning back behind every gateway, be it empty. R1 refused it.
    let model = model.to_ascii_lowercase();
    if model.contains("deepseek") && !model.contains("r1") {
        dialect.quirks.reasoning_field = Some("reasoning_content");
    }
    dialect
}
