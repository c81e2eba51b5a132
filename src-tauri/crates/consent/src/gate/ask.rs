//! Asking the user: the question is put into the inbox, its answer is waited for, and one that is no yes is written down. A
//! question that is not asked is refused, and counted (`mute.rs`).

use std::sync::Arc;

use jiff::Timestamp;
use vestibule_policy::{Because, Digest, Scope};
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::mute::SuppressedCounter;
use super::record::{DecisionWord, EffectRecord, LedgerWriter};
use super::{Approval, CLICK_DELAY, Denied, GateResult};
use crate::inbox::PendingAnswer;
use crate::{Answer, Cause, Draft, Inbox, NotAsked, QuestionBody, ServerSummary};

/// The questions of the gate and their answers.
pub struct Questions {
    pub(super) inbox: Inbox,
    pub(super) ledger: Arc<LedgerWriter>,
    pub(super) clock: fn() -> Timestamp,
    pub(super) suppressed: SuppressedCounter,
    /// Held while the mutes are written, so that the last write is the latest state.
    pub(super) keeping: Arc<tokio::sync::Mutex<()>>,
}

impl Questions {
    pub(super) fn new(inbox: Inbox, ledger: Arc<LedgerWriter>, clock: fn() -> Timestamp) -> Self {
        Self {
            inbox,
            ledger,
            clock,
            suppressed: SuppressedCounter::default(),
            keeping: Arc::default(),
        }
    }

    /// A card as most are: for this once, with the usual click delay, asked now.
    pub(super) fn draft(&self, server: ServerSummary, cause: Option<Cause>, about: QuestionBody) -> Draft {
        Draft {
            server,
            cause,
            about,
            scopes: vec![Scope::Once],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: None,
        }
    }

    /// A card that is answered with values or by opening a page. It has no scope, so a plain yes is no answer to it.
    pub(super) fn draft_without_yes(
        &self,
        server: ServerSummary,
        cause: Option<Cause>,
        about: QuestionBody,
    ) -> Draft {
        Draft {
            scopes: vec![],
            ..self.draft(server, cause, about)
        }
    }

    /// Parks a question. Where it is not asked, the refusal is written down.
    pub(super) async fn ask(&self, effect: &EffectRecord, draft: Draft) -> Result<PendingAnswer, Denied> {
        let why = match self.inbox.ask(draft) {
            Ok(asked) => return Ok(asked),
            Err(why) => why,
        };
        if why != NotAsked::Closing
            && let Some(entry) = self.suppressed.count_refusals(effect, why, 1, (self.clock)())
        {
            self.ledger.store.append(entry).await?;
        }
        Err(match why {
            NotAsked::Muted => Denied::Muted,
            NotAsked::TooMany => Denied::NotAsked,
            NotAsked::Closing => Denied::Dismissed,
        })
    }

    /// Asks what no rule answers, and waits for what the user says; with the digest of what was shown.
    ///
    /// # Errors
    /// [`Denied::NotAsked`] where too many questions wait.
    #[tracing::instrument(name = "gate", skip_all, fields(server = %draft.server.id))]
    pub(super) async fn ask_user(
        &self,
        effect: &EffectRecord,
        draft: Draft,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<(Answer, Digest), Denied> {
        let mut waiting = self.ask(effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        Ok((answer, waiting.digest()))
    }

    /// Asks what no rule answers and what the card does not let the user change, and makes a permit of a yes.
    pub(super) async fn approve_once<T>(
        &self,
        effect: EffectRecord,
        draft: Draft,
        facts: LedgerBody,
        what: T,
        asked: impl FnMut(QuestionId),
    ) -> GateResult<T> {
        let (answer, shown) = self.ask_user(&effect, draft, asked).await?;
        let Answer::Accept { .. } = answer else {
            return Err(self.deny_by_answer(&effect, answer, facts).await);
        };
        Ok(self
            .ledger
            .mint(effect, Approval::once(shown), facts, what)
            .await?)
    }

    /// A question that no rule answers and whose refusal is not written down: yes or no, with a single scope.
    pub(super) async fn ask_alone(
        &self,
        server: ServerSummary,
        about: QuestionBody,
        scope: Scope,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Option<Scope>, NotAsked> {
        let draft = Draft {
            scopes: vec![scope],
            ..self.draft(server, None, about)
        };
        let mut waiting = self.inbox.ask(draft)?;
        asked(waiting.id());
        Ok(match waiting.answer().await {
            Answer::Accept { scope, .. } => Some(scope),
            _ => None,
        })
    }

    /// Writes down an answer that is no yes. An answer that does not belong to the card is one too.
    pub(super) async fn deny_by_answer(
        &self,
        effect: &EffectRecord,
        answer: Answer,
        details: LedgerBody,
    ) -> Denied {
        let (said, no) = match answer {
            Answer::Refuse { reason } => (DecisionWord::Refused, Denied::ByUser { reason }),
            Answer::Mute { .. } => (DecisionWord::Muted, Denied::Muted),
            _ => (DecisionWord::NotNow, Denied::Dismissed),
        };
        let because = [Because::Person { scope: Scope::Once }];
        match self.ledger.record_denial(effect, said, &because, details).await {
            Ok(()) => no,
            Err(error) => Denied::LedgerFailed(error),
        }
    }
}
