//! Work of a server that outlives the request that began it. Two forms of the protocol have it: 2025-11-25, where
//! the client asks for it, and an extension of 2026-07-28, where the server decides. What they say of a task is the
//! same but for a few names. A task's name may work like a password, so it never prints.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::Revision;
use crate::json::RawJson;
use crate::jsonrpc::RpcError;
use crate::lenient;
use crate::modern::InputRequests;

/// The longest name of a task, in bytes.
pub const MAX_TASK_ID_BYTES: usize = 1024;
/// The longest words a server has for the state of a task, in bytes; more is cut.
const MAX_WORDS_BYTES: usize = 4096;

/// The name of a task. Knowing it may be enough to read the result of the task.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct TaskId(String);

impl TaskId {
    /// The name as it travels. Not for logs, not for models.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TaskId {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.len() {
            1..=MAX_TASK_ID_BYTES => Ok(Self(name)),
            _ => Err("a task's name is empty or too long"),
        }
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskId(..)")
    }
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Working,
    /// It needs something from the user.
    InputRequired,
    Completed,
    Failed,
    /// It was given up.
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing more will happen.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// What a server says of a task.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    #[serde(rename = "taskId")]
    pub id: TaskId,
    /// How far it is.
    pub status: TaskStatus,
    /// The same in the server's words.
    #[serde(rename = "statusMessage", default, deserialize_with = "short")]
    pub words: Option<String>,
    /// When it began, as the server wrote it.
    #[serde(default, deserialize_with = "short")]
    pub created_at: Option<String>,
    /// When it last changed, as the server wrote it.
    #[serde(default, deserialize_with = "short")]
    pub last_updated_at: Option<String>,
    /// How long the server keeps it from its beginning on, in milliseconds; `None` for as long as it likes.
    #[serde(alias = "ttlMs", default, deserialize_with = "lenient::or_default")]
    pub ttl: Option<u64>,
    /// How long the server wants to be left alone between two questions, in milliseconds.
    #[serde(alias = "pollIntervalMs", default, deserialize_with = "lenient::or_default")]
    pub poll_interval: Option<u64>,
}

impl Task {
    /// How long to wait before the next question, within bounds.
    #[must_use]
    pub fn pause(&self, least: Duration, usual: Duration, most: Duration) -> Duration {
        let wanted = self.poll_interval.map_or(usual, Duration::from_millis);
        wanted.max(least).min(most)
    }
}

fn short<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text: Option<String> = lenient::or_default(deserializer)?;
    Ok(text.map(|mut text| {
        text.truncate(text.floor_char_boundary(MAX_WORDS_BYTES));
        text
    }))
}

/// A task instead of an answer, in the form of 2025-11-25.
#[derive(Clone, Debug, Deserialize)]
pub struct CreateTaskResult {
    pub task: Task,
    #[serde(rename = "_meta", default, deserialize_with = "lenient::or_default")]
    meta: CreateMeta,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct CreateMeta {
    #[serde(
        rename = "io.modelcontextprotocol/model-immediate-response",
        default,
        deserialize_with = "short"
    )]
    immediate: Option<String>,
}

impl CreateTaskResult {
    /// What the server wants the model told meanwhile. Untrusted text.
    #[must_use]
    pub fn immediate(&self) -> Option<&str> {
        self.meta.immediate.as_deref()
    }
}

/// What the extension says of a task when asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetailedTask {
    #[serde(flatten)]
    pub task: Task,
    /// What came of it, when it is completed.
    #[serde(skip)]
    pub result: Option<Box<RawValue>>,
    /// Why it came to nothing, when it failed.
    #[serde(skip)]
    pub error: Option<RpcError>,
    /// What it needs, when it needs input.
    #[serde(skip)]
    pub input_requests: Option<InputRequests>,
}

impl DetailedTask {
    /// Reads an answer to `tasks/get`.
    ///
    /// # Errors
    /// When it is none, in the words of the parser.
    pub fn read(raw: RawJson<'_>) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Rest {
            #[serde(default)]
            result: Option<Box<RawValue>>,
            #[serde(default)]
            error: Option<RpcError>,
            #[serde(default)]
            input_requests: Option<InputRequests>,
        }
        // In two steps, because raw values do not survive being flattened.
        let mut detailed: Self = raw.read()?;
        let rest: Rest = raw.read()?;
        detailed.result = rest.result;
        detailed.error = rest.error;
        detailed.input_requests = rest.input_requests;
        Ok(detailed)
    }
}

/// Whether a tool may be called as a task, by its own word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskSupport {
    #[default]
    Forbidden,
    Optional,
    Required,
}

impl TaskSupport {
    /// What a tool's definition says.
    #[must_use]
    pub fn from_definition(definition: &Value) -> Self {
        let said = definition
            .get("execution")
            .and_then(|execution| execution.get("taskSupport"));
        said.and_then(|said| Self::deserialize(said).ok())
            .unwrap_or_default()
    }
}

/// What has to be kept to ask for a task again later, also after the application was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    pub id: TaskId,
    /// The tool that was called.
    pub tool: String,
    /// The revision it was begun in: the two forms of tasks do not know each other.
    pub revision: Revision,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::RawJsonBuf;

    /// TK-003, TK-011, TX-003.
    #[test]
    fn both_forms_say_the_same_of_a_task_under_other_names() {
        let legacy = json!({"taskId": "t", "status": "working", "statusMessage": "on it", "createdAt": "c",
            "lastUpdatedAt": "u", "ttl": 60_000, "pollInterval": 500});
        let modern = json!({"taskId": "t", "status": "working", "statusMessage": "on it", "createdAt": "c",
            "lastUpdatedAt": "u", "ttlMs": 60_000, "pollIntervalMs": 500, "resultType": "task"});
        let one: Task = serde_json::from_value(legacy.clone()).unwrap();
        let other: Task = serde_json::from_value(modern).unwrap();
        assert_eq!(one, other);
        assert_eq!((one.ttl, one.poll_interval), (Some(60_000), Some(500)));
        let created: CreateTaskResult = serde_json::from_value(json!({"task": legacy,
            "_meta": {"io.modelcontextprotocol/model-immediate-response": "wait"}}))
        .unwrap();
        assert_eq!(created.immediate(), Some("wait"));
        let endless: Task =
            serde_json::from_value(json!({"taskId": "t", "status": "completed", "ttl": null})).unwrap();
        assert_eq!((endless.ttl, endless.status.is_final()), (None, true));
        for broken in [
            json!({"status": "working"}),
            json!({"taskId": "", "status": "working"}),
            json!({"taskId": "x".repeat(MAX_TASK_ID_BYTES + 1), "status": "working"}),
            json!({"taskId": "t", "status": "thinking"}),
        ] {
            assert!(serde_json::from_value::<Task>(broken).is_err());
        }
    }

    /// TK-004, TX-004.
    #[test]
    fn a_server_can_be_asked_neither_too_often_nor_too_seldom() {
        let [least, usual, most] = [1, 5, 60].map(Duration::from_secs);
        let pause = |interval: Value| {
            let task: Task =
                serde_json::from_value(json!({"taskId": "t", "status": "working", "pollInterval": interval}))
                    .unwrap();
            task.pause(least, usual, most)
        };
        assert_eq!(pause(json!(0)), least);
        assert_eq!(pause(json!(2000)), Duration::from_secs(2));
        assert_eq!(pause(json!(u64::MAX)), most);
        assert_eq!(pause(json!(null)), usual);
        assert_eq!(pause(json!(-5)), usual);
    }

    /// TX-006, TX-007.
    #[test]
    fn the_extension_says_with_the_task_what_came_of_it_or_what_it_needs() {
        let task = |more: Value| {
            let mut task = json!({"taskId": "t", "status": "working"});
            task.as_object_mut()
                .unwrap()
                .extend(more.as_object().cloned().unwrap());
            DetailedTask::read(RawJsonBuf::write(&task).unwrap().as_raw())
        };
        let done = task(json!({"result": {"a": 1}})).unwrap();
        assert_eq!(done.result.unwrap().get(), r#"{"a":1}"#);
        let failed = task(json!({"error": {"code": -5, "message": "m", "data": [1]}})).unwrap();
        assert_eq!(failed.error.unwrap().code, -5);
        let needs =
            task(json!({"inputRequests": {"z": {"method": "a"}, "zz": {"method": "c", "params": {}}}}));
        assert_eq!(needs.unwrap().input_requests.unwrap().0[0].0, "z");
        assert!(task(json!({"inputRequests": []})).is_err());
    }

    /// TK-002.
    #[test]
    fn a_tool_that_does_not_say_so_is_never_called_as_a_task() {
        let of =
            |execution: Value| TaskSupport::from_definition(&json!({"name": "t", "execution": execution}));
        assert_eq!(of(json!({"taskSupport": "optional"})), TaskSupport::Optional);
        assert_eq!(of(json!({"taskSupport": "required"})), TaskSupport::Required);
        for silent in [
            json!({}),
            json!(null),
            json!({"taskSupport": "forbidden"}),
            json!({"taskSupport": 1}),
        ] {
            assert_eq!(of(silent), TaskSupport::Forbidden);
        }
    }

    /// TX-005, TX-018.
    #[test]
    fn a_task_can_be_kept_and_its_name_does_not_print() {
        let record = TaskRecord {
            id: TaskId::try_from("secret-1".to_owned()).unwrap(),
            tool: "t".into(),
            revision: Revision::NEWEST,
        };
        assert!(!format!("{record:?}").contains("secret-1"));
        let kept = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<TaskRecord>(&kept).unwrap(), record);
    }
}
