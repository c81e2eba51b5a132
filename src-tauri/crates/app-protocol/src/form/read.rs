//! From a server's schema to a form. Only the protocol's subset is taken: a flat object of primitive fields. What
//! says more than that is refused with its name, because half a form would be another question. A nullable field,
//! as some generators write optional ones, is read as the field it holds.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::check::MAX_CHARACTERS;
use super::text::compile;
use super::{ChoiceOption, FieldKind, Form, FormField, Machine, NoForm, Pattern, secrets};

/// The most fields of one form.
const MAX_FIELDS: usize = 200;
/// The most options of one field.
const MAX_OPTIONS: usize = 500;
/// The longest message, and the longest of the other texts of a form, in bytes.
const MAX_MESSAGE: usize = 64 * 1024;
const MAX_TEXT: usize = 8 * 1024;
const MAX_NAME: usize = 256;
/// The longest schema, in bytes of JSON.
const MAX_SCHEMA: usize = 256 * 1024;
/// The most patterns of one form that are checked: each takes time to compile before anything else of a server is read.
const MAX_PATTERNS: usize = 16;
/// Keywords that would narrow what fits beyond what the protocol's subset can say.
const FOREIGN: [&str; 22] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "const",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "properties",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
];

#[derive(Deserialize)]
struct FormSchema {
    #[serde(rename = "type")]
    kind: String,
    properties: Properties,
    #[serde(default)]
    required: Vec<String>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The fields in the server's order; no name comes twice.
struct Properties(Vec<(String, Map<String, Value>)>);

impl Form {
    /// Reads a form from its message and its schema.
    ///
    /// # Errors
    /// A sentence for the server, where the form is not one the protocol has or is too large to be read.
    pub fn read(message: &str, schema: &str) -> Result<Self, NoForm> {
        let no = |what: &str| Err(NoForm(what.to_owned()));
        if message.len() > MAX_MESSAGE {
            return Err(NoForm(format!("the message is longer than {MAX_MESSAGE} bytes")));
        }
        if schema.len() > MAX_SCHEMA {
            return Err(NoForm(format!("the schema is longer than {MAX_SCHEMA} bytes")));
        }
        let schema: FormSchema = serde_json::from_str(schema).map_err(|error| {
            NoForm(format!(
                "the requested schema is no flat object of fields: {error}"
            ))
        })?;
        if schema.kind != "object" {
            return no("the requested schema is not of type object");
        }
        let foreign = ["anyOf", "oneOf", "enum"].into_iter().chain(FOREIGN);
        if let Some(word) = foreign.into_iter().find(|word| schema.rest.contains_key(*word)) {
            return Err(NoForm(format!("the requested schema may not have {word:?}")));
        }
        let required: HashSet<&String> = schema.required.iter().collect();
        if let Some(lost) = required
            .iter()
            .find(|name| !schema.properties.0.iter().any(|(known, _)| known == **name))
        {
            return Err(NoForm(format!("{lost:?} is required but is no field")));
        }
        let is_asked = secrets::mentions_secret(message);
        let mut patterns = MAX_PATTERNS;
        let fields = schema.properties.0.iter().map(|(name, field)| {
            read_field(name, field, required.contains(name), is_asked, &mut patterns)
                .map_err(|NoForm(why)| NoForm(format!("the field {name:?}: {why}")))
        });
        Ok(Self {
            message: message.to_owned(),
            fields: fields.collect::<Result<_, _>>()?,
        })
    }
}

fn read_field(
    name: &str,
    schema: &Map<String, Value>,
    required: bool,
    is_asked: bool,
    patterns: &mut usize,
) -> Result<FormField, NoForm> {
    if name.len() > MAX_NAME {
        return Err(NoForm(format!("its name is longer than {MAX_NAME} bytes")));
    }
    let schema = without_null(schema)?;
    if let Some(word) = FOREIGN.into_iter().find(|word| schema.contains_key(*word)) {
        return Err(NoForm(format!("a form may not have {word:?}")));
    }
    let title = text(&schema, "title")?.filter(|title| !title.is_empty());
    let description = text(&schema, "description")?.filter(|words| !words.is_empty());
    let format = schema.get("format").and_then(Value::as_str);
    let kind = read_kind(&schema, patterns)?;
    let asks = || secrets::asks_for_secret(name, title.as_deref(), format, description.as_deref());
    let mut field = FormField {
        secret: secrets::takes_secret(&kind) && (is_asked || asks()),
        name: name.to_owned(),
        title,
        description,
        required,
        broken_default: None,
        kind,
    };
    field.suggest(schema.get("default").filter(|value| !value.is_null()));
    if let FieldKind::Text {
        pattern: Some(pattern),
        ..
    } = &mut field.kind
    {
        // It takes no memory until the user fills in the form.
        pattern.machine = Machine::default();
    }
    Ok(field)
}

/// A field that may also be `null` is the field: what is not filled in is left out.
fn without_null(schema: &Map<String, Value>) -> Result<Map<String, Value>, NoForm> {
    let mut schema = schema.clone();
    if let Some(Value::Array(kinds)) = schema.get("type") {
        let mut real = kinds.iter().filter(|kind| *kind != "null").cloned();
        let (Some(kind), None) = (real.next(), real.next()) else {
            return Err(NoForm("it has several types".into()));
        };
        schema.insert("type".into(), kind);
    }
    if !schema.contains_key("type")
        && let Some(Value::Array(any)) = schema.remove("anyOf")
    {
        let mut real = any.into_iter().filter(|one| one["type"] != "null");
        let (Some(Value::Object(inner)), None) = (real.next(), real.next()) else {
            return Err(NoForm("it may be one of several things".into()));
        };
        for (key, value) in inner {
            schema.entry(key).or_insert(value);
        }
    }
    Ok(schema)
}

/// `patterns` is how many more patterns may be checked.
fn read_kind(schema: &Map<String, Value>, patterns: &mut usize) -> Result<FieldKind, NoForm> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => read_string(schema, patterns),
        Some(kind @ ("number" | "integer")) => {
            let (minimum, maximum) = (number(schema, "minimum")?, number(schema, "maximum")?);
            in_order(minimum, maximum, "minimum", "maximum")?;
            let integer = kind == "integer";
            if integer
                && minimum
                    .zip(maximum)
                    .is_some_and(|(least, most)| least.ceil() > most)
            {
                return Err(NoForm("no whole number lies between its bounds".into()));
            }
            Ok(FieldKind::Number {
                integer,
                minimum,
                maximum,
                default: None,
            })
        }
        Some("boolean") => Ok(FieldKind::Boolean { default: None }),
        Some("array") => read_choices(schema),
        Some(other) => Err(NoForm(format!("a form has no fields of type {other:?}"))),
        None => Err(NoForm("it has no type".into())),
    }
}

fn read_string(schema: &Map<String, Value>, patterns: &mut usize) -> Result<FieldKind, NoForm> {
    if schema.contains_key("anyOf") {
        return Err(NoForm("it may be one of several things".into()));
    }
    if let Some(options) = options(schema, "oneOf")? {
        return Ok(FieldKind::Choice {
            options,
            default: None,
        });
    }
    let (min_length, max_length) = (count(schema, "minLength")?, count(schema, "maxLength")?);
    in_order(min_length, max_length, "minLength", "maxLength")?;
    if min_length.is_some_and(|least| least > MAX_CHARACTERS) {
        return Err(NoForm(format!(
            "its answer has to be longer than {MAX_CHARACTERS} characters"
        )));
    }
    let pattern = text(schema, "pattern")?.map(|source| pattern(source, patterns));
    Ok(FieldKind::Text {
        min_length,
        max_length,
        pattern,
        format: text(schema, "format")?,
        default: None,
    })
}

fn pattern(source: String, left: &mut usize) -> Pattern {
    let compiled = if *left > 0 { compile(&source) } else { None };
    *left = left.saturating_sub(1);
    Pattern {
        source,
        checked: compiled.is_some(),
        machine: Machine(Arc::new(compiled.into())),
    }
}

fn read_choices(schema: &Map<String, Value>) -> Result<FieldKind, NoForm> {
    let Some(Value::Object(items)) = schema.get("items") else {
        return Err(NoForm("a list of what is not said".into()));
    };
    if items.get("type").is_some_and(|kind| kind != "string") {
        return Err(NoForm("a form can only choose among texts".into()));
    }
    let Some(options) = options(items, "anyOf")? else {
        return Err(NoForm("a list that is no choice among given values".into()));
    };
    let (min_items, max_items) = (count(schema, "minItems")?, count(schema, "maxItems")?);
    in_order(min_items, max_items, "minItems", "maxItems")?;
    if min_items.is_some_and(|least| least as usize > options.len()) {
        return Err(NoForm("more has to be chosen than there is".into()));
    }
    Ok(FieldKind::Choices {
        options,
        min_items,
        max_items,
        default: vec![],
    })
}

/// The options of a choice, in either way to write them: titled under `titled`, or as `enum`. `None` where it is no
/// choice.
fn options(schema: &Map<String, Value>, titled: &str) -> Result<Option<Vec<ChoiceOption>>, NoForm> {
    let titled = schema.get(titled).or_else(|| {
        // Servers write either word in either place.
        schema.get("oneOf").or_else(|| schema.get("anyOf"))
    });
    let options: Vec<ChoiceOption> = match (titled, schema.get("enum")) {
        (Some(Value::Array(all)), _) => all.iter().map(titled_option).collect::<Result<_, _>>()?,
        (None, Some(Value::Array(all))) => {
            let names = schema.get("enumNames").and_then(Value::as_array);
            // Labels that cannot be matched to values are dropped.
            let names = names.filter(|names| names.len() == all.len());
            let option = |(at, value): (usize, &Value)| {
                let title = names.and_then(|names| names[at].as_str());
                option(value, title)
            };
            all.iter().enumerate().map(option).collect::<Result<_, _>>()?
        }
        (None, None) => return Ok(None),
        _ => return Err(NoForm("its options are no list".into())),
    };
    let distinct: HashSet<&String> = options.iter().map(|option| &option.value).collect();
    match options.len() {
        0 => Err(NoForm("there is nothing to choose from".into())),
        n if n > MAX_OPTIONS => Err(NoForm(format!("it has more than {MAX_OPTIONS} options"))),
        n if n > distinct.len() => Err(NoForm("one option comes twice".into())),
        _ => Ok(Some(options)),
    }
}

fn titled_option(schema: &Value) -> Result<ChoiceOption, NoForm> {
    option(&schema["const"], schema["title"].as_str())
}

fn option(value: &Value, title: Option<&str>) -> Result<ChoiceOption, NoForm> {
    let value = value
        .as_str()
        .ok_or_else(|| NoForm("an option is no text".into()))?;
    if value.len().max(title.map_or(0, str::len)) > MAX_TEXT {
        return Err(NoForm("an option is too long to be read".into()));
    }
    Ok(ChoiceOption {
        value: value.to_owned(),
        title: title
            .filter(|title| !title.trim().is_empty() && *title != value)
            .map(str::to_owned),
    })
}

fn text(schema: &Map<String, Value>, key: &str) -> Result<Option<String>, NoForm> {
    match schema.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= MAX_TEXT => Ok(Some(text.clone())),
        Some(Value::String(_)) => Err(NoForm(format!("its {key} is longer than {MAX_TEXT} bytes"))),
        Some(_) => Err(NoForm(format!("its {key} is no text"))),
    }
}

fn number(schema: &Map<String, Value>, key: &str) -> Result<Option<f64>, NoForm> {
    match schema.get(key) {
        None => Ok(None),
        Some(value) => value
            .as_f64()
            .map(Some)
            .ok_or_else(|| NoForm(format!("its {key} is no number"))),
    }
}

fn count(schema: &Map<String, Value>, key: &str) -> Result<Option<u32>, NoForm> {
    let Some(number) = number(schema, key)? else {
        return Ok(None);
    };
    if number < 0.0 || number.fract() != 0.0 {
        return Err(NoForm(format!("its {key} is no count")));
    }
    // More than this is a bound that no value reaches.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    Ok(Some(number.min(f64::from(u32::MAX)) as u32))
}

fn in_order<T: PartialOrd>(least: Option<T>, most: Option<T>, low: &str, high: &str) -> Result<(), NoForm> {
    match (least, most) {
        (Some(least), Some(most)) if least > most => {
            Err(NoForm(format!("its {low} is more than its {high}")))
        }
        _ => Ok(()),
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("fields by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut fields = vec![];
                let mut names = HashSet::new();
                while let Some((name, field)) = map.next_entry::<String, Map<String, Value>>()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(A::Error::custom(format!("more than {MAX_FIELDS} fields")));
                    }
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format!("two fields are called {name:?}")));
                    }
                    fields.push((name, field));
                }
                Ok(Properties(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
