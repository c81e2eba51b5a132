//! What the known local servers say of their models beside the common list: LM Studio in its own list, llama.cpp of the
//! one model it has loaded. Both are asked only at addresses of this computer or the user's own network.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::{ListedModel, get, read_page};
use crate::KnownFacts;
use crate::egress::{ModelEgress, ModelLimits};
use crate::facts::context_length;

/// How patient one look at a server is that has just been started.
const LOOK: ModelLimits = ModelLimits {
    connect: Duration::from_secs(1),
    first_byte: Duration::from_secs(5),
    idle: Duration::from_secs(1),
    total: Duration::from_secs(6),
    line: 64 * 1024,
    reply: 64 * 1024,
    ..ModelLimits::DEFAULT
};

/// Whether llama.cpp's server at this address answers and has loaded its model. It says so without a key.
pub(super) async fn is_loaded(egress: &ModelEgress, root: &str) -> bool {
    let egress = egress.clone().with_answer_limits(LOOK);
    let root = root.strip_suffix("/v1").unwrap_or(root);
    get(&egress, &format!("{root}/health")).await.is_ok()
}

/// Adds what the server says in its own way. One that does not know the question changes nothing.
pub(super) async fn complete(egress: &ModelEgress, root: &str, models: &mut [ListedModel]) {
    if models.is_empty() || models.iter().any(|model| model.facts.tools.is_some()) {
        return;
    }
    let root = root.strip_suffix("/v1").unwrap_or(root);
    if let Ok(body) = get(egress, &format!("{root}/api/v0/models")).await {
        let own = own_list(&body);
        for model in models.iter_mut() {
            let said = own.get(&model.name).copied().unwrap_or_default();
            model.facts = said.or(model.facts);
        }
    } else if let ([model], Ok(body)) = (models, get(egress, &format!("{root}/props")).await) {
        model.facts = props(&body).or(model.facts);
    }
}

fn own_list(body: &[u8]) -> HashMap<String, KnownFacts> {
    let Ok(page) = read_page(body) else {
        return HashMap::new();
    };
    let entries = page.data.unwrap_or_default().into_iter().take(super::MOST_MODELS);
    let read = |entry: &serde_json::value::RawValue| {
        let entry: Value = serde_json::from_str(entry.get()).ok()?;
        Some((
            super::entry::name(&entry)?.to_owned(),
            super::entry::facts(&entry),
        ))
    };
    let short = entries.filter(|entry| entry.get().len() <= super::LONGEST_ENTRY);
    short.filter_map(read).collect()
}

/// What llama.cpp says of its model.
fn props(body: &[u8]) -> KnownFacts {
    let said: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let known = |place: &str| said.pointer(place).and_then(Value::as_bool);
    KnownFacts {
        context: said
            .pointer("/default_generation_settings/n_ctx")
            .and_then(context_length),
        tools: known("/chat_template_caps/supports_tool_calls")
            .or_else(|| known("/chat_template_caps/supports_tools")),
        images: known("/modalities/vision"),
        ..KnownFacts::default()
    }
}
