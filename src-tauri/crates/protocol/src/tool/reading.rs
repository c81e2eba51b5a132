//! Going through a definition once: what is shown is taken out, of a schema only what it is for, and the rest is only
//! checked to be readable, so that the whole can be read later. A scanner does it; where it cannot be certain that a tree can
//! be made of the definition, serde_json goes through it again and decides.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{BrokenTool, ToolAnnotations};
use crate::json::{ScanError, Scanner};
use crate::mcp::Icon;

/// The members of a definition that are read. Of a name that comes twice the last counts, as in a tree.
#[derive(Default)]
pub(super) struct ToolMembers {
    pub(super) name: Option<String>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) annotations: ToolAnnotations,
    pub(super) icons: Vec<Icon>,
    pub(super) input_schema: SchemaShape,
    pub(super) output_schema: SchemaShape,
}

/// What a schema is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SchemaShape {
    #[default]
    Absent,
    ForObject,
    ForAnything,
    NoSchema,
}

impl SchemaShape {
    pub(super) fn check(self, member: &str) -> Result<Self, BrokenTool> {
        match self {
            Self::NoSchema => Err(BrokenTool(format!("its \"{member}\" is not a schema object"))),
            shape => Ok(shape),
        }
    }
}

impl ToolMembers {
    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, ScanError> {
        let mut members = Self::default();
        scanner.object::<ScanError>(|scanner, name| {
            match &*name {
                "name" => members.name = scan_text(scanner)?,
                "title" => members.title = scan_text(scanner)?,
                "description" => members.description = scan_text(scanner)?,
                "inputSchema" => members.input_schema = scan_shape(scanner)?,
                "outputSchema" => members.output_schema = scan_shape(scanner)?,
                "annotations" => members.annotations = scan_or_default(scanner)?,
                "icons" => members.icons = scan_or_default(scanner)?,
                _ => drop(scanner.value()?),
            }
            Ok(())
        })?;
        Ok(members)
    }
}

fn scan_text(scanner: &mut Scanner<'_>) -> Result<Option<String>, ScanError> {
    Ok(scanner.text()?.map(Cow::into_owned))
}

fn scan_or_default<T: DeserializeOwned + Default>(scanner: &mut Scanner<'_>) -> Result<T, ScanError> {
    let value = scanner.value()?;
    // Of a member that comes twice the last counts, which a tree knows.
    Ok(value
        .read()
        .or_else(|_| value.read().map(or_default))
        .unwrap_or_default())
}

fn scan_shape(scanner: &mut Scanner<'_>) -> Result<SchemaShape, ScanError> {
    if scanner.peek() != Some(b'{') {
        return Ok(match scanner.value()?.is_null() {
            true => SchemaShape::Absent,
            false => SchemaShape::NoSchema,
        });
    }
    let mut shape = SchemaShape::ForObject;
    scanner.object::<ScanError>(|scanner, name| {
        if name != "type" {
            return scanner.value().map(drop);
        }
        shape = match scanner.text()?.as_deref() {
            Some("object") => SchemaShape::ForObject,
            _ => SchemaShape::ForAnything,
        };
        Ok(())
    })?;
    Ok(shape)
}

impl<'de> Deserialize<'de> for ToolMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfDefinition)
    }
}

struct OfDefinition;

impl<'de> Visitor<'de> for OfDefinition {
    type Value = ToolMembers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a definition")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolMembers, A::Error> {
        let mut members = ToolMembers::default();
        while let Some(MemberName(name)) = map.next_key()? {
            match &*name {
                "name" => members.name = map.next_value::<SeenValue<'_>>()?.text(),
                "title" => members.title = map.next_value::<SeenValue<'_>>()?.text(),
                "description" => members.description = map.next_value::<SeenValue<'_>>()?.text(),
                "inputSchema" => members.input_schema = map.next_value::<SeenValue<'_>>()?.shape(),
                "outputSchema" => members.output_schema = map.next_value::<SeenValue<'_>>()?.shape(),
                "annotations" => members.annotations = or_default(map.next_value()?),
                "icons" => members.icons = or_default(map.next_value()?),
                _ => drop(map.next_value::<SeenValue<'_>>()?),
            }
        }
        Ok(members)
    }
}

fn or_default<T: DeserializeOwned + Default>(value: Value) -> T {
    T::deserialize(value).unwrap_or_default()
}

/// A name as it stands in the text, if it can.
#[derive(Deserialize)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

/// A value that was gone through.
enum SeenValue<'a> {
    Text(Cow<'a, str>),
    Null,
    Object { kind: SchemaType },
    Other,
}

/// The `type` of an object that may be a schema.
enum SchemaType {
    Unsaid,
    Object,
    Other,
}

impl SeenValue<'_> {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }

    fn shape(self) -> SchemaShape {
        match self {
            Self::Null => SchemaShape::Absent,
            Self::Object {
                kind: SchemaType::Unsaid | SchemaType::Object,
            } => SchemaShape::ForObject,
            Self::Object { .. } => SchemaShape::ForAnything,
            Self::Text(_) | Self::Other => SchemaShape::NoSchema,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SeenValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(Through)
            .map(|seen: SeenValue<'de>| seen)
    }
}

struct Through;

impl<'de> Visitor<'de> for Through {
    type Value = SeenValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SeenValue<'de>, A::Error> {
        let mut kind = SchemaType::Unsaid;
        while let Some(MemberName(name)) = map.next_key()? {
            let seen: SeenValue<'de> = map.next_value()?;
            if name == "type" {
                kind = match seen {
                    SeenValue::Text(text) if text == "object" => SchemaType::Object,
                    _ => SchemaType::Other,
                };
            }
        }
        Ok(SeenValue::Object { kind })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SeenValue<'de>, A::Error> {
        while list.next_element::<SeenValue<'de>>()?.is_some() {}
        Ok(SeenValue::Other)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<SeenValue<'de>, E> {
        Ok(SeenValue::Other)
    }
}
