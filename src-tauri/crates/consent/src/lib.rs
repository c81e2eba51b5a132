//! Consent: what is asked, how it is answered, and the permit that comes of a yes. Nothing in Vestibule can
//! start, call or open anything without a [`Permit`], and this crate alone makes them, after the decision is in
//! the ledger. It knows neither windows nor servers.

#[cfg(test)]
mod cards;
mod change;
mod gate;
mod inbox;
mod permit;
mod quarantine;
mod rules;

pub use change::differences;
pub use gate::{
    CallRequest, ConnectRequest, Denied, EffectOutcome, FindPlaces, FormRequest, Gate, PageRequest,
    PickContext, ReplyRequest, RunApproval, SampleRequest, SignInRequest, StartRequest, VisitReply,
    WidenRequest,
};
pub use inbox::{
    Draft, Inbox, InboxEvent, NotAsked, NotTaken, PendingAnswer, Validate, ValidateNow, Validation,
};
pub use permit::{
    CallTool, ConnectServer, GetPrompt, OpenPage, Permit, ReadResource, Receipt, RunSample, SendForm,
    SendReply, SignInServer, StartServer, TellRoots, Widen,
};
pub use quarantine::QuarantinedRule;
pub use vestibule_app_protocol::{
    About, Answer, ArgumentFindings, Budget, BudgetLeft, Call, CarriedValue, Cause, Change, ChoiceOption,
    Claims, Connection, Difference, FieldKind, FieldProblem, Flood, FloodGroup, FolderFacts, FolderPick,
    FolderReach, FolderTrouble, Form, FormField, IssuerSite, Kept, Launch, LaunchGap, LaunchGapKind,
    LaunchRisk, LedgerDoubt, Misfit, ModelFace, MoveChats, NamedValue, NoForm, OutsidePath, Page,
    PathFinding, Pattern, PickReason, PromptEdit, Question, Raised, Relation, Reply, ReplyEdit, RuleFace,
    RuleSet, SampleBlock, SampleMessage, SampleModel, SamplePriority, SamplePrompt, SampleReply, SampleTool,
    SampleToolUse, ServerFace, ServerRule, ShareFolders, SignIn, SignInClient, SignInFile, SignInHistory,
    SignInOddity, SignInWay, Tool, ValueDisplay, Visit, Widening, WorkspaceFace,
};
