//! Consent: what is asked, how it is answered, and the permit that comes of a yes. Nothing in Vestibule can
//! start, call or open anything without a [`Permit`], and this crate alone makes them, after the decision is in
//! the ledger. It makes no window and reaches no server; `inbox/window.rs` judges what the shell
//! reports of the focus and the pointer.

mod change;
mod effect;
mod gate;
mod inbox;
mod permit;
mod quarantine;
mod rules;
#[cfg(test)]
mod tests;

pub use change::differences;
pub use effect::{Effect, EffectEnd, ResultFacts};
pub use gate::{
    ArgumentPaths, CallRequest, ConnectRequest, Denied, FetchApproval, FindPaths, FormRequest, Gate,
    GateResult, LookUpRequest, ModelStartRequest, PageRequest, PickContext, Questions, ReplyRequest,
    RuleBook, RunApproval, SampleRequest, SentFile, ShareRequest, SignInRequest, StartRequest, VisitReply,
    WidenRequest,
};
pub use inbox::{
    Draft, Inbox, InboxEvent, InboxSnapshot, NotAsked, NotTaken, PendingAnswer, Validate, ValidateNow,
    Validation, WindowReport,
};
pub use permit::{
    CallTool, CompleteFields, ConnectServer, GetPrompt, LookUpIssuer, OpenPage, Permit, ReadResource,
    RunSample, SendForm, SendReply, SetLogLevel, SignInServer, StartModelServer, StartServer, TellRoots,
    WatchResource, Widen,
};
pub use quarantine::QuarantinedRule;
pub use vestibule_app_protocol::{
    Answer, ArgumentFindings, Budget, BudgetLeft, Call, CarriedValue, Cause, Change, ChangeSubject,
    ChoiceOption, Claims, Connection, ConnectionSummary, Difference, FieldError, FieldKind, FieldProblem,
    Flood, FloodGroup, FolderFacts, FolderPick, FolderReach, FolderTrouble, Form, FormField, HeaderArgument,
    IssuerLookUp, IssuerSite, Launch, LaunchGap, LaunchGapKind, LaunchPackage, LaunchRisk, LedgerDoubt,
    ModelSummary, MoveChats, NamedValue, NoForm, PackageState, Page, PageSource, PathFinding, Pattern,
    PickReason, PromptEdit, Question, QuestionBody, Raised, Relation, Reply, ReplyEdit, RuleBinding, RuleSet,
    RuleSummary, SampleBlock, SampleMessage, SampleModel, SamplePriority, SamplePrompt, SampleReply,
    SampleTool, SampleToolUse, SavedInput, ServerRule, ServerSummary, ShareFolders, SignIn, SignInClient,
    SignInFile, SignInHistory, SignInOddity, SignInWay, Tool, ValueDisplay, Visit, Widening,
    WorkspaceSummary,
};
