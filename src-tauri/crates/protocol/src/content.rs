//! Content that a server sends: the result of a tool call, and the blocks that results, prompts and resources consist
//! of. A block of an unknown kind, or of a known kind with wrong members, is kept whole, so that the user still sees
//! that it came.

mod reading;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lenient;
use crate::mcp::Icon;

/// The most content blocks one result may hold.
pub const MAX_CONTENT_BLOCKS: usize = 4096;

/// One piece of content. All text in it is the server's and untrusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ContentBlock {
    Text {
        text: String,
        /// For whom, how important, how old.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        annotations: Option<ContentAnnotations>,
    },
    Image {
        data: String,
        /// What it claims to be, such as `image/png`.
        mime_type: String,
        /// For whom, how important, how old.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        annotations: Option<ContentAnnotations>,
    },
    Audio {
        data: String,
        /// What it claims to be, such as `audio/wav`.
        mime_type: String,
        /// For whom, how important, how old.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        annotations: Option<ContentAnnotations>,
    },
    /// The address of a resource of the same server. Reading it is a decision of its own.
    ResourceLink(ResourceLink),
    #[serde(rename = "resource")]
    EmbeddedResource {
        /// Its address and contents.
        resource: ResourceContents,
        /// For whom, how important, how old.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        annotations: Option<ContentAnnotations>,
    },
    /// Something else, as it came.
    #[serde(untagged)]
    #[ts(untagged)]
    Unknown(Value),
}

/// The address of a resource, with what the server says about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    pub uri: String,
    /// The server's name for it.
    pub name: String,
    /// A name for people.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub title: Option<String>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    /// What it claims to hold.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// Its claimed size in bytes.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub size: Option<u64>,
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub icons: Vec<Icon>,
    /// For whom, how important, how old.
    #[serde(
        default,
        deserialize_with = "lenient::or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub annotations: Option<ContentAnnotations>,
}

/// The contents of a resource: text or bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ResourceContents {
    Text {
        uri: String,
        /// What it claims to be.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        mime_type: Option<String>,
        text: String,
    },
    Blob {
        uri: String,
        /// What it claims to be.
        #[serde(
            default,
            deserialize_with = "lenient::or_default",
            skip_serializing_if = "Option::is_none"
        )]
        mime_type: Option<String>,
        blob: String,
    },
}

/// Hints about a piece of content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ContentAnnotations {
    /// `user`, `assistant`, or both; empty when not said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<String>,
    /// From 0 (optional) to 1 (needed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it last changed, as the server wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// What a tool call came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// The content, in the server's order.
    pub content: Vec<ContentBlock>,
    /// The structured result; `Some(Null)` when the server sent `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// The tool ran and failed: something for the model to read and correct.
    pub is_error: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::RawJsonBuf;
    use serde_json::value::RawValue;

    /// TL-016, TL-017, TL-024.
    #[test]
    fn every_kind_of_content_reads_and_writes_back() {
        let blocks = json!([
            {"type": "text", "text": "a", "annotations": {"audience": ["user"], "priority": 0.5}},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "x://y", "name": "y", "size": 3},
            {"type": "resource", "resource": {"uri": "x://t", "mimeType": "text/plain", "text": "t"}},
            {"type": "resource", "resource": {"uri": "x://b", "blob": "AA=="}},
            {"type": "hologram", "depth": 3},
            {"type": "text", "words": "no text"}
        ]);
        let read: Vec<ContentBlock> = serde_json::from_value(blocks.clone()).unwrap();
        assert!(matches!(read[3], ContentBlock::ResourceLink(_)));
        assert!(matches!(read[6], ContentBlock::Unknown(_)));
        assert!(matches!(read[7], ContentBlock::Unknown(_)));
        assert_eq!(serde_json::to_value(&read).unwrap(), blocks);
    }

    /// TL-018, BASE-013, BASE-014, BASE-015.
    #[test]
    fn a_result_keeps_null_apart_from_absent_and_refuses_kinds_it_does_not_know() {
        let read = |value: Value| CallToolResult::read(RawJsonBuf::write(&value).unwrap().as_raw());
        assert_eq!(read(json!({"content": []})).unwrap().structured_content, None);
        let null = read(json!({"structuredContent": null, "resultType": "complete", "x": 1})).unwrap();
        assert_eq!(null.structured_content, Some(Value::Null));
        assert!(read(json!({"content": [], "isError": true})).unwrap().is_error);
        assert!(read(json!({"content": [], "resultType": "task"})).is_err());
        assert!(read(json!({})).is_err());
        assert!(read(json!({"content": "text"})).is_err());
        let many = vec![json!({"type": "text", "text": ""}); MAX_CONTENT_BLOCKS + 1];
        assert!(read(json!({"content": many})).is_err());
    }

    /// TL-016: a program that cuts a text between the two halves of a character sends one of them.
    #[test]
    fn half_of_a_character_costs_that_character_only() {
        let read = |result: &str| {
            let raw: &RawValue = serde_json::from_str(result).unwrap();
            CallToolResult::read(raw.into()).unwrap()
        };
        let text = |text: &str| ContentBlock::Text {
            text: text.to_owned(),
            annotations: None,
        };
        for (block, expected) in [
            (
                r#"{"type":"text","note":"\ud800","text":"a\nb","more":["\udc00",1e999]}"#,
                "a\nb",
            ),
            (r#"{"text":"\u5929\ud83c\udf27","type":"text"}"#, "天🌧"),
            (r#"{"text":"cut \ud83d","type":"text"}"#, "cut \u{fffd}"),
            (
                r#"{"text":"\ud83d\ud83c\udf27\udf27\\ud83d","type":"text"}"#,
                "\u{fffd}🌧\u{fffd}\\ud83d",
            ),
        ] {
            let result = read(&format!(
                r#"{{"content":[{{"type":"text","text":"before"}},{block}]}}"#
            ));
            assert_eq!(result.content, [text("before"), text(expected)], "{block}");
        }
        let structured = read(r#"{"structuredContent":{"a":["\udc00"],"b":1}}"#);
        let expected = json!({"a": ["\u{fffd}"], "b": 1});
        assert_eq!(structured.structured_content, Some(expected));
    }
}
