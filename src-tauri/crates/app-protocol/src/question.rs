//! A question as the user sees it: the facts of a card. Their digest travels to the window and back, so an answer counts only
//! for what was shown. Counters and times are not in it.

mod connection;
mod launch;
mod sign_in;
mod value;

pub use connection::Connection;
pub use launch::{Launch, LaunchGap, LaunchGapKind, LaunchPackage, LaunchRisk, PackageState};
pub use value::{NamedValue, ValueDisplay};
mod findings;
mod flood;
mod folders;
mod sampling;
mod saved_input;
pub use sign_in::{
    IssuerLookUp, IssuerSite, SignIn, SignInClient, SignInFile, SignInHistory, SignInOddity, SignInWay,
};
mod rules;
mod widening;
pub use rules::{RuleBinding, RuleSet, RuleSummary};
pub use widening::{
    ConnectionSummary, LedgerDoubt, ModelSummary, MoveChats, PackageChange, PackageUpdate, PriceChange,
    PriceSummary, ServerRule, Widening, WorkspaceSummary,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestibule_policy::{Condition, Digest, Scope};
use vestibule_protocol::{ChatId, EntryId, QuestionId, ServerId};

use crate::{Form, Page, Visit};

pub use findings::{ArgumentFindings, PathFinding};
pub use flood::{Flood, FloodGroup};
pub use folders::{FolderFacts, FolderPick, FolderReach, FolderTrouble, ShareFolders};
pub use sampling::{
    BudgetLeft, PickReason, PromptEdit, ReplyEdit, SampleBlock, SampleMessage, SampleModel, SamplePriority,
    SamplePrompt, SampleReply, SampleTool, SampleToolUse,
};
pub use saved_input::SavedInput;

/// One question, with everything its card shows.
#[derive(Clone, Debug, Serialize, ts_rs::TS)]
pub struct Question {
    /// Our name for it.
    pub id: QuestionId,
    pub server: ServerSummary,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    pub about: QuestionBody,
    /// The scopes the user may pick, narrowest first; a single one means there is nothing to pick.
    pub scopes: Vec<Scope>,
    /// How long the permitting answer stays inert after the card appears, moves or comes to the front, in
    /// milliseconds.
    pub guard_ms: u32,
    /// When it was asked, in milliseconds since 1970.
    #[ts(type = "number")]
    pub asked_ms: i64,
    /// How often the server asked this kind of question within a minute, where that is more than anyone should
    /// have to read.
    pub often: Option<u32>,
    /// How often in a row the user denied this kind of question of the server, where that is three times or more.
    pub denied: Option<u32>,
    /// Good for one answer.
    pub nonce: String,
    /// Over `server`, `cause`, `about` and `scopes`, and behind the card of a flood over which questions wait there.
    pub digest: Digest,
    /// Over what does not differ between two questions that ask exactly the same: the place of the call is left out.
    pub same: Digest,
}

/// A server as the user named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct ServerSummary {
    /// Our name for it.
    pub id: ServerId,
    /// The user's name for it.
    pub name: String,
    /// Where it comes from: the command line that was started, or the origin that is connected.
    pub provenance: String,
}

impl ServerSummary {
    /// Vestibule itself, for questions that concern no server. No server has this id.
    #[must_use]
    pub fn vestibule() -> Self {
        Self {
            id: "00000000-0000-0000-0000-000000000000"
                .parse()
                .expect("this text is a UUID"),
            name: "Vestibule".to_owned(),
            provenance: String::new(),
        }
    }
}

/// The place in a chat that a question comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Cause {
    pub chat: ChatId,
    /// Its title at that moment.
    pub chat_title: String,
    /// The entry of the call.
    pub entry: Option<EntryId>,
    /// The tool whose call goes on as a task, where the server says that it asks because of that task. The name of the
    /// task works like a password and never stands here.
    pub task_of: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum QuestionBody {
    /// Start a program on this computer.
    StartServer(Launch),
    /// Connect to a server at an address.
    ConnectServer(Connection),
    /// Ask a sign-in provider that a server names how it signs users in.
    LookUpIssuer(Box<IssuerLookUp>),
    /// Sign in to a server.
    SignIn(Box<SignIn>),
    CallTool(Call),
    /// A tool or the instructions are no longer what was accepted.
    ToolChanged(Change),
    /// Let a tool be called without a question from now on.
    AllowTool(Tool),
    /// Let rules hold that allow more than today: one that was changed, or those of a file.
    KeepRules(RuleSet),
    /// Fill in a form.
    FillForm(Form),
    /// Send a prompt of a server to one of the user's models.
    SamplePrompt(SamplePrompt),
    /// Return the reply of the model to the server.
    SampleReply(SampleReply),
    /// Let a server know of folders.
    ShareFolders(ShareFolders),
    /// Open a page in the browser.
    OpenPage(Page),
    /// Whether the user is done with a page that was opened.
    VisitPage(Visit),
    /// Make a change of the main window that lets more happen than today.
    Widen(Widening),
    /// Many questions of one kind, on one card.
    Flood(Flood),
}

/// A tool's own words about itself. All of it is a quotation.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Tool {
    pub name: String,
    /// The title it claims.
    pub title: Option<String>,
    /// What it says it does.
    pub description: Option<String>,
    /// What it claims about its effects.
    pub claims: Claims,
    /// The whole definition as the server sent it.
    pub definition: Value,
}

/// What a tool claims about its effects; `None` where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Claims {
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is like calling it once.
    pub idempotent: Option<bool>,
    /// It reaches beyond a closed set of things.
    pub open_world: Option<bool>,
}

/// What will be sent to a tool.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Call {
    pub tool: Tool,
    /// The arguments the model wrote; the user may change them.
    #[ts(type = "Record<string, unknown>")]
    pub arguments: Map<String, Value>,
    /// The arguments of the last call of this tool that was allowed in this chat, to show what differs.
    #[ts(type = "Record<string, unknown> | null")]
    pub last_arguments: Option<Map<String, Value>>,
    /// Why a permission that exists does not cover this call.
    pub raised: Option<Raised>,
    /// What in the arguments another server returned in this chat. Then it is asked, whatever was allowed.
    pub carried: Vec<CarriedValue>,
    /// Arguments that are also sent as HTTP headers, which more programs on the way read and log.
    pub headers: Vec<HeaderArgument>,
    /// The folders the server may know of, where there are any.
    pub roots: Vec<String>,
    /// The places in the arguments outside of these.
    pub outside: Vec<PathFinding>,
    /// What else was found in the arguments.
    pub findings: ArgumentFindings,
}

/// A value on its way from one server to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct CarriedValue {
    /// The server it came from, as it was called then.
    pub server: String,
    /// The tool that returned it.
    pub tool: String,
    /// Where in the arguments it stands, as a JSON pointer.
    pub at: String,
    /// The value, or its beginning.
    pub value: String,
}

/// An argument that is also sent as an HTTP header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct HeaderArgument {
    /// The names to follow from the top.
    pub at: Vec<String>,
    pub header: String,
}

/// Why a standing permission was not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Raised {
    /// The tool says that it destroys things; such permissions never reach further than one chat.
    ClaimsDestructive,
}

/// What a server tells models, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Change {
    pub subject: ChangeSubject,
    /// The definition that was accepted; null where its record is lost.
    pub before: Value,
    /// The definition the server sends now.
    pub after: Value,
    /// What differs, member by member.
    pub differences: Vec<Difference>,
}

/// What a server changed of what it tells models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum ChangeSubject {
    /// The definition of a tool that was accepted.
    Tool { name: String },
    /// Tools that it did not have when it was first connected. The definitions are members by name.
    NewTools { names: Vec<String> },
    /// Its instructions, new or changed.
    Instructions,
}

/// One member that differs between two definitions.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Difference {
    /// JSON pointer (RFC 6901) into the definition ("/inputSchema/properties/city/description").
    pub path: String,
    pub before: Option<String>,
    /// What stands there now.
    pub after: Option<String>,
}

/// What the user says.
#[derive(Clone, Debug, PartialEq, Deserialize, ts_rs::TS)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Not now. Also what closing the window, losing the question or quitting says.
    Cancel,
    Refuse {
        /// In the user's words, for the model.
        reason: Option<String>,
    },
    Accept {
        scope: Scope,
        /// The arguments as the user left them; `None` means as shown.
        #[ts(type = "Record<string, unknown> | null")]
        arguments: Option<Map<String, Value>>,
        /// What has to hold for the arguments of later calls, where the answer is to hold for longer.
        #[serde(default)]
        when: Vec<Condition>,
    },
    /// Yes to a form, filled in.
    Submit {
        /// What stands in the fields; what is left empty is left out.
        #[ts(type = "Record<string, unknown>")]
        content: Map<String, Value>,
        /// The fields that look like a secret and that the user said hold none.
        #[serde(default)]
        not_secret: Vec<String>,
    },
    /// Yes, open this page; also once more.
    Open,
    /// The page has been visited; go on.
    Done,
    /// No, and hear no more questions of this kind from this server.
    Mute {
        /// For how long; `None` until the user says otherwise.
        minutes: Option<u32>,
    },
    /// Show what waits behind this card on cards of their own, some at a time.
    OneByOne,
}

impl Answer {
    /// Whether it lets something happen, and so counts only after the guard.
    #[must_use]
    pub fn permits(&self) -> bool {
        !matches!(
            self,
            Self::Cancel | Self::Refuse { .. } | Self::Mute { .. } | Self::OneByOne
        )
    }
}

/// An answer on its way back, with what proves that it belongs to the question.
#[derive(Clone, Debug, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    pub question: QuestionId,
    pub nonce: String,
    /// The digest of what was shown.
    pub digest: Digest,
    pub answer: Answer,
    /// Further questions this is the answer to: only such that ask exactly the same.
    #[serde(default)]
    pub also: Vec<QuestionId>,
}
