//! A reply in its vendor's own form, to be sent back to the model it came from.
//!
//! Vendors sign or encrypt what a model thought and refuse a later request in which that is missing or altered. The
//! form is opaque here: it is kept, handed back whole and never shown, not even in a log.

use std::collections::HashMap;

use rig_core::message::{AssistantContent, AssistantMessage, CallId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A whole reply as its vendor wrote it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct NativeReply {
    /// Our ids of its calls, in order.
    calls: Vec<String>,
    message: AssistantMessage,
}

impl NativeReply {
    /// The reply `message` with `calls` as our ids of its calls; `None` where nothing in it is the vendor's own, or
    /// where the two do not belong together.
    pub(crate) fn new(calls: Vec<String>, message: AssistantMessage) -> Option<Self> {
        let failed = message.stop.as_ref().is_some_and(|stop| stop.is_failure());
        let fits = message.tool_calls().count() == calls.len();
        let own = message.content.iter().any(|block| match block {
            AssistantContent::Opaque(_) => true,
            block => block.native_item().is_some(),
        });
        (own && fits && !failed).then_some(Self { calls, message })
    }

    /// As JSON, to be stored.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// A stored reply; `None` where this version cannot read it, which costs the model its thoughts and nothing else.
    #[must_use]
    pub fn from_json(stored: Value) -> Option<Self> {
        serde_json::from_value(stored).ok()
    }

    /// The vendor's identity of each call, by ours.
    pub(crate) fn call_ids(&self) -> HashMap<String, CallId> {
        let ids = self.message.tool_calls().map(|call| call.id.clone());
        self.calls.iter().cloned().zip(ids).collect()
    }

    pub(crate) fn into_message(self) -> AssistantMessage {
        self.message
    }
}

impl std::fmt::Debug for NativeReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NativeReply({} calls, content withheld)", self.calls.len())
    }
}
