//! The fields of a form. Only the kinds the protocol names are read; a keyword that would make a field mean
//! more than it shows refuses the form. A default that does not fit its field counts as none.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::sampling::BrokenRequest;

/// The most fields of one form.
const MAX_FIELDS: usize = 128;
/// The most entries to choose from in one field.
const MAX_OPTIONS: usize = 1024;
/// The longest name, title or entry, in bytes.
const MAX_NAME_BYTES: usize = 1024;
/// The longest description, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 16 * 1024;
/// Keywords that make a schema more than a flat list of simple fields.
const STRUCTURE: [&str; 14] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "dependentSchemas",
    "dependentRequired",
    "propertyNames",
    "prefixItems",
    "contains",
    "const",
];

/// One field. All texts are the server's.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct FormField {
    /// Under which name the answer goes back.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What to fill in.
    pub description: Option<String>,
    /// It has to be filled in.
    pub required: bool,
    /// What can be filled in.
    pub kind: FieldKind,
}

/// What can be filled in.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FieldKind {
    /// Text.
    Text {
        /// The fewest characters.
        min_length: Option<u32>,
        /// The most characters.
        max_length: Option<u32>,
        /// A regular expression of the server's.
        pattern: Option<String>,
        /// What the text has to be.
        format: Option<TextFormat>,
        /// Filled in already.
        default: Option<String>,
    },
    /// A number.
    Number {
        /// Without fraction.
        whole: bool,
        /// The smallest.
        minimum: Option<f64>,
        /// The largest.
        maximum: Option<f64>,
        /// Filled in already.
        default: Option<f64>,
    },
    /// Yes or no.
    Truth {
        /// Chosen already.
        default: Option<bool>,
    },
    /// One of several.
    Choice {
        /// What there is.
        options: Vec<FormOption>,
        /// Chosen already.
        default: Option<String>,
    },
    /// Some of several.
    Choices {
        /// What there is.
        options: Vec<FormOption>,
        /// The fewest.
        min_items: Option<u32>,
        /// The most.
        max_items: Option<u32>,
        /// Chosen already.
        default: Vec<String>,
    },
}

/// One entry to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct FormOption {
    /// What goes back.
    pub value: String,
    /// What is shown; the value when the server names nothing else.
    pub label: String,
}

/// What a text has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "kebab-case")]
pub enum TextFormat {
    /// An address for letters.
    Email,
    /// An address of any kind.
    Uri,
    /// A day.
    Date,
    /// A moment.
    DateTime,
}

#[derive(Deserialize)]
struct Schema<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    properties: Properties<'a>,
    #[serde(default)]
    required: Vec<String>,
}

struct Properties<'a>(Vec<(String, &'a RawValue)>);

/// The fields a schema asks for, in its order.
pub(super) fn read(schema: &RawValue) -> Result<Vec<FormField>, BrokenRequest> {
    let keywords: Map<String, Value> = parse(schema)?;
    refuse_structure(&keywords)?;
    if ["anyOf", "oneOf", "items"]
        .iter()
        .any(|keyword| keywords.contains_key(*keyword))
    {
        return Err(BrokenRequest::new("the form is not a flat list of fields"));
    }
    let schema: Schema<'_> = parse(schema)?;
    if schema.kind != "object" {
        return Err(BrokenRequest::new("the form's schema is not for an object"));
    }
    let known = |name: &String| schema.properties.0.iter().any(|(other, _)| other == name);
    if !schema.required.iter().all(known) {
        return Err(BrokenRequest::new(
            "a field is required that the form does not have",
        ));
    }
    let read = |(name, property): &(String, &RawValue)| {
        let field = field(name, schema.required.contains(name), property);
        field.map_err(|error| BrokenRequest(format!("field {:?}: {error}", brief(name))))
    };
    schema.properties.0.iter().map(read).collect()
}

fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, BrokenRequest> {
    serde_json::from_str(raw.get()).map_err(|error| BrokenRequest(error.to_string()))
}

fn brief(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}

fn refuse_structure(keywords: &Map<String, Value>) -> Result<(), BrokenRequest> {
    match STRUCTURE.iter().find(|keyword| keywords.contains_key(**keyword)) {
        Some(keyword) => Err(BrokenRequest(format!("{keyword:?} has no place in a form"))),
        None => Ok(()),
    }
}

fn field(name: &str, required: bool, property: &RawValue) -> Result<FormField, BrokenRequest> {
    let keywords: Map<String, Value> = parse(property)?;
    refuse_structure(&keywords)?;
    let text = |keyword: &str, limit: usize| match keywords.get(keyword) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= limit => Ok(Some(text.clone())),
        Some(_) => Err(BrokenRequest(format!("{keyword:?} is not text or too long"))),
    };
    Ok(FormField {
        name: name.to_owned(),
        title: text("title", MAX_NAME_BYTES)?,
        description: text("description", MAX_DESCRIPTION_BYTES)?,
        required,
        kind: kind(&keywords)?,
    })
}

fn kind(keywords: &Map<String, Value>) -> Result<FieldKind, BrokenRequest> {
    let is_choice = ["enum", "oneOf"]
        .iter()
        .any(|keyword| keywords.contains_key(*keyword));
    let kind = keywords.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind != "string" && is_choice || keywords.contains_key("anyOf") || keywords.contains_key("properties")
    {
        return Err(BrokenRequest::new("not a simple field"));
    }
    match kind {
        "string" if is_choice => choice(keywords),
        "string" => text(keywords),
        "number" | "integer" => number(keywords, kind == "integer"),
        "boolean" => Ok(FieldKind::Truth {
            default: keywords.get("default").and_then(Value::as_bool),
        }),
        "array" => choices(keywords),
        _ => Err(BrokenRequest::new("not a simple field")),
    }
}

fn text(keywords: &Map<String, Value>) -> Result<FieldKind, BrokenRequest> {
    let pattern = keywords.get("pattern").and_then(Value::as_str);
    if pattern.is_some_and(|pattern| pattern.len() > MAX_NAME_BYTES) {
        return Err(BrokenRequest::new("its pattern is too long"));
    }
    let format = keywords.get("format").cloned();
    Ok(FieldKind::Text {
        min_length: count(keywords, "minLength")?,
        max_length: count(keywords, "maxLength")?,
        pattern: pattern.map(str::to_owned),
        // A format nobody knows is only a hint.
        format: format.and_then(|format| serde_json::from_value(format).ok()),
        default: keywords.get("default").and_then(Value::as_str).map(str::to_owned),
    })
}

fn number(keywords: &Map<String, Value>, whole: bool) -> Result<FieldKind, BrokenRequest> {
    let bound = |keyword: &str| match keywords.get(keyword) {
        None => Ok(None),
        Some(value) => value
            .as_f64()
            .map(Some)
            .ok_or_else(|| BrokenRequest(format!("{keyword:?} is not a number"))),
    };
    let default = keywords.get("default").and_then(Value::as_f64);
    Ok(FieldKind::Number {
        whole,
        minimum: bound("minimum")?,
        maximum: bound("maximum")?,
        default: default.filter(|number| !whole || number.fract() == 0.0),
    })
}

fn choice(keywords: &Map<String, Value>) -> Result<FieldKind, BrokenRequest> {
    let options = match keywords.get("oneOf") {
        Some(titled) => titled_options(titled)?,
        None => plain_options(keywords)?,
    };
    let default = keywords.get("default").and_then(Value::as_str);
    let default = default.filter(|value| options.iter().any(|option| option.value == *value));
    Ok(FieldKind::Choice {
        default: default.map(str::to_owned),
        options,
    })
}

fn choices(keywords: &Map<String, Value>) -> Result<FieldKind, BrokenRequest> {
    let items = keywords.get("items").and_then(Value::as_object);
    let items = items.ok_or_else(|| BrokenRequest::new("a list without entries to choose"))?;
    refuse_structure(items)?;
    let options = match items.get("anyOf").or_else(|| items.get("oneOf")) {
        Some(titled) => titled_options(titled)?,
        None if items.get("type").and_then(Value::as_str) == Some("string") => plain_options(items)?,
        None => return Err(BrokenRequest::new("a list of something else than choices")),
    };
    let named = keywords.get("default").and_then(Value::as_array);
    let default = named.into_iter().flatten().filter_map(Value::as_str);
    let default = default.filter(|value| options.iter().any(|option| option.value == *value));
    Ok(FieldKind::Choices {
        min_items: count(keywords, "minItems")?,
        max_items: count(keywords, "maxItems")?,
        default: default.map(str::to_owned).collect(),
        options,
    })
}

fn count(keywords: &Map<String, Value>, keyword: &str) -> Result<Option<u32>, BrokenRequest> {
    match keywords.get(keyword) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(Some(u32::try_from(count).unwrap_or(u32::MAX))),
            None => Err(BrokenRequest(format!("{keyword:?} is not a count"))),
        },
    }
}

/// Values, with labels beside them where there are as many.
fn plain_options(keywords: &Map<String, Value>) -> Result<Vec<FormOption>, BrokenRequest> {
    let values: Vec<&str> = texts(keywords.get("enum")).ok_or_else(no_options)?;
    let labels = texts(keywords.get("enumNames")).filter(|labels| labels.len() == values.len());
    let labels = labels.unwrap_or_else(|| values.clone());
    checked(
        values
            .into_iter()
            .zip(labels)
            .map(|(value, label)| option(value, label))
            .collect(),
    )
}

fn titled_options(titled: &Value) -> Result<Vec<FormOption>, BrokenRequest> {
    let entries = titled.as_array().ok_or_else(no_options)?;
    let read = |entry: &Value| {
        let value = entry.get("const")?.as_str()?;
        let label = entry.get("title").and_then(Value::as_str).unwrap_or(value);
        Some(option(value, label))
    };
    checked(
        entries
            .iter()
            .map(read)
            .collect::<Option<_>>()
            .ok_or_else(no_options)?,
    )
}

fn checked(options: Vec<FormOption>) -> Result<Vec<FormOption>, BrokenRequest> {
    let mut values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
    values.sort_unstable();
    values.dedup();
    let short = |option: &FormOption| option.value.len().max(option.label.len()) <= MAX_NAME_BYTES;
    if values.len() == options.len()
        && (1..=MAX_OPTIONS).contains(&options.len())
        && options.iter().all(short)
    {
        Ok(options)
    } else {
        Err(BrokenRequest::new(
            "entries that are none, too many, too long or the same",
        ))
    }
}

fn texts(list: Option<&Value>) -> Option<Vec<&str>> {
    list?.as_array()?.iter().map(Value::as_str).collect()
}

fn option(value: &str, label: &str) -> FormOption {
    FormOption {
        value: value.to_owned(),
        label: label.to_owned(),
    }
}

fn no_options() -> BrokenRequest {
    BrokenRequest::new("entries that can not be read")
}

impl<'de: 'a, 'a> Deserialize<'de> for Properties<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Properties<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the fields of a form, by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties<'de>, A::Error> {
                let mut fields: Vec<(String, &'de RawValue)> = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if fields.len() == MAX_FIELDS || name.is_empty() || name.len() > MAX_NAME_BYTES {
                        return Err(A::Error::custom("too many fields, or a name that is none"));
                    }
                    if fields.iter().any(|(other, _)| *other == name) {
                        return Err(A::Error::custom("two fields have the same name"));
                    }
                    fields.push((name, map.next_value()?));
                }
                Ok(Properties(fields))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}
