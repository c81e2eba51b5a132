//! Everything that crosses between the application and its windows: questions and answers, chats, servers, rules, the
//! ledger, settings, problems and events. The bindings the UI compiles against are generated from these types. They
//! carry facts, never sentences: words come from the UI's catalogue. Nothing here does any IO or decides anything.

mod app_configs;
mod backups;
mod built_in;
mod bundle;
mod call;
mod change;
mod chat;
mod chat_files;
mod chat_find;
mod chat_search;
mod commands;
mod cost;
mod diagnosis;
pub mod estimate;
mod event;
mod event_stream;
mod form;
mod gallery;
mod imported;
mod ledger;
mod meter;
mod models;
mod muted;
mod notice;
mod offers;
mod page;
mod picture;
mod problem;
mod question;
mod rows;
mod rule;
mod server;
mod settings;
mod sign_in;
mod sign_in_settings;
mod state_events;
mod stored;
mod tool_name;
mod traffic;
mod workspace;

pub use app_configs::{AppConfigContent, AppConfigFile, AppConfigs, DraftComparison, DraftPart};
pub use backups::{BackupView, BackupWritten, DataCounts};
pub use built_in::{BuiltInCall, BuiltInOutcome, BuiltInTool, FoundTool};
pub use bundle::{
    BundleDraft, BundleFault, BundleKind, BundleLaunch, BundleManifest, BundleRuntime, BundleSetting,
    BundleSettingKind, BundleValueFault, BundleView,
};
pub use call::{
    CallBody, CallState, ContentView, ProgressView, RefusedBy, ResultChoice, ResultShare, ResultView,
    TaskView,
};
pub use change::{ChangeEnd, ChangeOutcome, ConnectionSaved, ModelsAdded};
pub use chat::{
    ChatSummary, ChatUsageView, ChatView, Compaction, DraftView, EntriesPart, EntriesView, EntryBody,
    EntryView, LeftOutReason, NoSummary, QueuedView, RetryView, TextState, ToolLeftOut, ToolOff, ToolProfile,
    UsageView, VersionsView,
};
pub use chat_files::{
    ChatFileForm, ChatImportView, ChatPartFault, ChatPartLeftOut, ChatSource, ChatsImported,
};
pub use chat_find::{ChatFindHit, ChatFindPlace, ChatFindView};
pub use chat_search::{ChatHit, ChatSearch, ExcerptPart, HitSpeaker};
pub use cost::{BudgetScope, Cost, CostBudget, CostsView, Currency, NoCurrency, UsedBudget};
pub use diagnosis::{
    CertificateFault, Correction, Diagnosis, FailureCause, FormPart, Guide, NextStep, RuntimeTool,
};
pub use event::{Envelope, FileDrag, HostEvent, InboxMessage, InboxState, LastEvent, Snapshot, WaitingView};
pub use event_stream::EventStream;
pub use form::{ChoiceOption, FieldError, FieldKind, FieldProblem, Form, FormField, NoForm, Pattern};
pub use gallery::{
    BundleOffer, GalleryEntry, GalleryPackage, GalleryPage, GalleryPublisher, LeftOutEntries, PackageFault,
    PackageKind,
};
pub use imported::{
    FillIn, FillKind, OmitReason, Omitted, OptionalWords, ParsedServer, ParsedServers, SkippedServer,
};
pub use ledger::{
    ExportedFile, HeadState, LedgerBreak, LedgerCheck, LedgerPage, LedgerQuery, LedgerSigned, LedgerView,
    NameSeen, RemovedServerView, SeenByServer,
};
pub use meter::{MeterTools, MeterView};
pub use models::{
    ChatEffort, ChatSettings, ConnectionDraft, ConnectionView, FactSource, FactsView, HeaderDraft,
    ListedModelView, LocalModelDraft, LocalModelState, LocalModelView, LocalModels, ModelDraft, ModelKind,
    ModelListingView, ModelView, ModelWire, NumberFact, PricesFact, SwitchFact, TrialFailure, TrialStep,
    TrialView,
};
pub use muted::{MutedView, RequestKind};
pub use notice::{FinishedChat, FrontCard, NoticeKind, NoticeView};
pub use offers::{
    AttachedPart, AttachmentFrom, AttachmentView, CompletionAsk, CompletionOf, CompletionView, FilesAttached,
    OffersView, PromptView, ResourcePick, ResourceView, TemplateView,
};
pub use page::{Page, PageSource, Relation, Visit};
pub use picture::PicturePlace;
pub use problem::{
    BundleProblem, CallProblem, GalleryProblem, InputProblem, ModelProblem, Problem, QuestionProblem,
    ServerProblem, StoreProblem,
};
pub use question::{
    Answer, ArgumentFindings, BudgetLeft, Call, CarriedValue, Cause, Change, ChangeSubject, Claims,
    Connection, ConnectionSummary, Difference, Flood, FloodGroup, FolderFacts, FolderPick, FolderReach,
    FolderTrouble, HeaderArgument, IssuerLookUp, IssuerSite, Launch, LaunchGap, LaunchGapKind, LaunchPackage,
    LaunchRisk, LedgerDoubt, ModelSummary, MoveChats, NamedValue, PackageChange, PackageState, PackageUpdate,
    PathFinding, PickReason, PriceChange, PriceSummary, PromptEdit, Question, QuestionBody, Raised, Reply,
    ReplyEdit, RuleBinding, RuleSet, RuleSummary, SampleBlock, SampleMessage, SampleModel, SamplePriority,
    SamplePrompt, SampleReply, SampleTool, SampleToolUse, SavedInput, ServerRule, ServerSummary,
    ShareFolders, SignIn, SignInClient, SignInFile, SignInHistory, SignInOddity, SignInWay, Tool,
    ValueDisplay, Widening, WorkspaceSummary,
};
pub use rows::{RowFault, RowFinding, RowRef, RowTable, RowsProtection, RowsView};
pub use rule::{RuleChange, RuleDraft, RuleTrial, RuleView, RulesImported, TrialRequest};
pub use server::{
    EndpointDraft, EnvPair, LogLine, LogPage, LogSource, PackageView, PlaceDraft, PlaceView, ProgramDraft,
    ReadyView, ServerDraft, ServerEditEffects, ServerState, ServerView, StartRefusal, ToolList, ToolRule,
    ToolView, UpdateProgress,
};
pub use settings::{
    Appearance, Language, LargeResults, OFFICIAL_REGISTRY, SecretsState, Settings, SettingsChange,
    ToolDiscovery, USUAL_PICTURE_EDGE, USUAL_PICTURES_SENT,
};
pub use sign_in::{HeldSignIn, SignInFailure, SignInPhase, SignInView};
pub use sign_in_settings::{
    CompanyView, EnteredClientView, SignInMethod, SignInOffers, SignInSecrets, SignInSettings,
    SigningAlgorithm, SigningKeyView,
};
pub use state_events::StateEvents;
pub use stored::{InlineRoom, MAX_INLINE, StoredForm, StoredPart, stays_inline};
pub use tool_name::{MAX_TOOL_NAME, free_tool_name, sendable_tool_name};
pub use traffic::{ExchangeView, MessageView, Outcome, Side, TrafficPage};
pub use vestibule_schema::Unchecked;
pub use workspace::{Budget, BudgetView, FolderView, ShareView, WorkspaceView};

#[cfg(test)]
mod tests;
