//! The pieces of a message for a model or from one. In contrast to what a tool returns, a piece of unknown kind
//! is refused: it can not be shown to a person or put before a model as what it is.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::fmt;

use crate::content::{ContentAnnotations, ContentBlock, MAX_CONTENT_BLOCKS};
use crate::lenient;

/// One piece. All of it is the server's, or for the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SamplingContent {
    /// Plain text.
    Text {
        /// The text.
        text: String,
        /// For whom, how important, how old.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        annotations: Option<ContentAnnotations>,
    },
    /// A picture.
    Image {
        /// Base64.
        data: String,
        /// What it claims to be.
        mime_type: String,
    },
    /// A sound.
    Audio {
        /// Base64.
        data: String,
        /// What it claims to be.
        mime_type: String,
    },
    /// The model wants a tool of the server used.
    ToolUse {
        /// The model's name for this use.
        id: String,
        /// Which tool.
        name: String,
        /// The arguments.
        input: Map<String, Value>,
        /// Attached by whoever wrote it; goes back unchanged. SA-028.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Map<String, Value>>,
    },
    /// What came of it.
    ToolResult {
        /// Which use this is of.
        tool_use_id: String,
        /// What the tool returned.
        #[serde(deserialize_with = "few_blocks")]
        content: Vec<ContentBlock>,
        /// The same as a value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured_content: Option<Value>,
        /// It went wrong.
        #[serde(default)]
        is_error: bool,
        /// Attached by whoever wrote it; goes back unchanged. SA-028.
        #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
        meta: Option<Map<String, Value>>,
    },
}

impl SamplingContent {
    /// Plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            annotations: None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_about_tools(&self) -> bool {
        matches!(self, Self::ToolUse { .. } | Self::ToolResult { .. })
    }
}

fn few_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    lenient::at_most(deserializer, MAX_CONTENT_BLOCKS)
}

/// Content as one block (every revision) or a list (from 2025-11-25 on).
pub(super) fn one_or_more<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<SamplingContent>, D::Error> {
    struct Blocks;
    impl<'de> Visitor<'de> for Blocks {
        type Value = Vec<SamplingContent>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a block of content or a list of them")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            SamplingContent::deserialize(MapAccessDeserializer::new(map)).map(|block| vec![block])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut blocks = Vec::new();
            while let Some(block) = list.next_element()? {
                if blocks.len() == MAX_CONTENT_BLOCKS {
                    return Err(A::Error::custom("too many blocks of content"));
                }
                blocks.push(block);
            }
            Ok(blocks)
        }
    }
    deserializer.deserialize_any(Blocks)
}
