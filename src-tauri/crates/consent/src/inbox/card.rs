//! How a card is made of what is asked: its digest, its nonce and its click delay.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use uuid::Uuid;
use vestibule_policy::{Digest, Scope};
use vestibule_protocol::{QuestionId, json_length};

use crate::{Cause, Question, QuestionBody, ServerSummary};

/// A question before it is asked.
#[derive(Clone)]
pub struct Draft {
    pub server: ServerSummary,
    pub cause: Option<Cause>,
    pub about: QuestionBody,
    /// The scopes on offer, narrowest first.
    pub scopes: Vec<Scope>,
    /// How long a yes stays inert.
    pub click_delay: Duration,
    /// When it is asked.
    pub asked_ms: i64,
    /// Says what is wrong with arguments the user changed, so that the card can say it and stay.
    pub validate: Option<Validate>,
}

/// A check of arguments that were changed on a card; fails with the reason why they cannot be sent.
#[derive(Clone)]
pub enum Validate {
    /// A short check of our own; runs while the answer is taken.
    Now(Arc<ValidateNow>),
    /// A check that a server can make slow; [`Inbox::answer_when_checked`](crate::Inbox::answer_when_checked) waits for it before the answer is taken.
    Later(Arc<dyn Fn(Map<String, Value>) -> Validation + Send + Sync>),
}

/// A check that is made at once.
pub type ValidateNow = dyn Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync;

/// A check that is being made.
pub type Validation = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

impl Validate {
    /// A short check of our own.
    pub fn now(check: impl Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self::Now(Arc::new(check))
    }

    /// A check that is waited for.
    pub fn later<F>(check: impl Fn(Map<String, Value>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::Later(Arc::new(move |arguments| Box::pin(check(arguments))))
    }
}

/// The question, and about how many bytes it holds.
pub(super) fn question(draft: &Draft, often: Option<u32>, denied: Option<u32>) -> (Question, usize) {
    let shown = shown(draft);
    let mut same = shown.clone();
    same["cause"] = json!(draft.cause.as_ref().map(|cause| cause.chat));
    let bytes = json_length(&shown);
    let question = Question {
        id: QuestionId::new(),
        server: draft.server.clone(),
        cause: draft.cause.clone(),
        about: draft.about.clone(),
        scopes: draft.scopes.clone(),
        guard_ms: u32::try_from(draft.click_delay.as_millis()).unwrap_or(u32::MAX),
        asked_ms: draft.asked_ms,
        often,
        denied,
        nonce: nonce(),
        digest: Digest::of_question(&shown),
        same: Digest::of_question(&same),
    };
    (question, bytes)
}

/// What an answer to the question agrees to or denies.
fn shown(draft: &Draft) -> Value {
    json!({
        "server": draft.server, "cause": draft.cause, "about": draft.about, "scopes": draft.scopes,
    })
}

pub(super) fn nonce() -> String {
    Uuid::new_v4().simple().to_string()
}

pub(super) fn click_delay(card: &Question) -> Duration {
    Duration::from_millis(card.guard_ms.into())
}

/// What a card has to be answered by: its own, or what every question behind it asks.
pub(super) fn content_of(about: &QuestionBody) -> Option<&QuestionBody> {
    match about {
        QuestionBody::Flood(flood) => flood.alike.as_deref(),
        own => Some(own),
    }
}
