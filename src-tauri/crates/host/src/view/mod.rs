//! What the windows see. These types cross to the UI and are its whole vocabulary; the bindings the UI compiles
//! against are generated from them. They carry facts, never sentences: words come from the UI's catalogue.

mod change;
mod chat;
mod event;
mod ledger;
mod muted;
mod notice;
mod offers;
mod problem;
mod rows;
mod rule;
mod server;
mod settings;
mod sign_in;
mod sign_in_settings;
mod traffic;
mod workspace;

pub use change::{ChangeEnd, ChangeOutcome, ModelSaved};
pub use chat::{
    CallBody, CallState, ChatView, ContentView, EntriesView, EntryBody, EntryView, ProgressView, RefusedBy,
    ResultView, TaskView, TextState,
};
pub use event::{Envelope, HostEvent, InboxMessage, InboxState, Snapshot, WaitingView};
pub use ledger::{
    ExportedFile, HeadState, LedgerBreak, LedgerCheck, LedgerPage, LedgerQuery, LedgerSigned, LedgerView,
    NameSeen, RemovedServerView, SeenByServer,
};
pub use muted::{MutedView, RequestKind};
pub use notice::{NoticeKind, NoticeView};
pub use offers::{
    AttachedPart, AttachmentFrom, AttachmentView, CompletionAsk, CompletionOf, CompletionView, OffersView,
    PromptView, ResourcePick, ResourceView, TemplateView,
};
pub use problem::Problem;
pub use rows::{RowFaultKind, RowFinding, RowRef, RowTable, RowsProtection, RowsView};
pub use rule::{RuleChange, RuleDraft, RuleTrial, RuleView, RulesImported, TrialRequest};
pub use server::{
    EndpointDraft, EnvPair, LogLine, LogPage, LogSource, ParsedServers, PlaceDraft, PlaceView, ProgramDraft,
    ReadyView, ServerDraft, ServerState, ServerView, SkippedServer, ToolRule, ToolView, TransportUsed,
};
pub use settings::{
    Appearance, Language, LocalModels, ModelDraft, ModelKind, ModelView, SecretsState, Settings,
    SettingsChange,
};
pub use sign_in::{HeldSignIn, SignInFailure, SignInPhase, SignInView};
pub use sign_in_settings::{
    CompanyView, EnteredClientView, SignInMethod, SignInOffers, SignInSecrets, SignInSettings,
    SigningAlgorithm, SigningKeyView,
};
pub use traffic::{ExchangeView, MessageView, Outcome, Side, TrafficPage};
pub use vestibule_schema::Unchecked;
pub use workspace::{Budget, BudgetView, FolderView, ShareView, WorkspaceView};
