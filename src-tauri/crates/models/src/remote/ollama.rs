//! What Ollama says of a model, and the context length it is asked to use.
//!
//! Without a length Ollama reads a few thousand tokens and drops the rest without a word. Its own interface
//! takes the length with each request; its Chat Completions does not.

use rig_core::completion::CompletionRequest;
use rig_core::http_client::{HttpClientExt, Request};
use rig_core::providers::ollama::extension::OllamaOptions;
use serde_json::{Value, json};

use super::{RemoteModel, failure};
use crate::egress::ModelEgress;
use crate::facts::context_length;
use crate::{KnownFacts, ModelError, ModelFacts};

/// The context length used where the user set none: room for a chat with tools that ordinary computers can hold.
const USUAL_CONTEXT: u32 = 16 * 1024;

/// What `/api/show` tells of the model, with the length limited to what the user set.
pub(super) async fn facts(
    egress: &ModelEgress,
    root: &str,
    limit: Option<u32>,
) -> Result<ModelFacts, ModelError> {
    let shown = show(egress, root).await?;
    Ok(ModelFacts {
        context: Some(ollama_context(context_of(&shown), limit)),
        images: capabilities(&shown).any(|capability| capability == "vision"),
    })
}

/// How many tokens an Ollama model is made to read. `able` is what it can, as far as that is known; `limit` is what the
/// user set.
#[must_use]
pub fn ollama_context(able: Option<u32>, limit: Option<u32>) -> u32 {
    let wanted = limit.unwrap_or(USUAL_CONTEXT);
    able.map_or(wanted, |able| able.min(wanted))
}

/// What `/api/show` tells of the model itself.
pub(crate) async fn reported(model: &RemoteModel) -> Result<KnownFacts, ModelError> {
    let shown = show(model.egress(), &model.root()).await?;
    let listed: Option<Vec<&str>> = shown.get("capabilities").map(|_| capabilities(&shown).collect());
    let can = |capability| listed.as_ref().map(|listed| listed.contains(&capability));
    Ok(KnownFacts {
        context: context_of(&shown),
        tools: can("tools"),
        images: can("vision"),
        thinking: can("thinking"),
        ..KnownFacts::default()
    })
}

async fn show(egress: &ModelEgress, root: &str) -> Result<Value, ModelError> {
    let body = json!({ "model": egress.model() }).to_string();
    let request = Request::post(format!("{root}/api/show"))
        .header("content-type", "application/json")
        .body(body)
        .map_err(|error| ModelError::Unsendable {
            detail: error.to_string(),
        })?;
    let answer = async { egress.send::<_, bytes::Bytes>(request).await?.into_body().await };
    let answer = answer.await.map_err(|error| failure::carried(egress, &error))?;
    Ok(serde_json::from_slice(&answer).unwrap_or(Value::Null))
}

/// The request with the context length.
pub(super) fn with_context(request: CompletionRequest, context: Option<u32>) -> CompletionRequest {
    match context {
        Some(tokens) => request.provider_option(OllamaOptions::default().num_ctx(tokens)),
        None => request,
    }
}

/// The member is named after the model's architecture: `llama.context_length`.
fn context_of(shown: &Value) -> Option<u32> {
    let about = shown.get("model_info")?.as_object()?;
    let length = about
        .iter()
        .find(|(name, _)| name.ends_with(".context_length"))?
        .1;
    context_length(length)
}

fn capabilities(shown: &Value) -> impl Iterator<Item = &str> {
    let listed = shown.get("capabilities").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str)
}
