//! What one entry of a listing says, in any of the shapes that vendors and local servers use.

use serde_json::Value;

use crate::KnownFacts;
use crate::facts::{context_length, price};

/// Where a context length stands, the one in use before the one the model could have.
const CONTEXTS: [&str; 11] = [
    "/loaded_context_length",
    "/meta/n_ctx",
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/inputTokenLimit",
    "/max_input_tokens",
    "/top_provider/context_length",
    "/limit/context",
    "/meta/n_ctx_train",
];

/// The name to ask for the model by.
pub(super) fn name(entry: &Value) -> Option<&str> {
    let named = ["id", "model", "name"]
        .iter()
        .find_map(|member| entry.get(member)?.as_str());
    let name = named.or_else(|| entry.as_str())?.trim();
    Some(name.strip_prefix("models/").unwrap_or(name))
}

/// Whether the entry says of itself that one cannot chat with it.
pub(super) fn is_no_chat_model(entry: &Value) -> bool {
    let methods = entry.get("supportedGenerationMethods").and_then(Value::as_array);
    let kind = entry.get("type").and_then(Value::as_str);
    methods.is_some_and(|methods| !methods.iter().any(|method| method == "generateContent"))
        || matches!(kind, Some("embeddings" | "embedding" | "rerank"))
        || entry.pointer("/capabilities/completion_chat") == Some(&Value::Bool(false))
}

pub(super) fn facts(entry: &Value) -> KnownFacts {
    let context = CONTEXTS
        .iter()
        .find_map(|place| entry.pointer(place).and_then(context_length));
    KnownFacts {
        context,
        tools: capability(entry, &["tools", "tool_use", "function_calling"]),
        images: sees(entry).or_else(|| capability(entry, &["vision", "image", "image_input"])),
        thinking: capability(entry, &["thinking", "reasoning", "include_reasoning"])
            .or_else(|| entry.get("thinking")?.as_bool()),
        price_in: priced(entry, "prompt"),
        price_out: priced(entry, "completion"),
        price_cached: priced(entry, "input_cache_read"),
        price_cache_write: priced(entry, "input_cache_write"),
    }
}

/// LM Studio says by the kind of a model that it sees.
fn sees(entry: &Value) -> Option<bool> {
    (entry.get("type")?.as_str()? == "vlm").then_some(true)
}

/// What the entry says of a capability: a list that names it or does not, or a switch of its own.
fn capability(entry: &Value, names: &[&str]) -> Option<bool> {
    let lists = [
        "/supported_parameters",
        "/architecture/input_modalities",
        "/capabilities",
    ];
    let lists: Vec<_> = lists
        .iter()
        .filter_map(|place| entry.pointer(place)?.as_array())
        .collect();
    let named = |list: &&Vec<Value>| {
        let mut items = list.iter().filter_map(Value::as_str);
        items.any(|item| names.contains(&item))
    };
    if lists.iter().any(named) {
        return Some(true);
    }
    let switches = entry.get("capabilities").and_then(Value::as_object);
    let switch = switches.and_then(|switches| names.iter().find_map(|name| switches.get(*name)));
    let switch = switch.and_then(|switch| switch.as_bool().or_else(|| switch.get("supported")?.as_bool()));
    switch.or((!lists.is_empty()).then_some(false))
}

/// OpenRouter gives dollars for one token, as text.
fn priced(entry: &Value, what: &str) -> Option<u32> {
    let given = entry.get("pricing")?.get(what)?;
    let dollars = given.as_f64().or_else(|| given.as_str()?.trim().parse().ok())?;
    price(dollars * 1_000_000.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_servers_way_to_say_it_is_understood() {
        let cases = [
            (
                json!({ "id": "a/b", "context_length": 131_072, "architecture": { "input_modalities": ["text", "image"] },
                        "supported_parameters": ["tools", "reasoning"],
                        "pricing": { "prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003",
                                     "input_cache_write": "0.00000375" } }),
                KnownFacts {
                    context: Some(131_072),
                    tools: Some(true),
                    images: Some(true),
                    thinking: Some(true),
                    price_in: Some(3_000_000),
                    price_out: Some(15_000_000),
                    price_cached: Some(300_000),
                    price_cache_write: Some(3_750_000),
                },
            ),
            (
                json!({ "id": "qwen", "type": "vlm", "max_context_length": 32_768, "loaded_context_length": 4096,
                        "capabilities": ["tool_use"] }),
                KnownFacts {
                    context: Some(4096),
                    tools: Some(true),
                    images: Some(true),
                    thinking: Some(false),
                    ..KnownFacts::default()
                },
            ),
            (
                json!({ "id": "mistral", "max_context_length": 1000,
                        "capabilities": { "function_calling": true, "vision": false, "completion_chat": true } }),
                KnownFacts {
                    context: Some(1000),
                    tools: Some(true),
                    images: Some(false),
                    ..KnownFacts::default()
                },
            ),
            (
                json!({ "name": "models/gemini", "inputTokenLimit": 1_048_576, "thinking": true }),
                KnownFacts {
                    context: Some(1_048_576),
                    thinking: Some(true),
                    ..KnownFacts::default()
                },
            ),
            (json!({ "id": "plain" }), KnownFacts::default()),
        ];
        for (entry, expected) in cases {
            assert_eq!(facts(&entry), expected, "{entry}");
        }
    }

    #[test]
    fn a_lie_is_dropped() {
        let entry = json!({ "id": "x", "context_length": 1e18, "capabilities": "all",
                            "pricing": { "prompt": "-1", "completion": "1e300", "input_cache_read": "NaN" } });
        assert_eq!(facts(&entry), KnownFacts::default());
    }
}
