//! One message in, what is to be said about it out. Both eras are served side by side: a request is modern when it
//! says its revision, or when its method is `server/discover`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tools::PAGE;

const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const INFO: &str = r#"{"name":"reference","version":"1"}"#;

/// What the server is told to be.
pub(crate) struct Server {
    /// The tools of each page.
    pub(crate) pages: Vec<String>,
    pub(crate) ttl_ms: usize,
    pub(crate) legacy: bool,
    pub(crate) modern: bool,
    /// The blob asked for last, as it stands in JSON.
    blob: (usize, String),
}

/// What is to be said about a message.
pub(crate) enum Answer {
    /// It wants no answer.
    None,
    /// A message on its own.
    One(Sort, String),
    /// One message, after this many milliseconds.
    Later(u64, String),
    /// This many notifications about a token, then the message.
    Flood(usize, String, String),
}

/// What an answer is, as far as its HTTP status depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Plain,
    /// The answer to `initialize`.
    Opening,
    /// A modern request that is not taken.
    Refused,
    /// A modern request for a method that is not there.
    NoMethod,
}

/// A message, as far as it is read.
#[derive(Deserialize)]
pub(crate) struct Asked<'a> {
    #[serde(borrow, default)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) params: Params<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Params<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default)]
    cursor: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "protocolVersion", default)]
    revision: Cow<'a, str>,
    #[serde(borrow, rename = "_meta", default)]
    meta: Meta<'a>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken", default)]
    token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion", default)]
    revision: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities", default)]
    capabilities: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Echo<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
}

#[derive(Deserialize)]
struct Number {
    #[serde(alias = "bytes", alias = "ms")]
    n: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            ttl_ms: 0,
            legacy: true,
            modern: true,
            blob: (0, String::new()),
        }
    }
}

impl Asked<'_> {
    pub(crate) fn is_modern(&self) -> bool {
        self.params.meta.revision.is_some() || self.method == "server/discover"
    }

    /// The revision a modern request says, without quotes.
    pub(crate) fn revision(&self) -> &str {
        self.params
            .meta
            .revision
            .map_or("", |raw| raw.get().trim_matches('"'))
    }
}

impl Server {
    /// What to say about a message.
    pub(crate) fn answer(&mut self, asked: &Asked<'_>) -> Answer {
        let Some(id) = asked.id.filter(|_| !asked.method.is_empty()).map(RawValue::get) else {
            return Answer::None;
        };
        let modern = asked.is_modern();
        if let Some(refusal) = self.refusal(asked, id, modern) {
            return refusal;
        }
        let params = &asked.params;
        match &*asked.method {
            "initialize" => {
                let agreed = if LEGACY.contains(&&*params.revision) {
                    &*params.revision
                } else {
                    LEGACY[3]
                };
                let result = format!(
                    r#"{{"protocolVersion":"{agreed}","capabilities":{{"tools":{{}}}},"serverInfo":{INFO}}}"#
                );
                Answer::One(Sort::Opening, reply(id, &result))
            }
            "ping" if !modern => Answer::One(Sort::Plain, reply(id, "{}")),
            "server/discover" => {
                let ttl = self.ttl_ms;
                let result = format!(
                    r#"{{"resultType":"complete","supportedVersions":["{MODERN}"],"capabilities":{{"tools":{{}}}},"ttlMs":{ttl},"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{INFO}}}}}"#
                );
                Answer::One(Sort::Plain, reply(id, &result))
            }
            "tools/list" => Answer::One(Sort::Plain, self.list(params, id, modern)),
            "tools/call" => self.call(params, id, modern),
            _ if modern => Answer::One(Sort::NoMethod, error(id, -32601, "no such method", "")),
            _ => Answer::One(Sort::Plain, error(id, -32601, "no such method", "")),
        }
    }

    fn refusal(&self, asked: &Asked<'_>, id: &str, modern: bool) -> Option<Answer> {
        let refused = |text| Some(Answer::One(Sort::Refused, text));
        let data =
            |requested: &str| format!(r#","data":{{"supported":["{MODERN}"],"requested":"{requested}"}}"#);
        if !modern {
            let closed = asked.method == "initialize" && !self.legacy;
            let requested = data(&asked.params.revision);
            return if closed {
                refused(error(id, -32022, "not this revision", &requested))
            } else {
                None
            };
        }
        if !self.modern {
            return Some(Answer::One(
                Sort::NoMethod,
                error(id, -32601, "no such method", ""),
            ));
        }
        let meta = &asked.params.meta;
        if meta.revision.is_none() || meta.capabilities.is_none() {
            return refused(error(id, -32602, "the request does not describe itself", ""));
        }
        if asked.revision() != MODERN {
            return refused(error(id, -32022, "not this revision", &data(asked.revision())));
        }
        None
    }

    fn list(&self, params: &Params<'_>, id: &str, modern: bool) -> String {
        let from = match params.cursor.as_deref() {
            None => Some(0),
            Some(cursor) => cursor
                .strip_prefix("from-")
                .and_then(|from| from.parse::<usize>().ok())
                .filter(|from| *from > 0 && from % PAGE == 0),
        };
        let page = from.map(|from| from / PAGE);
        let Some((page, tools)) = page.and_then(|page| Some((page, self.pages.get(page)?))) else {
            return error(id, -32602, "unknown cursor", "");
        };
        let mut result = String::with_capacity(tools.len() + 128);
        result.push_str(r#"{"tools":"#);
        result.push_str(tools);
        if page + 1 < self.pages.len() {
            let _ = write!(result, r#","nextCursor":"from-{}""#, (page + 1) * PAGE);
        }
        if modern {
            let _ = write!(
                result,
                r#","resultType":"complete","ttlMs":{},"cacheScope":"public""#,
                self.ttl_ms
            );
        }
        result.push('}');
        reply(id, &result)
    }

    fn call(&mut self, params: &Params<'_>, id: &str, modern: bool) -> Answer {
        let raw = params.arguments.map_or("{}", RawValue::get);
        let number = || serde_json::from_str::<Number>(raw).map(|number| number.n);
        let invalid = || Answer::One(Sort::Plain, error(id, -32602, "wrong arguments", ""));
        match &*params.name {
            "echo" => match serde_json::from_str::<Echo<'_>>(raw) {
                Ok(echo) => Answer::One(Sort::Plain, text(id, echo.text.get(), modern)),
                Err(_) => invalid(),
            },
            "blob" => match number() {
                Ok(bytes) => Answer::One(Sort::Plain, text(id, self.blob(bytes), modern)),
                Err(_) => invalid(),
            },
            "sleep" => match number() {
                Ok(ms) => Answer::Later(ms as u64, text(id, r#""slept""#, modern)),
                Err(_) => invalid(),
            },
            "flood" => match number() {
                Ok(n) => {
                    let token = params.meta.token.map(|token| token.get().to_owned());
                    let count = if token.is_some() { n } else { 0 };
                    Answer::Flood(count, token.unwrap_or_default(), text(id, r#""flooded""#, modern))
                }
                Err(_) => invalid(),
            },
            other => {
                let index = other
                    .strip_prefix("tool_")
                    .and_then(|index| index.parse::<usize>().ok());
                let tools = self.pages.len() * PAGE;
                match index.filter(|index| (4..tools).contains(index)) {
                    Some(_) => Answer::One(Sort::Plain, text(id, r#""""#, modern)),
                    None => invalid(),
                }
            }
        }
    }

    /// A text of this many characters as JSON: lines of 80 with two quotes, a backslash and a line feed each.
    fn blob(&mut self, characters: usize) -> &str {
        if self.blob.0 != characters || self.blob.1.is_empty() {
            let line = format!(
                "\\\"{}\\\"{}\\\\{}\\n",
                ".".repeat(30),
                ".".repeat(30),
                ".".repeat(16)
            );
            let mut blob = String::with_capacity(characters + characters / 16 + 2);
            blob.push('"');
            for _ in 0..characters / 80 {
                blob.push_str(&line);
            }
            blob.push_str(&".".repeat(characters % 80));
            blob.push('"');
            self.blob = (characters, blob);
        }
        &self.blob.1
    }
}

/// The progress of a flood up to `to`, each message closed in `before` and `after`.
pub(crate) fn progress(
    out: &mut Vec<u8>,
    token: &str,
    steps: std::ops::RangeInclusive<usize>,
    total: usize,
    wrap: (&str, &str),
) {
    use std::io::Write as _;
    for step in steps {
        let (before, after) = wrap;
        // Writing to memory does not fail.
        let _ = write!(
            out,
            r#"{before}{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step},"total":{total}}}}}{after}"#
        );
    }
}

fn reply(id: &str, result: &str) -> String {
    let mut text = String::with_capacity(result.len() + id.len() + 40);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    text.push_str(id);
    text.push_str(r#","result":"#);
    text.push_str(result);
    text.push('}');
    text
}

fn text(id: &str, text: &str, modern: bool) -> String {
    let mut reply = String::with_capacity(text.len() + id.len() + 140);
    reply.push_str(r#"{"jsonrpc":"2.0","id":"#);
    reply.push_str(id);
    reply.push_str(r#","result":{"content":[{"type":"text","text":"#);
    reply.push_str(text);
    reply.push_str(r#"}],"isError":false"#);
    if modern {
        reply.push_str(r#","resultType":"complete""#);
    }
    reply.push_str("}}");
    reply
}

fn error(id: &str, code: i64, message: &str, data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"{data}}}}}"#)
}
