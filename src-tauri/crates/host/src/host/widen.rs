//! Changes of the main window that let more happen than today. The command returns as soon as the question waits in
//! the consent window; the change is made under the permit that a yes gives, where everything is still as the card
//! showed it, and an event tells how it ended.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;
use vestibule_consent::{Denied, EffectEnd, Permit, Widen, WidenRequest, Widening};
use vestibule_protocol::QuestionId;

use super::Host;
use crate::view::{ChangeEnd, ChangeOutcome, HostEvent, InputProblem, Problem, QuestionProblem};

type ReturnSignal = Result<ChangeOutcome, Problem>;

/// Lets a command return once its question waits.
#[derive(Clone)]
pub(super) struct AskedChange(Arc<Mutex<ChangeProgress>>);

struct ChangeProgress {
    /// `None` once the command has returned.
    command: Option<oneshot::Sender<ReturnSignal>>,
    question: Option<QuestionId>,
}

impl AskedChange {
    fn new(command: oneshot::Sender<ReturnSignal>) -> Self {
        Self(Arc::new(Mutex::new(ChangeProgress {
            command: Some(command),
            question: None,
        })))
    }

    pub(super) fn asked(&self, question: QuestionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).question = Some(question);
        self.return_from_command(Ok(ChangeOutcome::Asked { question }));
    }

    fn question(&self) -> Option<QuestionId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).question
    }

    fn return_from_command(&self, returned: ReturnSignal) {
        let command = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .command
            .take();
        if let Some(command) = command {
            // The window that asked may be gone; the question stands all the same.
            let _ = command.send(returned);
        }
    }
}

impl Host {
    /// Makes a change that may be asked first, and returns when it is made or its question waits.
    pub(super) async fn change_or_ask<F>(&self, change: impl FnOnce(AskedChange) -> F) -> ReturnSignal
    where
        F: Future<Output = ChangeEnd> + Send + 'static,
    {
        let (command, returned) = oneshot::channel();
        let asking = AskedChange::new(command);
        let change = change(asking.clone());
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let end = change.await;
            if let ChangeEnd::Failed { problem } = &end {
                tracing::error!(%problem, "a change of the main window failed");
            }
            match asking.question() {
                Some(question) => host.0.events.tell(HostEvent::Answered { question, end }),
                None => asking.return_from_command(match end {
                    ChangeEnd::Done => Ok(ChangeOutcome::Done),
                    ChangeEnd::Refused => Err(Problem::Question(QuestionProblem::NotAsked)),
                    ChangeEnd::Outdated => Err(Problem::Input(InputProblem::Gone)),
                    ChangeEnd::Failed { problem } => Err(problem),
                }),
            }
        });
        returned.await.unwrap_or(Err(Problem::Input(InputProblem::Gone)))
    }

    /// Asks for a change, and on a yes makes it. `apply` says whether everything was still as the card showed it; where
    /// it was not, it changes nothing.
    pub(super) async fn widen<F>(
        &self,
        request: WidenRequest,
        apply: impl FnOnce(Self, Widening) -> F + Send + 'static,
    ) -> ReturnSignal
    where
        F: Future<Output = Result<bool, Problem>> + Send + 'static,
    {
        let host = self.clone();
        self.change_or_ask(move |asking| async move {
            let permit = request.approve(&host.0.gate, |question| asking.asked(question));
            match permit.await {
                Ok(permit) => host.make_change(permit, apply).await,
                Err(no) => refused(no),
            }
        })
        .await
    }

    async fn make_change<F>(
        &self,
        permit: Permit<Widen>,
        apply: impl FnOnce(Self, Widening) -> F,
    ) -> ChangeEnd
    where
        F: Future<Output = Result<bool, Problem>>,
    {
        let (Widen { widening }, effect) = permit.begin().split();
        let (ended, end) = match apply(self.clone(), widening).await {
            Ok(true) => (EffectEnd::Changed, ChangeEnd::Done),
            Ok(false) => (EffectEnd::Outdated, ChangeEnd::Outdated),
            Err(problem) => (EffectEnd::Failed, ChangeEnd::Failed { problem }),
        };
        effect.finish(ended).await;
        end
    }
}

/// How a change ends for which there is no permit.
pub(super) fn refused(no: Denied) -> ChangeEnd {
    match no {
        Denied::LedgerFailed(error) => ChangeEnd::Failed {
            problem: error.into(),
        },
        _ => ChangeEnd::Refused,
    }
}
