//! Consent: what is asked, how it is answered, and the permit that comes of a yes. Nothing in Vestibule can
//! start, call or open anything without a [`Permit`], and this crate alone makes them, after the decision is in
//! the ledger. It knows neither windows nor servers.

#[cfg(test)]
mod cards;
mod change;
mod form;
mod gate;
mod inbox;
mod page;
mod permit;
mod quarantine;
mod question;
mod rules;

pub use change::differences;
pub use form::{ChoiceOption, FieldKind, FieldProblem, Form, FormField, Misfit, NoForm, Pattern};
pub use gate::{
    CallRequest, ConnectRequest, Denied, EffectOutcome, FindPlaces, FormRequest, Gate, PageRequest,
    PickContext, ReplyRequest, RunApproval, SampleRequest, SignInRequest, StartRequest, VisitReply,
    WidenRequest,
};
pub use inbox::{
    Draft, Inbox, InboxEvent, Kept, NotAsked, NotTaken, PendingAnswer, Validate, ValidateNow, Validation,
};
pub use page::{Page, Relation, Visit};
pub use permit::{
    CallTool, ConnectServer, GetPrompt, OpenPage, Permit, ReadResource, Receipt, RunSample, SendForm,
    SendReply, SignInServer, StartServer, TellRoots, Widen,
};
pub use quarantine::QuarantinedRule;
pub use question::{
    About, Answer, ArgumentFindings, BudgetFace, BudgetLeft, Call, CarriedValue, Cause, Change, Claims,
    Connection, Difference, Flood, FloodGroup, FolderFacts, FolderPick, FolderReach, FolderTrouble,
    IssuerSite, Launch, LaunchGap, LaunchGapKind, LaunchRisk, LedgerDoubt, ModelFace, MoveChats, NamedValue,
    OutsidePath, PathFinding, PickReason, PromptEdit, Question, Raised, Reply, ReplyEdit, RuleFace, RuleSet,
    SampleBlock, SampleMessage, SampleModel, SamplePriority, SamplePrompt, SampleReply, SampleRole,
    SampleTool, SampleToolUse, ServerFace, ServerRule, ShareFolders, SignIn, SignInClient, SignInFile,
    SignInHistory, SignInOddity, SignInWay, Tool, ValueDisplay, Widening, WorkspaceFace,
};
