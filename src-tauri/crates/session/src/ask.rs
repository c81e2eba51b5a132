//! One request to a server, in the form of either era. A legacy server gets it once. A request to a modern server
//! describes itself, may be sent again when it certainly changed nothing, and may be answered with a request for input,
//! which is then collected and sent back as often as the server wants and the limits allow. The caller gets one answer.

mod rounds;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use vestibule_protocol::Revision;
use vestibule_protocol::header;
use vestibule_protocol::jsonrpc::{RequestId, RpcResultBuf, encode_request};
use vestibule_protocol::mcp::{CacheHint, LogLevel, Progress};
use vestibule_protocol::modern::RequestMeta;
use vestibule_transport::Wire;

use crate::capabilities::Declaration;
use crate::demand::SignInDemand;
use crate::error::CallError;
use crate::error_map;
use crate::input::InputResponses;
use crate::link::{Headers, Link, RequestExchange};
use crate::options::SessionOptions;
use crate::responder::{Origin, OriginalCall};

/// How to make one call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Where to report progress. Reports are left out when the channel is full.
    pub progress: Option<mpsc::Sender<Progress>>,
    /// Instead of the session's timeout for a call without progress. Each round of a call restarts it, and
    /// time in which a user is asked for input counts in none.
    pub timeout: Option<std::time::Duration>,
    /// Instead of the session's capabilities, what the server may ask back because of this call. Modern
    /// servers only: the others got them once, when the session opened.
    pub capabilities: Option<Value>,
    /// Instead of the session's level. Modern servers only.
    pub log_level: Option<LogLevel>,
    /// Doing it twice is the same as once, so it may be sent again when its answer was lost.
    pub repeatable: bool,
    /// Where to ask for a demand to sign in to be settled with which the server refuses to go on after it was given
    /// input. Without it such a call is not continued. A demand that refuses the call itself is an error.
    pub demands: Option<mpsc::Sender<SignInDemand>>,
    /// Where a tool may be called as a task, do so. Servers of 2025-11-25 only: a tool that has to be called so
    /// always is, and a modern server decides for itself.
    pub as_task: bool,
}

/// A request to a server.
pub(crate) struct RequestSpec<'a> {
    pub(crate) method: &'static str,
    /// The name or address in the parameters that HTTP repeats.
    pub(crate) name: Option<&'a str>,
    /// The arguments of a tool, some of which HTTP repeats.
    pub(crate) arguments: Option<&'a Map<String, Value>>,
    pub(crate) options: CallOptions,
    /// The server may report progress and may need input first.
    pub(crate) is_call: bool,
    /// How the answer may be a task.
    pub(crate) task_mode: TaskMode,
}

/// How an answer may be a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaskMode {
    #[default]
    No,
    /// It was asked to be one (2025-11-25), so reports of progress go on after the answer.
    Asked,
    /// The server may decide so (the extension).
    Offered,
    /// It asks about a task that exists (the extension); its answer is a task or complete.
    ExistingTask,
}

pub(crate) struct CallAnswer {
    pub(crate) result: RpcResultBuf,
    pub(crate) cache: CacheHint,
    /// The id of the request it answers.
    pub(crate) id: i64,
    /// It is a task of the extension.
    pub(crate) is_task: bool,
}

impl CallAnswer {
    fn new(id: i64, result: RpcResultBuf) -> Self {
        Self {
            result,
            cache: CacheHint::default(),
            id,
            is_task: false,
        }
    }
}

#[derive(Serialize)]
struct RequestParams<'a, P> {
    #[serde(flatten)]
    own: Option<&'a P>,
    #[serde(rename = "inputResponses", skip_serializing_if = "Option::is_none")]
    responses: Option<&'a InputResponses>,
    #[serde(rename = "requestState", skip_serializing_if = "Option::is_none")]
    state: Option<&'a RawValue>,
    _meta: RequestMeta<'a>,
}

impl<'a> RequestSpec<'a> {
    fn origin(&self) -> Origin {
        let name = self.name.unwrap_or_default().to_owned();
        let method = self.method;
        Origin {
            call: Some(OriginalCall { method, name }),
            task: None,
        }
    }

    /// A call that only reads, so that doing it twice is the same as once.
    pub(crate) fn reading(method: &'static str, name: &'a str, options: CallOptions) -> Self {
        Self {
            method,
            name: Some(name),
            arguments: None,
            options: CallOptions {
                repeatable: true,
                ..options
            },
            is_call: true,
            task_mode: TaskMode::No,
        }
    }

    /// A call of a tool.
    pub(crate) fn tool_call(
        name: &'a str,
        arguments: &'a Map<String, Value>,
        options: CallOptions,
        task_mode: TaskMode,
    ) -> Self {
        Self {
            method: "tools/call",
            name: Some(name),
            arguments: Some(arguments),
            options,
            is_call: true,
            task_mode,
        }
    }

    /// A request that changes nothing and needs no input.
    pub(crate) fn plain(method: &'static str) -> Self {
        Self {
            method,
            name: None,
            arguments: None,
            options: CallOptions {
                repeatable: true,
                ..CallOptions::default()
            },
            is_call: false,
            task_mode: TaskMode::No,
        }
    }
}

impl Link {
    pub(crate) fn modern(&self) -> Option<Revision> {
        self.agreed.get().copied().filter(|revision| revision.is_modern())
    }

    /// Whether requests repeat names and arguments in headers.
    pub(crate) fn has_headers(&self) -> bool {
        self.wire == Wire::Http && self.modern().is_some()
    }

    pub(crate) async fn ask<P: Serialize>(
        &self,
        ask: &RequestSpec<'_>,
        own: Option<&P>,
    ) -> Result<CallAnswer, CallError> {
        match self.modern() {
            Some(revision) => self.ask_in_rounds(ask, own, revision).await,
            None => self.ask_once(ask, own).await,
        }
    }

    async fn ask_once<P: Serialize>(
        &self,
        ask: &RequestSpec<'_>,
        own: Option<&P>,
    ) -> Result<CallAnswer, CallError> {
        let id = self.fresh_id();
        let frame = legacy_frame(id, ask, own)?;
        let outcome = self.exchange(self.plan(ask, id, frame, Vec::new())).await;
        let result = outcome.map_err(error_map::map_legacy_error)?;
        Ok(CallAnswer::new(id, result))
    }

    fn plan(&self, ask: &RequestSpec<'_>, id: i64, frame: Vec<u8>, headers: Headers) -> RequestExchange {
        RequestExchange {
            id,
            method: ask.method,
            frame,
            headers,
            timeout: ask.options.timeout.unwrap_or(self.options.call_timeout),
            progress: ask.options.progress.clone(),
            opening: false,
            keeps_progress: ask.task_mode == TaskMode::Asked,
        }
    }

    fn headers(&self, ask: &RequestSpec<'_>, revision: Revision) -> Result<Headers, CallError> {
        let mut headers = headers(revision, ask.method, ask.name);
        let (Some(name), Some(arguments)) = (ask.name, ask.arguments) else {
            return Ok(headers);
        };
        // a tool that was never listed has nothing to repeat that we know of.
        let known = self.tool_headers.borrow();
        for param in known.get(name).into_iter().flatten() {
            let value = param
                .value(arguments)
                .map_err(|error| CallError::NotSendable(error.0))?;
            headers.extend(value.map(|value| (param.header.clone(), value)));
        }
        Ok(headers)
    }
}

/// A request to a legacy server. A call carries its id as the token of its reports of progress.
fn legacy_frame<P: Serialize>(id: i64, ask: &RequestSpec<'_>, own: Option<&P>) -> Result<Vec<u8>, CallError> {
    if !ask.is_call {
        return encode(id, ask.method, own);
    }
    let params = RequestParams {
        own,
        responses: None,
        state: None,
        _meta: RequestMeta {
            progress_token: Some(id),
            ..RequestMeta::default()
        },
    };
    encode(id, ask.method, Some(&params))
}

/// A modern request that belongs to no call: written, with its headers where the wire has them.
pub(crate) fn standalone<P: Serialize>(
    id: i64,
    method: &'static str,
    own: Option<&P>,
    revision: Revision,
    options: &SessionOptions,
    wire: Wire,
) -> Result<(Vec<u8>, Headers), CallError> {
    let declaration = Declaration::new(revision, &options.client, &options.capabilities)?;
    let params = RequestParams {
        own,
        responses: None,
        state: None,
        _meta: RequestMeta {
            protocol_version: Some(revision),
            client_info: Some(&declaration.client),
            client_capabilities: Some(&declaration.written_capabilities),
            ..RequestMeta::default()
        },
    };
    let frame = encode(id, method, Some(&params))?;
    let headers = match wire {
        Wire::Http => headers(revision, method, None),
        Wire::Stream | Wire::HttpSse => Vec::new(),
    };
    Ok((frame, headers))
}

/// The headers of every modern request.
fn headers(revision: Revision, method: &str, name: Option<&str>) -> Headers {
    let fixed = [
        ("MCP-Protocol-Version", revision.as_str().to_owned()),
        ("Mcp-Method", method.to_owned()),
    ];
    let name = name.map(|name| ("Mcp-Name", header::encode(name).into_owned()));
    fixed
        .into_iter()
        .chain(name)
        .map(|(header, value)| (header.to_owned(), value))
        .collect()
}

fn encode<P: Serialize>(id: i64, method: &str, params: Option<&P>) -> Result<Vec<u8>, CallError> {
    let frame = encode_request(&RequestId::Number(id), method, params);
    frame.map_err(|error| CallError::NotSendable(error.to_string()))
}
