//! One round of a model: the request, and its reply shown and stored as it comes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use tokio_util::sync::CancellationToken;
use vestibule_client_features::model_problem;
use vestibule_models::{
    CallArguments, FinishReason, ModelCall, ModelError, ModelEvent, ModelRequest, NativeReply,
};
use vestibule_store::StoreError;

use super::failure::TurnFailure;
use super::usage::RequestUsage;
use super::{AskedCall, Turn, context, own_call_id, retry};
use crate::view::{EntryBody, EntryView, ModelProblem, Problem, TextState, sendable_tool_name};
use vestibule_chat_tools::{RoundTools, text_call};

/// How often the words of a model that is speaking are written to disk.
const KEEP: Duration = Duration::from_millis(500);

/// Why a round came to nothing.
enum RoundError {
    /// The model's server refused the request or broke the reply off.
    Model {
        error: ModelError,
        /// Whether something of its reply came before.
        has_output: bool,
    },
    /// What another request to the model cannot change, such as the disk or the kind of reply.
    Other(TurnFailure),
}

impl From<TurnFailure> for RoundError {
    fn from(failure: TurnFailure) -> Self {
        Self::Other(failure)
    }
}

impl From<StoreError> for RoundError {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

/// What came of a round.
pub(super) struct SpokenRound {
    /// The calls that the model asks for.
    pub(super) calls: Vec<AskedCall>,
    /// The tools it was offered.
    pub(super) offer: RoundTools,
    /// The branch before what it said.
    pub(super) entries: Vec<Arc<EntryView>>,
}

impl Turn {
    /// Lets the model speak once. `None` where it was stopped. A request that failed before its first word is prepared again for
    /// another try, since a copy of a long chat would be kept for it otherwise.
    pub(super) async fn speak(&self, stop: &CancellationToken) -> Result<Option<SpokenRound>, TurnFailure> {
        let mut tries = 0;
        loop {
            let Some(round) = self.prepare_round(stop).await? else {
                return Ok(None);
            };
            let (offer, entries) = (round.offer, round.entries);
            match self.speak_once(round.request, &offer, stop).await {
                Ok(calls) => {
                    return Ok(calls.map(|calls| SpokenRound {
                        calls,
                        offer,
                        entries,
                    }));
                }
                Err(RoundError::Other(failure)) => return Err(failure),
                Err(RoundError::Model { error, has_output }) => {
                    let wait = (!has_output).then(|| retry::wait_after(&error, tries)).flatten();
                    // Trying again is worth it also where the user first has to change something: the key, the
                    // address, the model.
                    let Some(wait) = wait else {
                        return Err(TurnFailure::retryable(model_problem(error)));
                    };
                    tries += 1;
                    if retry::wait_to_retry(&self.show_retry, error, wait, stop).await {
                        return Ok(None);
                    }
                }
            }
        }
    }

    async fn speak_once(
        &self,
        request: ModelRequest,
        offer: &RoundTools,
        stop: &CancellationToken,
    ) -> Result<Option<Vec<AskedCall>>, RoundError> {
        let sent = context::text_tokens(&request);
        let usage = RequestUsage::of(self, &request);
        let began = stop
            .run_until_cancelled(self.model.provider.stream(request))
            .await;
        let mut stream = match began {
            Some(Ok(stream)) => stream,
            Some(Err(error)) => {
                usage.note(Some(&error)).await?;
                return Err(RoundError::Model {
                    error,
                    has_output: false,
                });
            }
            None => {
                usage.note(None).await?;
                return Ok(None);
            }
        };
        let mut reply = RoundReply {
            turn: self,
            entry: None,
            kept: Instant::now(),
            calls: vec![],
            native: None,
            usage,
        };
        loop {
            let event = tokio::select! {
                () = stop.cancelled() => {
                    reply.finish(TextState::Stopped, None).await?;
                    return Ok(None);
                }
                event = stream.next() => event,
            };
            match event {
                Some(Ok(ModelEvent::Finished(reason))) => {
                    return reply.end(reason, offer, sent).await;
                }
                Some(Ok(event)) => reply.take(event).await?,
                ended => {
                    let error = ended.and_then(Result::err).unwrap_or(ModelError::Cut);
                    let has_output = reply.entry.is_some() || !reply.calls.is_empty();
                    reply.finish(TextState::Interrupted, Some(&error)).await?;
                    return Err(RoundError::Model { error, has_output });
                }
            }
        }
    }
}

/// The model's server broke a reply off and gave this reason, which is none of the usual ones.
pub(super) fn broken_off_problem(reason: String) -> Problem {
    Problem::Model(ModelProblem::ModelRefused {
        status: 200,
        detail: reason,
    })
}

/// What the model has said in this round, on screen and on disk.
struct RoundReply<'a> {
    turn: &'a Turn,
    entry: Option<EntryView>,
    kept: Instant,
    calls: Vec<ModelCall>,
    native: Option<Box<NativeReply>>,
    usage: RequestUsage<'a>,
}

impl RoundReply<'_> {
    async fn take(&mut self, event: ModelEvent) -> Result<(), StoreError> {
        self.usage.take(&event);
        match event {
            ModelEvent::Text(text) => self.append_text(&text, "").await?,
            ModelEvent::Reasoning(text) => self.append_text("", &text).await?,
            ModelEvent::Call(call) => self.calls.push(call),
            ModelEvent::Native(native) => self.native = Some(native),
            ModelEvent::Usage(_) | ModelEvent::Finished(_) => {}
        }
        Ok(())
    }

    async fn append_text(&mut self, text: &str, reasoning: &str) -> Result<(), StoreError> {
        let transcript = self.turn.transcript.clone();
        let due = self.kept.elapsed() >= KEEP;
        let entry = self.entry().await?;
        transcript.grow(entry, text, reasoning);
        if due {
            transcript.keep(entry).await?;
            self.kept = Instant::now();
        }
        Ok(())
    }

    /// The reply is whole: the calls it asks for, or what went wrong with it. `sent` is the estimated
    /// tokens of the request.
    async fn end(
        mut self,
        reason: FinishReason,
        offer: &RoundTools,
        sent: u64,
    ) -> Result<Option<Vec<AskedCall>>, RoundError> {
        if reason == FinishReason::Filtered {
            self.finish(TextState::Interrupted, None).await?;
            let problem = Problem::Model(ModelProblem::AnswerWithheld);
            return Err(TurnFailure::retryable(problem).into());
        }
        let cut = reason == FinishReason::Length;
        let broken_off = match reason {
            FinishReason::Other(word) => Some(word),
            _ => None,
        };
        let calls = match (cut, &broken_off) {
            // What such a reply asks for may be cut as well.
            (_, Some(_)) => vec![],
            (true, None) => self.made_calls(),
            (false, None) => self.asked_calls(offer),
        };
        // Each round has its entry, so that the calls that follow belong to it.
        if !calls.is_empty() {
            self.entry().await?;
        }
        let (turn, counted) = (self.turn, self.usage.counted());
        let is_refused = |asked: &AskedCall| sendable_tool_name(&asked.call.name) != asked.call.name;
        let has_words = self.has_words();
        // A reply of thoughts alone is none: vendors refuse a chat in which a turn ends with one.
        let is_silent = calls.is_empty() && !has_words;
        let stale = cut
            || broken_off.is_some()
            || is_silent
            || calls.iter().any(|asked| asked.as_text || is_refused(asked));
        self.keep_native(stale).await?;
        let end = match (cut, has_words) {
            (false, _) => TextState::Done,
            (true, true) => TextState::Length,
            (true, false) => TextState::Interrupted,
        };
        self.finish(end, None).await?;
        if let Some(word) = broken_off {
            return Err(if has_words {
                // The part stands; asking again would only add another one to it.
                TurnFailure::lasting(broken_off_problem(word)).into()
            } else {
                let reason = Some(word);
                TurnFailure::retryable(Problem::Model(ModelProblem::AnswerEmpty { reason })).into()
            });
        }
        let read_less = context::context_problem(&turn.model, sent, counted, cut);
        if let Some(tokens) = turn.settings.longest.filter(|_| cut) {
            // The user's own limit ended it, so nothing is said of what the model reads.
            let problem = Problem::Model(ModelProblem::LongestAnswer { tokens });
            return Err(TurnFailure::retryable(problem).into());
        }
        if cut {
            return match read_less.await {
                Some(problem) => Err(TurnFailure::retryable(problem).into()),
                // The answer says itself that it can be continued.
                None if has_words => Ok(Some(vec![])),
                None => Err(TurnFailure::retryable(Problem::Model(ModelProblem::ModelCut)).into()),
            };
        }
        if calls.is_empty()
            && let Some(problem) = read_less.await
        {
            // The answer stands; asking again would only add another one to it.
            return Err(TurnFailure::lasting(problem).into());
        }
        if is_silent {
            let problem = Problem::Model(ModelProblem::AnswerEmpty { reason: None });
            return Err(TurnFailure::retryable(problem).into());
        }
        Ok(Some(calls))
    }

    fn has_words(&self) -> bool {
        let body = self.entry.as_ref().map(|entry| &entry.body);
        matches!(body, Some(EntryBody::Assistant { text, .. }) if !text.trim().is_empty())
    }

    /// The calls of a whole reply: those it made, or the one it wrote as text.
    fn asked_calls(&mut self, offer: &RoundTools) -> Vec<AskedCall> {
        match self.text_call(offer) {
            Some(call) => vec![AskedCall { call, as_text: true }],
            None => self.made_calls(),
        }
    }

    fn made_calls(&mut self) -> Vec<AskedCall> {
        let made = std::mem::take(&mut self.calls).into_iter();
        made.map(|call| AskedCall { call, as_text: false }).collect()
    }

    /// The call that was written as text; its text then leaves the answer, since its own row shows it.
    fn text_call(&mut self, offer: &RoundTools) -> Option<ModelCall> {
        if !self.calls.is_empty() {
            return None;
        }
        let EntryBody::Assistant { text, .. } = &mut self.entry.as_mut()?.body else {
            return None;
        };
        let (name, arguments) = text_call::read(text, |name| offer.is_offered(name))?;
        text.clear();
        Some(ModelCall {
            id: own_call_id("text"),
            name,
            arguments: CallArguments::Parsed(arguments),
        })
    }

    /// Keeps the vendor's form of the reply, unless it does not stand for what the chat goes on with, or would be refused.
    async fn keep_native(&mut self, stale: bool) -> Result<(), StoreError> {
        match (self.native.take(), &self.entry) {
            (Some(native), Some(entry)) if !stale => self.turn.native_replies().keep(entry.id, &native).await,
            _ => Ok(()),
        }
    }

    /// The entry of this round, made when it is first needed.
    async fn entry(&mut self) -> Result<&mut EntryView, StoreError> {
        let entry = match self.entry.take() {
            Some(entry) => entry,
            None => {
                let body = EntryBody::Assistant {
                    text: String::new(),
                    reasoning: String::new(),
                    model: self.turn.model.provider.label().to_owned(),
                    scripted: self.turn.model.provider.scripted(),
                    state: TextState::Streaming,
                    usage: None,
                };
                self.turn.transcript.add(self.turn.chat, body).await?
            }
        };
        Ok(self.entry.insert(entry))
    }

    /// Ends the entry of this round. What it took counts however the round ended; `failed` is the error that ended it.
    async fn finish(self, end: TextState, failed: Option<&ModelError>) -> Result<(), StoreError> {
        let taken = self.usage.note(failed).await?;
        let Some(mut entry) = self.entry else {
            return Ok(());
        };
        if let EntryBody::Assistant { state, usage, .. } = &mut entry.body {
            (*state, *usage) = (end, taken);
        }
        self.turn.transcript.put(&mut entry).await
    }
}
