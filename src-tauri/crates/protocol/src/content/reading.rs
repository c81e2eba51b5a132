//! Reading what a tool returned. Text, pictures and sounds can be as large as an answer may be, so their members are
//! taken from the document as it stands; everything else is small and read in the usual way.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{CallToolResult, ContentAnnotations, ContentBlock, MAX_CONTENT_BLOCKS};
use crate::lenient;
use crate::text::text_of;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentMembers<'a> {
    #[serde(borrow, default)]
    content: Option<Blocks<'a>>,
    #[serde(default, deserialize_with = "lenient::present")]
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(default)]
    result_type: Option<String>,
}

impl CallToolResult {
    /// Reads what a call came to.
    ///
    /// # Errors
    /// When it is no such result, is of a kind this app does not know, or holds too many blocks.
    pub fn read(result: &RawValue) -> Result<Self, serde_json::Error> {
        let members: ContentMembers<'_> = serde_json::from_str(result.get())?;
        if members.result_type.is_some_and(|kind| kind != "complete") {
            return Err(serde_json::Error::custom(
                "a kind of result this app does not know",
            ));
        }
        if members.content.is_none() && members.structured_content.is_none() {
            return Err(serde_json::Error::custom(
                "neither content nor structured content",
            ));
        }
        let blocks = members.content.map(|blocks| blocks.0).unwrap_or_default();
        Ok(Self {
            content: blocks
                .into_iter()
                .map(|block| block.read())
                .collect::<Result<_, _>>()?,
            structured_content: members.structured_content,
            is_error: members.is_error.unwrap_or(false),
        })
    }
}

struct Blocks<'a>(Vec<Block<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Blocks<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient::at_most(deserializer, MAX_CONTENT_BLOCKS).map(Self)
    }
}

/// A block, its members not yet read.
enum Block<'a> {
    Members(Vec<(Cow<'a, str>, &'a RawValue)>),
    /// Something that is no object.
    Other(Value),
}

impl Block<'_> {
    fn read(self) -> Result<ContentBlock, serde_json::Error> {
        let members = match self {
            Self::Members(members) => members,
            Self::Other(value) => return Ok(ContentBlock::Unknown(value)),
        };
        if let Some(block) = large(&members) {
            return Ok(block);
        }
        let mut object = Map::new();
        let mut twice = false;
        for (name, raw) in members {
            let value = serde_json::from_str(raw.get())?;
            twice |= object.insert(name.into_owned(), value).is_some();
        }
        let value = Value::Object(object);
        match twice {
            // Which of two members counts is not ours to guess.
            true => Ok(ContentBlock::Unknown(value)),
            false => serde_json::from_value(value),
        }
    }
}

/// A block of one of the kinds that can be large; `None` when it is another, or not as such a block should be.
fn large(members: &[(Cow<'_, str>, &RawValue)]) -> Option<ContentBlock> {
    let raw = |name: &str| {
        let mut found = members.iter().filter(|member| member.0 == name);
        let first = found.next().map(|member| member.1.get());
        // Which of two members counts is not ours to guess.
        if found.next().is_none() { Some(first) } else { None }
    };
    let text = |name: &str| text_of(raw(name)??);
    let annotations: Option<ContentAnnotations> =
        raw("annotations")?.and_then(|raw| serde_json::from_str(raw).unwrap_or_default());
    let block = match raw("type")?? {
        r#""text""# => ContentBlock::Text {
            text: text("text")?,
            annotations,
        },
        r#""image""# => ContentBlock::Image {
            data: text("data")?,
            mime_type: text("mimeType")?,
            annotations,
        },
        r#""audio""# => ContentBlock::Audio {
            data: text("data")?,
            mime_type: text("mimeType")?,
            annotations,
        },
        _ => return None,
    };
    Some(block)
}

impl<'de: 'a, 'a> Deserialize<'de> for Block<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyBlock(PhantomData))
    }
}

struct AnyBlock<'a>(PhantomData<&'a ()>);

/// A name as it stands in the document, if it can.
#[derive(Deserialize)]
struct ContentName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Visitor<'de> for AnyBlock<'a> {
    type Value = Block<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block of content")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(2);
        while let Some((name, raw)) = map.next_entry::<ContentName<'de>, &'de RawValue>()? {
            members.push((name.0, raw));
        }
        Ok(Block::Members(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(list)).map(Block::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Block::Other(text.into()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Block::Other(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Block::Other(Value::Null))
    }
}
