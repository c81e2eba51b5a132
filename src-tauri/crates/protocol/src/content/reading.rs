//! Reading what a tool returned. Text, pictures and sounds can be as large as an answer may be, so they are taken from the
//! document as it stands; everything else is small and read in the usual way.

use std::borrow::Cow;
use std::mem;

use serde_json::{Map, Value};

use super::{CallToolResult, ContentAnnotations, ContentBlock, MAX_CONTENT_BLOCKS};
use crate::json::{RawJson, ScanError, Scanner};
use crate::modern::{BrokenResult, once};

#[derive(Default)]
struct ResultMembers<'a> {
    content: Option<Option<Vec<ContentBlock>>>,
    structured_content: Option<RawJson<'a>>,
    is_error: Option<RawJson<'a>>,
    result_type: Option<RawJson<'a>>,
}

impl CallToolResult {
    /// Reads what a call came to.
    ///
    /// Where a string names half of a character, U+FFFD is read in its place.
    ///
    /// # Errors
    /// When it is no such result, is of a kind this app does not know, or holds too many blocks.
    pub fn read(result: RawJson<'_>) -> Result<Self, BrokenResult> {
        result.read_whole_characters(Self::read_exactly)
    }

    fn read_exactly(result: RawJson<'_>) -> Result<Self, BrokenResult> {
        let mut members = ResultMembers::default();
        Scanner::new(result.get()).object(|scanner, name| match &*name {
            "content" => once(&mut members.content, read_content(scanner)?),
            "structuredContent" => once(&mut members.structured_content, scanner.value()?),
            "isError" => once(&mut members.is_error, scanner.value()?),
            "resultType" => once(&mut members.result_type, scanner.value()?),
            _ => Ok(scanner.value().map(drop)?),
        })?;
        let kind: Option<String> = read_optional(members.result_type)?;
        if kind.is_some_and(|kind| kind != "complete") {
            return Err(BrokenResult("a kind of result this app does not know".into()));
        }
        let content = members.content.flatten();
        if content.is_none() && members.structured_content.is_none() {
            return Err(BrokenResult("neither content nor structured content".into()));
        }
        Ok(Self {
            content: content.unwrap_or_default(),
            structured_content: members.structured_content.map(RawJson::read).transpose()?,
            is_error: read_optional(members.is_error)?.unwrap_or(false),
        })
    }
}

fn read_optional<'a, T: serde::Deserialize<'a>>(
    member: Option<RawJson<'a>>,
) -> serde_json::Result<Option<T>> {
    member.map_or(Ok(None), RawJson::read)
}

/// The blocks of a result; `None` for `null`.
fn read_content(scanner: &mut Scanner<'_>) -> Result<Option<Vec<ContentBlock>>, BrokenResult> {
    if scanner.peek() == Some(b'n') {
        return Ok(scanner.value().map(|_| None)?);
    }
    let mut blocks = Vec::new();
    scanner.array(|scanner| {
        if blocks.len() == MAX_CONTENT_BLOCKS {
            return Err(BrokenResult(format!(
                "more than {MAX_CONTENT_BLOCKS} blocks of content"
            )));
        }
        blocks.push(read_block(scanner)?);
        Ok(())
    })?;
    Ok(Some(blocks))
}

/// The value of a member of a block.
enum MemberValue<'a> {
    Text(Cow<'a, str>),
    Other(RawJson<'a>),
}

impl<'a> MemberValue<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, ScanError> {
        if scanner.peek() != Some(b'"') {
            return scanner.value().map(Self::Other);
        }
        scanner.text().map(|text| Self::Text(text.unwrap_or_default()))
    }

    fn into_value(self) -> serde_json::Result<Value> {
        match self {
            Self::Text(text) => Ok(Value::String(text.into_owned())),
            Self::Other(raw) => raw.read(),
        }
    }
}

fn read_block(scanner: &mut Scanner<'_>) -> Result<ContentBlock, BrokenResult> {
    if scanner.peek() != Some(b'{') {
        return Ok(ContentBlock::Unknown(scanner.value()?.read()?));
    }
    let mut members = Vec::with_capacity(3);
    scanner.object::<ScanError>(|scanner, name| {
        members.push((name, MemberValue::read(scanner)?));
        Ok(())
    })?;
    if let Some(block) = large_block(&mut members) {
        return Ok(block);
    }
    let mut object = Map::new();
    let mut twice = false;
    for (name, value) in members {
        twice |= object.insert(name.into_owned(), value.into_value()?).is_some();
    }
    let value = Value::Object(object);
    match twice {
        // Which of two members counts is not ours to guess.
        true => Ok(ContentBlock::Unknown(value)),
        false => Ok(serde_json::from_value(value)?),
    }
}

type Members<'a> = [(Cow<'a, str>, MemberValue<'a>)];

/// A block of one of the kinds that can be large, its text taken out of the members; `None` when it is another, or not as
/// such a block should be.
fn large_block(members: &mut Members<'_>) -> Option<ContentBlock> {
    let kind = text(members, "type")?.to_owned();
    let annotations = annotations(members)?;
    match &*kind {
        "text" => Some(ContentBlock::Text {
            text: take_text(members, "text")?,
            annotations,
        }),
        "image" => {
            let mime_type = text(members, "mimeType")?.to_owned();
            Some(ContentBlock::Image {
                data: take_text(members, "data")?,
                mime_type,
                annotations,
            })
        }
        "audio" => {
            let mime_type = text(members, "mimeType")?.to_owned();
            Some(ContentBlock::Audio {
                data: take_text(members, "data")?,
                mime_type,
                annotations,
            })
        }
        _ => None,
    }
}

/// The annotations, if there are any; `None` when they come twice.
fn annotations(members: &Members<'_>) -> Option<Option<ContentAnnotations>> {
    if !members.iter().any(|(name, _)| name == "annotations") {
        return Some(None);
    }
    match &members[index(members, "annotations")?].1 {
        MemberValue::Other(raw) => Some(raw.read().unwrap_or_default()),
        MemberValue::Text(_) => Some(None),
    }
}

fn text<'a>(members: &'a Members<'_>, name: &str) -> Option<&'a str> {
    match &members[index(members, name)?].1 {
        MemberValue::Text(text) => Some(text),
        MemberValue::Other(_) => None,
    }
}

fn take_text(members: &mut Members<'_>, name: &str) -> Option<String> {
    match &mut members[index(members, name)?].1 {
        MemberValue::Text(text) => Some(mem::take(text).into_owned()),
        MemberValue::Other(_) => None,
    }
}

/// Where a member is that comes exactly once. Which of two members counts is not ours to guess.
fn index(members: &Members<'_>, name: &str) -> Option<usize> {
    let mut found = members.iter().enumerate().filter(|(_, member)| member.0 == name);
    let (index, _) = found.next()?;
    found.next().is_none().then_some(index)
}
