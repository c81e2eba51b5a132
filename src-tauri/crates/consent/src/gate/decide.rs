//! Decides a request. A rule decides where one applies; otherwise the user is asked, and a rule that is made while
//! the question waits decides as well. A refusal is written to the ledger. For a yes, the intent is written, the rule
//! that the user chose is stored, and the permit is made.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use vestibule_policy::{Because, Decision, Digest, Guardrail, Request, Rule, Verdict};
use vestibule_protocol::QuestionId;
use vestibule_store::StoreError;

use super::ledger_body::LedgerBody;
use super::record::{DecisionWord, EffectRecord};
use super::{Approval, Denied, FindPaths, Gate, GateResult, milliseconds};
use crate::effect::Intent;
use crate::inbox::PendingAnswer;
use crate::permit::Permit;
use crate::{Answer, Draft};

impl Gate {
    /// The decision, by rule or by person. A rule that is made while the question waits decides it too.
    #[tracing::instrument(name = "gate", skip_all, fields(server = %wanted.server))]
    pub(super) async fn decide(
        &self,
        wanted: &Request,
        effect: &EffectRecord,
        details: &LedgerBody,
        draft: impl Fn(&Verdict) -> Draft,
        asked: impl FnMut(QuestionId),
    ) -> Result<Approval, Denied> {
        let asking = DecisionRequest {
            wanted,
            find_paths: None,
        };
        self.decide_with_paths(asking, effect, details, draft, asked)
            .await
    }

    /// The same for a request with paths in its arguments: a rule that is made while the question waits speaks of where
    /// they lead by then.
    pub(super) async fn decide_with_paths(
        &self,
        asking: DecisionRequest<'_>,
        effect: &EffectRecord,
        details: &LedgerBody,
        draft: impl Fn(&Verdict) -> Draft,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Approval, Denied> {
        let mut changes = self.rules.changes();
        let mut wanted = asking.wanted.clone();
        loop {
            changes.mark_unchanged();
            wanted.now = (self.clock)();
            let verdict = self.rules.evaluate(&wanted);
            match verdict.decision {
                Decision::Deny => return Err(self.deny_by_rule(effect, verdict, details).await),
                Decision::Allow => return self.allow_by_rule(verdict).await,
                Decision::Ask => {}
            }
            let mut waiting = self.questions.ask(effect, draft(&verdict)).await?;
            asked(waiting.id());
            let began = Instant::now();
            let answer = self
                .answer_or_rule(&mut waiting, &asking, &mut changes, &mut wanted)
                .await;
            if let Some(answer) = answer {
                let waited = began.elapsed();
                return match Approval::answered(answer, waiting.digest(), waited) {
                    Ok(approval) => Ok(approval),
                    Err(answer) => Err(self.deny_after(waited, effect, answer, details).await),
                };
            }
        }
    }

    /// Writes down an answer that is no yes, with how long it took.
    async fn deny_after(
        &self,
        waited: Duration,
        effect: &EffectRecord,
        answer: Answer,
        details: &LedgerBody,
    ) -> Denied {
        let details = details
            .clone()
            .with_fact("waited_ms", json!(milliseconds(waited)));
        self.questions.deny_by_answer(effect, answer, details).await
    }

    /// Waits for the answer of the user. `None` where a rule that was made meanwhile decides; `wanted` is then the request as
    /// it was judged. A rule that was noticed is looked at to its end before any answer.
    async fn answer_or_rule(
        &self,
        waiting: &mut PendingAnswer,
        asking: &DecisionRequest<'_>,
        changes: &mut watch::Receiver<u64>,
        wanted: &mut Request,
    ) -> Option<Answer> {
        loop {
            tokio::select! {
                answer = waiting.answer() => return Some(answer),
                Ok(()) = changes.changed() => {}
            }
            *wanted = asking.current((self.clock)()).await;
            if self.rules.evaluate(wanted).decision != Decision::Ask {
                return None;
            }
        }
    }

    async fn allow_by_rule(&self, verdict: Verdict) -> Result<Approval, Denied> {
        self.rules
            .rules
            .mark_used(&verdict.because, (self.clock)())
            .await?;
        Ok(Approval::because(verdict.because))
    }

    /// Refuses what a rule denies, where the rules have no other say.
    pub(super) async fn refuse_denied(
        &self,
        wanted: &Request,
        effect: &EffectRecord,
        details: &LedgerBody,
    ) -> Result<(), Denied> {
        let verdict = self.rules.evaluate(wanted);
        match verdict.decision {
            Decision::Deny => Err(self.deny_by_rule(effect, verdict, details).await),
            Decision::Ask | Decision::Allow => Ok(()),
        }
    }

    /// Refuses what a rule or a guardrail refuses, and writes it down.
    pub(super) async fn deny_by_rule(
        &self,
        effect: &EffectRecord,
        verdict: Verdict,
        details: &LedgerBody,
    ) -> Denied {
        let because = verdict.because;
        let written = self
            .ledger
            .record_denial(effect, DecisionWord::Denied, &because, details.clone());
        if let Err(error) = written.await {
            return Denied::LedgerFailed(error);
        }
        if because.contains(&Because::Guardrail {
            guardrail: Guardrail::DefinitionChanged,
        }) {
            Denied::DefinitionChanged
        } else {
            Denied::ByRule(because)
        }
    }

    /// Waits until it is written down what is about to happen, writes the rule that a wider answer stands for, and makes
    /// the permit.
    pub(super) async fn mint_with_rule<T>(
        &self,
        wanted: &Request,
        bound_to: Digest,
        approval: Approval,
        intent: impl Future<Output = Result<Intent, StoreError>> + Send,
        what: T,
    ) -> GateResult<T> {
        let intent = intent.await?;
        self.store_rule(wanted, bound_to, &approval).await?;
        Ok(Permit::mint(what, approval.because, intent))
    }

    /// Writes the rule that a wider answer stands for.
    async fn store_rule(
        &self,
        wanted: &Request,
        digest: Digest,
        approval: &Approval,
    ) -> Result<(), StoreError> {
        let rule = Rule::permission(
            wanted.server,
            wanted.action.clone(),
            digest,
            approval.scope,
            wanted.chat,
            wanted.workspace,
            (self.clock)(),
        );
        let Some(rule) = rule else { return Ok(()) };
        self.rules
            .keep_rule(Rule {
                when: approval.when.clone(),
                ..rule
            })
            .await
    }
}

/// A request that is being decided.
pub(super) struct DecisionRequest<'a> {
    pub(super) wanted: &'a Request,
    pub(super) find_paths: Option<&'a FindPaths>,
}

impl DecisionRequest<'_> {
    /// The request as it is now: where its paths lead may have changed.
    async fn current(&self, now: Timestamp) -> Request {
        let arguments = self.wanted.arguments.as_deref().and_then(Value::as_object);
        let places = match (self.find_paths, arguments) {
            (Some(find_paths), Some(arguments)) => find_paths(arguments.clone()).await.places,
            _ => self.wanted.places.clone(),
        };
        Request {
            now,
            places,
            ..self.wanted.clone()
        }
    }
}
