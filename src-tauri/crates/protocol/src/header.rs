//! What the modern HTTP shape wants repeated in headers: names, addresses, and those arguments of a tool that
//! its schema marks with `x-mcp-header`. Values go as they are where a header can hold them and as Base64
//! behind a marker where it cannot. A schema that marks anything else than a plain argument is refused whole,
//! because headers are read by machines on the way that never see the body.

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use thiserror::Error;

/// The most arguments of one tool that are repeated in headers.
const MAX_HEADERS: usize = 64;
/// The longest name of such a header, in bytes.
const MAX_NAME_BYTES: usize = 128;
/// The largest whole number every reader of JSON agrees on.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Keywords whose value is one schema.
const ONE_SCHEMA: [&str; 12] = [
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
/// Keywords whose value is a list of schemas. `items` was one in older dialects.
const LIST_OF_SCHEMAS: [&str; 5] = ["oneOf", "anyOf", "allOf", "prefixItems", "items"];
/// Keywords whose value holds schemas by name, besides `properties`.
const SCHEMAS_BY_NAME: [&str; 5] = [
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// An argument that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamHeader {
    /// The whole name of the header.
    pub header: String,
    /// Where the argument is: the names to follow from the top.
    path: Vec<String>,
}

/// Why a schema marks something it must not, or why an argument cannot be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrokenHeader(pub String);

/// The arguments a tool's schema wants repeated.
///
/// # Errors
/// When a mark is not a header name, comes twice, or stands at anything but a text, a whole number or a truth
/// value that is reached through properties alone.
pub fn param_headers(input_schema: &Value) -> Result<Vec<ParamHeader>, BrokenHeader> {
    let mut found = FoundHeaders::default();
    found.walk(input_schema, Some(&mut Vec::new()))?;
    Ok(found.headers)
}

#[derive(Default)]
struct FoundHeaders {
    headers: Vec<ParamHeader>,
    names: HashSet<String>,
}

impl FoundHeaders {
    /// Looks at one schema; `path` is `None` once it was reached by anything but properties. Frames are at
    /// most [`MAX_DEPTH`](crate::jsonrpc::MAX_DEPTH) deep, so this is too.
    fn walk(&mut self, schema: &Value, mut path: Option<&mut Vec<String>>) -> Result<(), BrokenHeader> {
        let Some(schema) = schema.as_object() else {
            return Ok(());
        };
        if let Some(mark) = schema.get("x-mcp-header") {
            self.add(schema, mark, path.as_deref())?;
        }
        for (name, property) in entries(schema, "properties") {
            match path.as_deref_mut() {
                Some(path) => {
                    path.push(name.clone());
                    self.walk(property, Some(path))?;
                    path.pop();
                }
                None => self.walk(property, None)?,
            }
        }
        let one = ONE_SCHEMA.iter().filter_map(|keyword| schema.get(*keyword));
        let list = LIST_OF_SCHEMAS
            .iter()
            .filter_map(|keyword| schema.get(*keyword)?.as_array())
            .flatten();
        let named = SCHEMAS_BY_NAME
            .iter()
            .flat_map(|keyword| entries(schema, keyword))
            .map(|(_, schema)| schema);
        for other in one.chain(list).chain(named) {
            self.walk(other, None)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        schema: &Map<String, Value>,
        mark: &Value,
        path: Option<&Vec<String>>,
    ) -> Result<(), BrokenHeader> {
        let name = mark
            .as_str()
            .filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_token))
            .ok_or_else(|| broken("an \"x-mcp-header\" is not the name of a header"))?;
        let path = path
            .filter(|path| !path.is_empty())
            .ok_or_else(|| broken("an \"x-mcp-header\" does not stand at a plain argument"))?;
        if !is_plain(schema.get("type")) {
            return Err(broken(
                "an \"x-mcp-header\" stands at something that is no text, whole number or truth value",
            ));
        }
        if !self.names.insert(name.to_ascii_lowercase()) {
            return Err(broken("the same \"x-mcp-header\" comes twice"));
        }
        if self.headers.len() == MAX_HEADERS {
            return Err(broken("too many arguments have an \"x-mcp-header\""));
        }
        self.headers.push(ParamHeader {
            header: format!("Mcp-Param-{name}"),
            path: path.clone(),
        });
        Ok(())
    }
}

fn entries<'a>(
    schema: &'a Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema
        .get(keyword)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn is_plain(kind: Option<&Value>) -> bool {
    matches!(
        kind.and_then(Value::as_str),
        Some("string" | "integer" | "boolean")
    )
}

/// A character of a header's name (RFC 9110, token).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

impl ParamHeader {
    /// The argument, as the names to follow from the top.
    #[must_use]
    pub fn argument(&self) -> &[String] {
        &self.path
    }

    /// The value of the header for these arguments; `None` when the argument is absent or null.
    ///
    /// # Errors
    /// When the argument is nothing a header can repeat.
    pub fn value(&self, arguments: &Map<String, Value>) -> Result<Option<String>, BrokenHeader> {
        let mut steps = self.path.iter();
        let first = steps.next().and_then(|name| arguments.get(name));
        let value = steps.fold(first, |value, name| value?.get(name));
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(encode(text).into_owned())),
            Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
            Some(Value::Number(number)) => integer(number).map(|number| Some(number.to_string())).ok_or_else(|| {
                BrokenHeader(format!(
                    "the argument {:?} has to be repeated in a header, for which {number} is not a fit number",
                    self.path.join(".")
                ))
            }),
            Some(_) => Err(BrokenHeader(format!(
                "the argument {:?} has to be repeated in a header, but is neither text, number nor truth value",
                self.path.join(".")
            ))),
        }
    }
}

/// A whole number every reader agrees on, also when it was written as `42.0`.
fn integer(number: &serde_json::Number) -> Option<i64> {
    let whole = number.as_i64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        // Within the range below every such float is exact.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "casting saturates, and the range is checked next"
        )]
        Some(float as i64)
    })?;
    (-MAX_INTEGER..=MAX_INTEGER).contains(&whole).then_some(whole)
}

/// A text as the value of a header: itself where every reader of headers would keep it, else Base64.
#[must_use]
pub fn encode(text: &str) -> Cow<'_, str> {
    let visible = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let spaced = text.starts_with(' ') || text.ends_with(' ');
    let marked = text.starts_with("=?base64?") && text.ends_with("?=");
    if visible && !spaced && !marked {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(text)))
    }
}

fn broken(reason: &str) -> BrokenHeader {
    BrokenHeader(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn headers(properties: Value) -> Result<Vec<ParamHeader>, BrokenHeader> {
        param_headers(&json!({"type": "object", "properties": properties}))
    }

    fn values(properties: Value, arguments: Value) -> Vec<(String, String)> {
        let arguments = arguments.as_object().unwrap();
        let headers = headers(properties).unwrap();
        let mut values: Vec<_> = headers
            .iter()
            .filter_map(|header| Some((header.header.clone(), header.value(arguments).unwrap()?)))
            .collect();
        values.sort();
        values
    }

    /// TR-104, TR-109, TR-111.
    #[test]
    fn marked_arguments_are_repeated_and_absent_ones_are_not() {
        let properties = json!({
            "zone": {"type": "string", "x-mcp-header": "Zone"},
            "count": {"type": "integer", "x-mcp-header": "N"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            "gone": {"type": "string", "x-mcp-header": "Gone"},
            "none": {"type": "string", "x-mcp-header": "None"},
            "deep": {"type": "object", "properties": {"in": {"type": "string", "x-mcp-header": "In"}}},
            "x-mcp-header": {"type": "string"},
            "plain": {"type": "number", "default": {"x-mcp-header": "data, not a schema"}}
        });
        let arguments =
            json!({"zone": "eu-3", "count": 42.0, "dry": true, "none": null, "deep": {"in": "a b"}});
        let expected = [("Dry", "true"), ("In", "a b"), ("N", "42"), ("Zone", "eu-3")];
        let expected = expected.map(|(name, value)| (format!("Mcp-Param-{name}"), value.to_owned()));
        assert_eq!(values(properties.clone(), arguments), expected);
        assert_eq!(values(properties.clone(), json!({"deep": 5})), []);
        let arguments = json!({"count": 1.5, "zone": [], "dry": 9_007_199_254_740_992_i64});
        for header in headers(properties).unwrap() {
            let fits = header.value(arguments.as_object().unwrap()).is_ok();
            assert_eq!(
                fits,
                !["N", "Zone", "Dry"].contains(&&header.header[10..]),
                "{header:?}"
            );
        }
    }

    /// TR-105.
    #[test]
    fn a_mark_at_anything_but_a_plain_argument_breaks_the_schema() {
        let mark = json!({"type": "string", "x-mcp-header": "A"});
        let broken = [
            json!({"type": "object", "x-mcp-header": "A"}),
            json!({"$defs": {"a": mark}, "properties": {"a": {"$ref": "#/$defs/a"}}}),
            json!({"oneOf": [{"properties": {"a": mark}}]}),
            json!({"if": {"properties": {"a": mark}}}),
            json!({"additionalProperties": mark}),
            json!({"properties": {"a": {"type": "array", "items": mark}}}),
            json!({"properties": {"a": {"anyOf": [mark]}}}),
            json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"type": "object", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": 5}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "a b"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "a\r\nb"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "ä"}}}),
            json!({"properties": {"a": mark, "b": {"type": "integer", "x-mcp-header": "a"}}}),
        ];
        for schema in broken {
            assert!(param_headers(&schema).is_err(), "{schema}");
        }
        assert_eq!(param_headers(&json!(true)), Ok(Vec::new()));
    }

    /// TR-110.
    #[test]
    fn what_a_header_can_not_hold_goes_as_base64() {
        let cases = [
            ("eu-3", "eu-3"),
            ("", ""),
            ("a b", "a b"),
            ("Grüße", "=?base64?R3LDvMOfZQ==?="),
            (" eu ", "=?base64?IGV1IA==?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\r\nX: y", "=?base64?YQ0KWDogeQ==?="),
        ];
        for (text, header) in cases {
            assert_eq!(encode(text), header, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_text_becomes_a_value_that_reads_back(text in ".*") {
            let header = encode(&text).into_owned();
            prop_assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(header.trim(), header.as_str());
            let inner = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
            let read = match inner {
                Some(inner) => String::from_utf8(STANDARD.decode(inner).unwrap()).unwrap(),
                None => header,
            };
            prop_assert_eq!(read, text);
        }
    }
}
