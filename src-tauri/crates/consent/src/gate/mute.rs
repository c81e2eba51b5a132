//! Questions that are not asked, because there are too many or because the user muted their kind.
//! Each of them is refused, and the ledger says so without becoming a flood itself: the first is written at once, and
//! those after it are counted and written together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};
use vestibule_policy::{Because, Muted, RequestKind, Scope};
use vestibule_protocol::ServerId;
use vestibule_store::{LedgerDraft, LedgerKind, StoreError};

use super::ask::Questions;
use super::record::{DecisionWord, EffectRecord};
use crate::{NotAsked, NotTaken, Reply};

/// The setting that keeps what is muted.
const KEPT: &str = "muted";
/// How long refusals of one kind are counted before they are written down together, in milliseconds.
const TOGETHER_MS: i64 = 60_000;

/// What is counted together: the server, the action and why the user was not asked.
type SuppressedKey = (Option<ServerId>, &'static str, NotAsked);

/// Refusals that are counted and not written yet.
#[derive(Default)]
pub(super) struct SuppressedCounter(Mutex<HashMap<SuppressedKey, SuppressedCount>>);

struct SuppressedCount {
    since: i64,
    more: u32,
    effect: EffectRecord,
}

impl SuppressedCount {
    fn new(since: i64, effect: EffectRecord) -> Self {
        Self {
            since,
            more: 0,
            effect,
        }
    }

    /// Counts more refusals. What is to be written of all of them, once it is time for that.
    fn add(&mut self, times: u32, now: i64) -> Option<u32> {
        let all = self.more.saturating_add(times);
        if now.saturating_sub(self.since) < TOGETHER_MS {
            self.more = all;
            return None;
        }
        Some(all)
    }
}

impl SuppressedCounter {
    /// Counts refusals; what is to be written of them now.
    pub(super) fn count_refusals(
        &self,
        effect: &EffectRecord,
        why: NotAsked,
        times: u32,
        now: Timestamp,
    ) -> Option<LedgerDraft> {
        let now = now.as_millisecond();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (effect.server, effect.action, why);
        let times = match counts.get_mut(&key) {
            Some(count) => count.add(times, now)?,
            None => times,
        };
        counts.insert(key, SuppressedCount::new(now, effect.clone()));
        Some(entry(effect, why, times))
    }

    /// What is left to be written, of one server or of all.
    fn take_unwritten(&self, of: Option<ServerId>) -> Vec<LedgerDraft> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = counts.extract_if(|(server, ..), _| of.is_none_or(|of| Some(of) == *server));
        gone.filter(|(_, count)| count.more > 0)
            .map(|((_, _, why), count)| entry(&count.effect, why, count.more))
            .collect()
    }
}

impl Questions {
    /// Counts so many questions of a server that were refused unread, because more than enough of them are under way.
    pub fn count_turned_away(&self, server: ServerId, asking: RequestKind, action: &'static str, times: u32) {
        self.inbox.count_turned_away(server, asking, times);
        let effect = EffectRecord::new(server, None, action, "");
        if let Some(entry) = self
            .suppressed
            .count_refusals(&effect, NotAsked::TooMany, times, (self.clock)())
        {
            self.ledger.write(entry);
        }
    }

    /// Takes an answer of the user.
    ///
    /// # Errors
    /// When it is not an answer to this question, or a yes that came too soon; the question goes on waiting.
    pub fn answer(&self, reply: Reply) -> Result<(), NotTaken> {
        let before = self.inbox.muted();
        self.inbox.answer(reply)?;
        self.keep_new_mutes(&before);
        Ok(())
    }

    /// Takes an answer of the user, after a check of changed arguments that has to be waited for.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn answer_when_checked(&self, reply: Reply) -> Result<(), NotTaken> {
        let before = self.inbox.muted();
        self.inbox.answer_when_checked(reply).await?;
        self.keep_new_mutes(&before);
        Ok(())
    }

    fn keep_new_mutes(&self, before: &[Muted]) {
        let new = self.inbox.muted();
        let new: Vec<Muted> = new.into_iter().filter(|one| !before.contains(one)).collect();
        for one in &new {
            self.ledger.write(mute_entry(*one, DecisionWord::Muted));
        }
        if !new.is_empty() {
            self.keep_muted();
        }
    }

    /// What the user has muted now.
    #[must_use]
    pub fn muted(&self) -> Vec<Muted> {
        self.inbox.muted()
    }

    /// Asks questions of this kind again.
    ///
    /// # Errors
    /// When that could not be written down; they are asked all the same.
    pub async fn unmute(&self, server: ServerId, asking: RequestKind) -> Result<(), StoreError> {
        let muted = self.muted();
        let Some(one) = muted
            .iter()
            .find(|one| one.server == server && one.asking == asking)
        else {
            return Ok(());
        };
        self.inbox.unmute(server, asking);
        self.keep_muted();
        for entry in self.suppressed.take_unwritten(Some(server)) {
            self.ledger.store.append(entry).await?;
        }
        self.ledger
            .store
            .append(mute_entry(*one, DecisionWord::HeardAgain))
            .await
            .map(drop)
    }

    /// Mutes what was muted when Vestibule was closed.
    pub(super) async fn load_muted(&self) -> Result<(), StoreError> {
        let Some(kept) = self.ledger.store.setting(KEPT).await? else {
            return Ok(());
        };
        match serde_json::from_value::<Vec<Muted>>(kept) {
            Ok(muted) => self.inbox.restore_mutes(&muted),
            // Then everything is asked, which is the careful side.
            Err(error) => tracing::error!(%error, "failed to read the mutes"),
        }
        Ok(())
    }

    /// Keeps what is muted now. Writes come one after the other, each with the state of its own moment.
    fn keep_muted(&self) {
        let (keeping, inbox) = (Arc::clone(&self.keeping), self.inbox.clone());
        let store = self.ledger.store.clone();
        self.ledger.spawn(async move {
            let _one_at_a_time = keeping.lock().await;
            if let Err(error) = store.put_setting(KEPT, json!(inbox.muted())).await {
                tracing::error!(%error, "failed to persist a mute; it holds until the application ends");
            }
        });
    }

    pub(super) fn forget_server(&self, server: ServerId) {
        self.inbox.forget_server(server);
        self.keep_muted();
    }

    /// Hands everything that was only counted to be written.
    pub(super) fn write_suppressed(&self) {
        for entry in self.suppressed.take_unwritten(None) {
            self.ledger.write(entry);
        }
    }
}

fn entry(effect: &EffectRecord, why: NotAsked, times: u32) -> LedgerDraft {
    let said = match why {
        NotAsked::Muted => DecisionWord::Muted,
        NotAsked::TooMany | NotAsked::Closing => DecisionWord::TooMany,
    };
    let because = match why {
        NotAsked::Muted => json!([Because::Person { scope: Scope::Always }]),
        NotAsked::TooMany | NotAsked::Closing => Value::Null,
    };
    effect.draft(
        LedgerKind::Decision,
        Some(said),
        because,
        json!({ "times": times }),
    )
}

fn mute_entry(muted: Muted, said: DecisionWord) -> LedgerDraft {
    let asking = json!(muted.asking);
    let effect = EffectRecord::new(
        muted.server,
        None,
        "questions.mute",
        asking.as_str().unwrap_or_default(),
    );
    let because = json!([Because::Person { scope: Scope::Always }]);
    let body = json!({ "until": muted.until });
    effect.draft(LedgerKind::Decision, Some(said), because, body)
}
