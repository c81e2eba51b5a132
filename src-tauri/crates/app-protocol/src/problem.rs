//! What can go wrong, as a person meets it. Each variant is a sentence in the UI's catalogue that says what was
//! tried, what happened and what to do; the fields fill its gaps. The English text here is for logs and for the
//! model.

use serde::{Deserialize, Serialize};

use vestibule_schema::Unchecked;

use super::SignInFailure;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum Problem {
    #[error("the command {command} was not found; looked in {}", looked_in.join(", "))]
    CommandNotFound { command: String, looked_in: Vec<String> },
    #[error("{program} could not be started: {detail}")]
    NotStarted { program: String, detail: String },
    #[error("the server did not answer within {seconds} seconds of its start")]
    StartTimedOut { seconds: u32, stderr: Vec<String> },
    #[error("the server ended{}", exit.as_ref().map(|e| format!(" ({e})")).unwrap_or_default())]
    ServerEnded {
        exit: Option<String>,
        stderr: Vec<String>,
    },
    #[error("{origin} could not be reached: {detail}")]
    ServerUnreachable { origin: String, detail: String },
    #[error("{origin} wants a sign-in before it answers ({status})")]
    SignInNeeded { origin: String, status: u16 },
    #[error("signing in to {origin} was declined")]
    SignInDeclined { origin: String },
    #[error("signing in to {origin} did not work: {detail}")]
    SignInFailed {
        origin: String,
        /// What kind of failure it is.
        why: SignInFailure,
        detail: String,
    },
    /// Tokens, or the registration of this application.
    #[error("what signing in to {origin} brought may still count where it was made: {detail}")]
    NotWithdrawn { origin: String, detail: String },
    #[error("{origin} answered {status}: {detail}")]
    ServerRefused {
        origin: String,
        status: u16,
        detail: String,
    },
    #[error(
        "the connection to the server was lost while it worked on this call, so it may have happened; it was not sent \
         again ({detail})"
    )]
    CallLost { detail: String, stderr: Vec<String> },
    #[error("the call did not reach the server, so nothing happened: {detail}")]
    CallNotSent { detail: String },
    #[error(
        "the connection to the server {server} was lost and is being opened again; the call was not sent"
    )]
    ServerReopening { server: String },
    #[error("the server speaks protocol revision {answered}, which is not supported")]
    UnsupportedRevision { answered: String },
    #[error("the server answered with error {code}: {message}")]
    ServerError { code: i32, message: String },
    #[error("the server did not answer within {seconds} seconds")]
    CallTimedOut { seconds: u32 },
    #[error("the server's answer could not be understood: {detail}")]
    MalformedReply { detail: String },
    #[error("the server no longer knows the task, so what came of it is not known")]
    TaskGone,
    #[error("there is no resource {uri} (any more)")]
    NoSuchResource { uri: String },
    #[error("a rule of the person does not let this be read")]
    ReadingRefused,
    #[error("the resource needs a value for {}", names.join(", "))]
    VariablesMissing { names: Vec<String> },
    #[error("no more than {limit} things can be attached to a message")]
    TooManyAttachments { limit: u32 },
    #[error("the server {server} is not running")]
    ServerNotRunning { server: String },
    #[error("the server wants a page to be visited first, and it was not")]
    PageNotVisited,
    #[error("there is no tool called {name}")]
    NoSuchTool { name: String },
    #[error("the definition of {tool} changed between the question and the call")]
    ToolChangedMeanwhile { tool: String },
    #[error("the tool {tool} has changed since it was accepted and waits for the person")]
    ToolHeld { tool: String },
    #[error("the arguments do not fit what the tool accepts: {}", errors.join("; "))]
    ArgumentsInvalid { errors: Vec<String> },
    #[error("the arguments were not checked, so the call was not made: {reason}")]
    ArgumentsUnchecked { reason: Unchecked },
    #[error("the model's arguments are not a JSON object: {detail}")]
    ArgumentsUnreadable { detail: String },
    #[error("nothing answers at {endpoint}: {detail}")]
    ModelUnreachable { endpoint: String, detail: String },
    #[error("{endpoint} does not accept the key")]
    ModelUnauthorized { endpoint: String },
    #[error("{endpoint} has no model {model}")]
    ModelMissing { endpoint: String, model: String },
    #[error("the model's server asks to slow down")]
    ModelBusy { retry_after_s: Option<u32> },
    #[error("the model's server refused ({status}): {detail}")]
    ModelRefused { status: u16, detail: String },
    #[error("the model's answer broke off")]
    ModelCut,
    #[error("the model said nothing for {seconds} seconds")]
    ModelTimedOut { seconds: u32 },
    #[error("the model's answer was larger than {megabytes} MB")]
    ModelTooLarge { megabytes: u32 },
    #[error("the model's answer could not be understood: {detail}")]
    ModelMalformed { detail: String },
    #[error("the model this chat used was removed")]
    ModelGone,
    #[error("the model went on for {rounds} rounds without an end")]
    TooManyRounds { rounds: u32 },
    #[error("the data was written by a newer version (format {found}, this version knows up to {known})")]
    DataNewer { found: u32, known: u32 },
    #[error("another Vestibule uses {folder}")]
    DataInUse { folder: String },
    #[error("the data can not be read: {detail}")]
    DataUnreadable { detail: String },
    #[error("the folder {folder} can not be used: {detail}")]
    FolderUnusable { folder: String, detail: String },
    #[error("the disk is full")]
    DiskFull,
    #[error("the data folder can not be written to")]
    ReadOnly,
    #[error("the data could not be written: {detail}")]
    StoreFailed { detail: String },
    #[error("values are missing for {}", names.join(", "))]
    SecretsMissing { names: Vec<String> },
    #[error("the keychain did not keep the secret: {detail}")]
    KeychainFailed { detail: String },
    #[error("line {line}, column {column}: {detail}")]
    JsonBroken { line: u32, column: u32, detail: String },
    #[error("the text holds no servers")]
    JsonWithoutServers,
    #[error("the entry is not a server: {detail}")]
    EntryUnreadable { detail: String },
    #[error("the rules could not be taken: {detail}")]
    RulesUnreadable { detail: String },
    #[error("nobody could keep to this rule: {detail}")]
    RuleUnkeepable { detail: String },
    #[error("{path} could not be written: {detail}")]
    NotExported { path: String, detail: String },
    #[error("a name is needed")]
    NameMissing,
    #[error("there is a server called {name} already")]
    NameTaken { name: String },
    #[error("a command is needed")]
    CommandMissing,
    #[error("a quote in the command line is not closed, or it ends in a backslash")]
    CommandLineUnclosed,
    #[error("an address is needed")]
    AddressMissing,
    #[error("{name} can not be the name of a header that is set here")]
    HeaderInvalid { name: String },
    #[error("{url} is not an address that can be used: {detail}")]
    AddressInvalid { url: String, detail: String },
    #[error("{origin} is written so that it could be taken for another place")]
    AddressDeceives {
        origin: String,
        warnings: Vec<vestibule_policy::inspect::UrlWarning>,
    },
    #[error("the chat is busy")]
    ChatBusy,
    #[error("it is gone")]
    Gone,
    #[error("the question could not be asked, because too many wait already")]
    NotAsked,
    #[error("the message is longer than {limit_kb} kB")]
    TooLong { limit_kb: u32 },
    #[error("the answer does not belong to the question that is shown")]
    AnswerStale,
    #[error("the answer came too soon after the question appeared")]
    AnswerTooSoon,
    #[error("the answer does not fit the question: {detail}")]
    AnswerUnfit { detail: String },
}

impl Problem {
    /// With the name of what it is about, where those who found it did not know: a program's path or an origin.
    #[must_use]
    pub fn naming(mut self, name: &str) -> Self {
        match &mut self {
            Self::NotStarted { program: blank, .. }
            | Self::ServerUnreachable { origin: blank, .. }
            | Self::ServerRefused { origin: blank, .. }
            | Self::SignInNeeded { origin: blank, .. }
                if blank.is_empty() =>
            {
                name.clone_into(blank);
            }
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests;
