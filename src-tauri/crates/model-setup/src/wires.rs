//! The wires as windows, the database and the models crate name them.

use vestibule_app_protocol::ModelWire;
use vestibule_models::Wire;
use vestibule_store::ConnectionRecord;

/// How a stored connection is spoken to.
pub fn wire_of(record: &ConnectionRecord) -> Wire {
    // Before there was a choice, every model was one of these.
    Wire::named(&record.wire).unwrap_or(Wire::ChatCompletions)
}

/// A wire as windows name it.
pub fn wire_view(wire: Wire) -> ModelWire {
    match wire {
        Wire::ChatCompletions => ModelWire::ChatCompletions,
        Wire::Responses => ModelWire::Responses,
        Wire::Anthropic => ModelWire::Anthropic,
        Wire::Gemini => ModelWire::Gemini,
        Wire::Ollama => ModelWire::Ollama,
        Wire::Azure => ModelWire::Azure,
    }
}

/// The wire a window named.
pub fn chosen_wire(wire: ModelWire) -> Wire {
    match wire {
        ModelWire::ChatCompletions => Wire::ChatCompletions,
        ModelWire::Responses => Wire::Responses,
        ModelWire::Anthropic => Wire::Anthropic,
        ModelWire::Gemini => Wire::Gemini,
        ModelWire::Ollama => Wire::Ollama,
        ModelWire::Azure => Wire::Azure,
    }
}
