//! What can go wrong with a tool call, a resource or a prompt of a connected server.

use serde::{Deserialize, Serialize};
use vestibule_schema::Unchecked;

/// A request to a connected server failed or was not sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum CallProblem {
    #[error(
        "the connection to the server was lost during this call, so it may have happened; it was not sent \
         again ({detail})"
    )]
    CallLost { detail: String, stderr: Vec<String> },
    #[error("the call did not reach the server, so nothing happened: {detail}")]
    CallNotSent { detail: String },
    #[error("the server answered with error {code}: {message}")]
    ServerError { code: i32, message: String },
    #[error("the server did not answer within {seconds} seconds")]
    CallTimedOut { seconds: u32 },
    #[error(
        "the call ended without a result, because the server needed something first and did not get it, or because \
         its task was cancelled ({detail}). Do not repeat it unless the user asks for that"
    )]
    CallNotCompleted { detail: String },
    #[error("the server's answer could not be understood: {detail}")]
    MalformedReply { detail: String },
    #[error(
        "the server's answer was too large to read, so the request may have taken effect; it was not sent again \
         ({detail}). Ask for less at once"
    )]
    ReplyTooLarge { detail: String },
    #[error("the server no longer knows the task, so what came of it is not known")]
    TaskGone,
    #[error("the server has no resource {uri}, or has it no longer")]
    NoSuchResource { uri: String },
    #[error("a rule of the user forbids reading this")]
    ReadingRefused,
    #[error("the server requires a visit to a page first, and the user did not visit it")]
    PageNotVisited,
    #[error("there is no tool called {name}")]
    NoSuchTool { name: String },
    #[error("the tool {name} was not offered in this chat; find it with find_tools first")]
    NotOffered { name: String },
    #[error("the definition of {tool} changed between the question and the call")]
    ToolChangedMeanwhile { tool: String },
    #[error("the tool {tool} has changed since the user accepted it, and the change is not accepted yet")]
    ToolHeld { tool: String },
    #[error("the arguments do not match the schema of the tool: {}", errors.join("; "))]
    ArgumentsInvalid { errors: Vec<String> },
    #[error("the arguments were not checked, so the call was not made: {reason}")]
    ArgumentsUnchecked { reason: Unchecked },
    #[error("the model's arguments are not a JSON object: {detail}")]
    ArgumentsUnreadable { detail: String },
}
