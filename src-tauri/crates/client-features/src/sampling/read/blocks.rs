//! The blocks of a message: each is what it says it is, and whole.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use vestibule_consent::SampleBlock;

use super::MOST_PARTS;

pub(super) fn block(content: &Map<String, Value>, outermost: bool) -> Result<SampleBlock, String> {
    let text = |name: &str| text_of(content, name);
    match content.get("type").and_then(Value::as_str) {
        Some("text") => Ok(SampleBlock::Text { text: text("text")? }),
        Some("image") => Ok(SampleBlock::Image {
            mime: media(text("mimeType")?, "image/")?,
            base64: bytes(text("data")?)?,
        }),
        Some("audio") => Ok(SampleBlock::Audio {
            mime: media(text("mimeType")?, "audio/")?,
            base64: bytes(text("data")?)?,
        }),
        Some("tool_use") if outermost => tool_use(content),
        Some("tool_result") if outermost => tool_result(content),
        Some(other) => Err(format!("Content of type {other} cannot be given to a model")),
        None => Err("A block has no type".into()),
    }
}

fn text_of(content: &Map<String, Value>, name: &str) -> Result<String, String> {
    let text = content.get(name).and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| format!("A block has no {name}"))
}

fn tool_use(content: &Map<String, Value>) -> Result<SampleBlock, String> {
    Ok(SampleBlock::ToolUse {
        id: text_of(content, "id")?,
        name: text_of(content, "name")?,
        input: content
            .get("input")
            .and_then(Value::as_object)
            .cloned()
            .ok_or("The input of a tool use is not an object")?,
    })
}

fn tool_result(content: &Map<String, Value>) -> Result<SampleBlock, String> {
    Ok(SampleBlock::ToolResult {
        id: text_of(content, "toolUseId")?,
        blocks: result_blocks(content.get("content"))?,
        structured: content
            .get("structuredContent")
            .cloned()
            .filter(|value| !value.is_null()),
        failed: content.get("isError") == Some(&Value::Bool(true)),
    })
}

fn result_blocks(content: Option<&Value>) -> Result<Vec<SampleBlock>, String> {
    let blocks = content.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if blocks.len() > MOST_PARTS {
        return Err(format!("A tool result has more than {MOST_PARTS} blocks"));
    }
    let read = |content: &Value| {
        let content = content.as_object().ok_or("A block is not an object")?;
        match content.get("type").and_then(Value::as_str) {
            // Links and embedded resources are sent as text.
            Some("resource_link" | "resource") => Ok(SampleBlock::Text {
                text: Value::Object(content.clone()).to_string(),
            }),
            _ => block(content, false),
        }
    };
    blocks.iter().map(read).collect()
}

/// A picture or sound is what it says and whole.
fn media(mime: String, family: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/+.-".contains(c);
    if mime.starts_with(family) && mime.len() <= 100 && mime.chars().all(plain) {
        Ok(mime)
    } else {
        Err(format!("{} is not a type of {family}*", mime.escape_debug()))
    }
}

fn bytes(data: String) -> Result<String, String> {
    match STANDARD.decode(&data) {
        Ok(bytes) if !bytes.is_empty() => Ok(data),
        Ok(_) => Err("An image or sound is empty".into()),
        Err(error) => Err(format!("An image or sound is not base64: {error}")),
    }
}
