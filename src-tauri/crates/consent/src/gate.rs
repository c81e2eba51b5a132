//! The gate: every effect comes here as a request and leaves as a permit or a refusal. It asks the engine, then
//! the user where the engine says so, writes the decision to the ledger, and only then makes the permit. It
//! never performs an effect itself.

mod ask;
mod call;
mod connect;
mod decide;
mod exact_numbers;
mod folders;
mod form;
mod launch_change;
mod ledger_body;
mod model_start;
mod mute;
mod page;
mod quarantine;
mod read;
mod record;
mod rule_changes;
mod rule_summaries;
mod rules;
mod sampling;
mod sign_in;
mod unasked;
mod widen;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use vestibule_policy::{Because, Condition, Digest, Scope};
use vestibule_protocol::ServerId;
use vestibule_store::{Store, StoreError};

use crate::permit::Permit;
use crate::rules::Rules;
use crate::{Answer, Inbox};
pub use ask::Questions;
pub use call::{ArgumentPaths, CallRequest, FindPaths};
pub use connect::{ConnectRequest, FetchApproval, RunApproval, StartRequest};
pub use folders::ShareRequest;
pub use form::FormRequest;
pub use model_start::ModelStartRequest;
pub use page::{PageRequest, VisitReply};
pub use read::PickContext;
pub(crate) use record::{EffectRecord, LedgerWriter};
pub use rules::RuleBook;
pub use sampling::{ReplyRequest, SampleRequest};
pub use sign_in::{LookUpRequest, SignInRequest};
pub use unasked::SentFile;
pub use widen::WidenRequest;

/// How long a yes stays inert on an ordinary card.
const CLICK_DELAY: Duration = Duration::from_millis(500);
/// How long where code will run on this computer.
const CLICK_DELAY_FOR_CODE: Duration = Duration::from_secs(3);

/// Where effects are agreed to.
pub struct Gate {
    questions: Arc<Questions>,
    rules: RuleBook,
    ledger: Arc<LedgerWriter>,
    clock: fn() -> Timestamp,
}

/// Why there is no permit.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// The user said no.
    #[error("the user refused")]
    ByUser {
        /// In the user's words.
        reason: Option<String>,
    },
    /// The user did not decide.
    #[error("the user did not decide")]
    Dismissed,
    /// Too many questions of the server wait already.
    #[error("the user was not asked, because too many questions of this server wait")]
    NotAsked,
    /// A rule says no.
    #[error("a rule of the user refuses it")]
    ByRule(Vec<Because>),
    /// The user does not want to hear such questions now.
    #[error("the user has muted questions of this kind")]
    Muted,
    /// The definition changed and waits to be accepted.
    #[error("the definition changed and waits to be accepted")]
    DefinitionChanged,
    /// The decision could not be written down, so it does not count.
    #[error(transparent)]
    LedgerFailed(#[from] StoreError),
}

/// A permit, or why there is none.
pub type GateResult<T> = Result<Permit<T>, Denied>;

/// A yes, and how it came about.
struct Approval {
    scope: Scope,
    arguments: Option<Map<String, Value>>,
    /// What a rule that comes of it asks of later arguments.
    when: Vec<Condition>,
    because: Vec<Because>,
    shown: Option<Digest>,
    /// How long the user took.
    waited: Option<Duration>,
}

impl Approval {
    /// The user's, this once, to a card with this digest.
    fn once(shown: Digest) -> Self {
        Self {
            shown: Some(shown),
            ..Self::without_card(Scope::Once)
        }
    }

    /// The yes in an answer to a card with this digest; otherwise the answer again.
    fn answered(answer: Answer, shown: Digest, waited: Duration) -> Result<Self, Answer> {
        match answer {
            Answer::Accept {
                scope,
                arguments,
                when,
            } => Ok(Self {
                scope,
                arguments,
                when,
                because: vec![Because::Person { scope }],
                shown: Some(shown),
                waited: Some(waited),
            }),
            other => Err(other),
        }
    }

    /// The user's own doing, without a card.
    fn without_card(scope: Scope) -> Self {
        Self::because(vec![Because::Person { scope }])
    }

    /// For these reasons, without a card.
    fn because(because: Vec<Because>) -> Self {
        Self {
            scope: Scope::Once,
            arguments: None,
            when: vec![],
            because,
            shown: None,
            waited: None,
        }
    }
}

impl Gate {
    /// A gate over the rules in `store`, asking through `inbox`. Must be opened inside a runtime, which writes what
    /// is left to write when a permit is dropped.
    ///
    /// # Errors
    /// When the rules cannot be read.
    pub async fn open(store: Store, inbox: Inbox, clock: fn() -> Timestamp) -> Result<Self, StoreError> {
        let rules = Rules::load(store.clone()).await?;
        let ledger = Arc::new(LedgerWriter::new(store));
        let questions = Arc::new(Questions::new(inbox, Arc::clone(&ledger), clock));
        questions.load_muted().await?;
        Ok(Self {
            rules: RuleBook::new(rules, Arc::clone(&questions)),
            questions,
            ledger,
            clock,
        })
    }

    /// The rules, to look at and to change.
    #[must_use]
    pub fn rules(&self) -> &RuleBook {
        &self.rules
    }

    /// The questions, to answer and to mute.
    #[must_use]
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Answers every question about a server with "not now", because it is about to be another one than its cards show.
    pub fn server_changes(&self, server: ServerId) {
        self.questions.inbox.dismiss_server(server);
    }

    /// Forgets the rules and the mutes of a server that was removed.
    pub fn server_removed(&self, server: ServerId) {
        self.rules.forget_server(server);
        self.questions.forget_server(server);
    }

    /// Waits until everything that is still to be written is written. Permits that are given up later are not
    /// waited for.
    pub async fn close(&self) {
        self.questions.write_suppressed();
        self.ledger.close().await;
    }
}

/// A span of time as the ledger writes it.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
