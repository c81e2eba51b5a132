//! The parameters of a server's messages, as far as the session itself reads them.

use serde::Deserialize;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_protocol::mcp::Progress;
use vestibule_protocol::modern::meta_of;

/// How much of a name a server made up is repeated.
const MAX_NAME_CHARS: usize = 80;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VisitCompleted {
    pub(super) elicitation_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cancelled {
    pub(super) request_id: RequestId,
}

/// A report as nearly all are. There may be very many, and this reads without a detour.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlainReport {
    progress_token: i64,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl PlainReport {
    pub(super) fn parts(self) -> (i64, Progress) {
        let progress = Progress {
            progress: self.progress,
            total: self.total,
            message: self.message,
        };
        (self.progress_token, progress)
    }
}

/// Any report, also one with a total or a message that is none.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    progress_token: RequestId,
    #[serde(flatten)]
    progress: Progress,
}

impl Report {
    pub(super) fn parts(self) -> Option<(i64, Progress)> {
        match self.progress_token {
            RequestId::Number(id) => Some((id, self.progress)),
            RequestId::Text(_) => None,
        }
    }
}

/// The task a request says it belongs to.
pub(super) fn related_task(params: Option<RawJson<'_>>) -> Option<String> {
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/related-task")]
        related: Related,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Related {
        task_id: String,
    }
    meta_of(params?).map(|Meta { related }| related.task_id)
}

pub(super) fn read_params<T: serde::de::DeserializeOwned>(params: Option<RawJson<'_>>) -> Option<T> {
    params?.read().ok()
}

pub(super) fn brief(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}
