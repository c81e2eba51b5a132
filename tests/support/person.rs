//! A user in front of the consent window: reads every card, waits until its guard has passed, and answers. Waiting
//! is real to the gate and instant to the test: the runtime's clock is stopped, moved on by the guard's time and let
//! go again. The gate itself has no way to be hurried.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use vestibule_consent::{Answer, ChangeSubject, Question, QuestionBody, Reply, Widening};
use vestibule_host::Host;
use vestibule_host::view::{InboxMessage, Problem, QuestionProblem};
use vestibule_policy::Scope;
use vestibule_protocol::QuestionId;

use crate::{canaries, soon};

/// How often a card is answered that is not in front any more by then.
const MOST_TRIES: usize = 20;

type Habit = Box<dyn FnMut(&Question) -> Option<Answer> + Send>;

pub struct Person {
    host: Host,
    habit: Arc<Mutex<Option<Habit>>>,
    shown: Arc<Mutex<Vec<Question>>>,
    judges_models: Arc<AtomicBool>,
    reads_instructions: Arc<AtomicBool>,
    cards: tokio::sync::Mutex<mpsc::UnboundedReceiver<Question>>,
    reading: JoinHandle<()>,
}

/// A yes to what is shown, as far as `scope`.
#[must_use]
pub fn yes(scope: Scope) -> Answer {
    Answer::Accept {
        scope,
        arguments: None,
        when: vec![],
    }
}

/// A form filled in with these values, none of which is a secret.
///
/// # Panics
/// Where `content` is not a JSON object.
#[must_use]
pub fn submit(content: Value) -> Answer {
    let Value::Object(content) = content else {
        panic!("a form has named values: {content}")
    };
    Answer::Submit {
        content,
        not_secret: vec![],
    }
}

/// Brings a card to the front, lets its guard pass where the answer permits something, and answers.
///
/// # Errors
/// As the host takes the answer.
pub async fn give(host: &Host, question: &Question, answer: Answer) -> Result<(), Problem> {
    if answer.permits() {
        host.consent_present(question.id);
        pass(Duration::from_millis(u64::from(question.guard_ms) + 1)).await;
    }
    host.consent_answer(Reply {
        question: question.id,
        nonce: question.nonce.clone(),
        digest: question.digest,
        answer,
        also: vec![],
    })
    .await
}

/// One at a time: a clock that is stopped already cannot be stopped.
static STOPPED: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Lets the clock go on, also where whoever stopped it is dropped meanwhile.
struct GoesOn;

impl Drop for GoesOn {
    fn drop(&mut self) {
        if tokio::runtime::Handle::try_current().is_ok() {
            tokio::time::resume();
        }
    }
}

/// Lets this much time pass at once, for everything that waits on the runtime's clock.
pub async fn pass(time: Duration) {
    let _one = STOPPED.lock().await;
    tokio::time::pause();
    let _goes_on = GoesOn;
    tokio::time::advance(time).await;
}

impl Person {
    /// Sits down in front of the consent window of `host`.
    #[must_use]
    pub fn at(host: &Host) -> Self {
        let (deal, cards) = mpsc::unbounded_channel();
        let habit: Arc<Mutex<Option<Habit>>> = Arc::default();
        let shown: Arc<Mutex<Vec<Question>>> = Arc::default();
        let judges_models: Arc<AtomicBool> = Arc::default();
        let reads_instructions: Arc<AtomicBool> = Arc::default();
        let reading = tokio::spawn(read(
            host.clone(),
            habit.clone(),
            shown.clone(),
            [judges_models.clone(), reads_instructions.clone()],
            deal,
        ));
        Self {
            host: host.clone(),
            habit,
            shown,
            judges_models,
            reads_instructions,
            cards: tokio::sync::Mutex::new(cards),
            reading,
        }
    }

    /// From now on answers by itself what `habit` has an answer to.
    pub fn answers(&self, habit: impl FnMut(&Question) -> Option<Answer> + Send + 'static) {
        *self.habit.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(habit));
    }

    /// From now on cards about the addresses of models are dealt like all others. Until then each gets a yes and is not
    /// counted among the cards, because most stories only need a model.
    pub fn judges_models(&self) {
        self.judges_models.store(true, Ordering::SeqCst);
    }

    /// The same for cards about the instructions of servers.
    pub fn reads_instructions(&self) {
        self.reads_instructions.store(true, Ordering::SeqCst);
    }

    /// The next card that is not answered by habit.
    ///
    /// # Panics
    /// When none comes.
    pub async fn asked(&self) -> Question {
        let mut cards = self.cards.lock().await;
        soon("a question to the user", cards.recv()).await.unwrap()
    }

    /// Answers a card.
    ///
    /// # Panics
    /// When the answer is not taken.
    pub async fn say(&self, question: &Question, answer: Answer) {
        give(&self.host, question, answer).await.unwrap();
    }

    /// Everything that was on a card so far.
    #[must_use]
    pub fn shown(&self) -> Vec<Question> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

async fn read(
    host: Host,
    habit: Arc<Mutex<Option<Habit>>>,
    shown: Arc<Mutex<Vec<Question>>>,
    [judges_models, reads_instructions]: [Arc<AtomicBool>; 2],
    deal: mpsc::UnboundedSender<Question>,
) {
    let mut seen = HashSet::new();
    // Answers that were not taken, because the card was another one by then.
    let mut refused = HashMap::new();
    let mut messages = Box::pin(host.consent_window());
    while let Some(message) = messages.next().await {
        let InboxMessage::State(state) = message else {
            continue;
        };
        for card in &state.questions {
            canaries::told(card.cause.as_ref().map(|cause| cause.chat), "a card", card);
        }
        for question in state.questions {
            if !seen.insert(question.id) {
                if let Some(given) = refused.remove(&question.id) {
                    answer(&host, &question, given, &mut refused).await;
                }
                continue;
            }
            let is_routine = (is_about_model(&question) && !judges_models.load(Ordering::SeqCst))
                || (is_about_instructions(&question) && !reads_instructions.load(Ordering::SeqCst));
            if is_routine {
                answer(&host, &question, yes(Scope::Once), &mut refused).await;
                continue;
            }
            shown
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(question.clone());
            let given = habit
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut()
                .and_then(|habit| habit(&question));
            match given {
                Some(given) => answer(&host, &question, given, &mut refused).await,
                None => drop(deal.send(question)),
            }
        }
    }
}

/// Answers a card that can be withdrawn, or become another one, in the moment in which it is answered.
async fn answer(host: &Host, question: &Question, answer: Answer, refused: &mut HashMap<QuestionId, Answer>) {
    for _ in 0..MOST_TRIES {
        match give(host, question, answer.clone()).await {
            Ok(()) => return,
            // Another card came to the front meanwhile.
            Err(Problem::Question(QuestionProblem::AnswerTooSoon)) => {}
            Err(Problem::Question(QuestionProblem::AnswerStale)) => break,
            Err(problem) => panic!("the answer was not taken: {problem}"),
        }
    }
    refused.insert(question.id, answer);
}

fn is_about_model(question: &Question) -> bool {
    matches!(
        question.about,
        QuestionBody::Widen(Widening::SaveConnection { .. })
    )
}

fn is_about_instructions(question: &Question) -> bool {
    matches!(&question.about, QuestionBody::ToolChanged(change) if change.subject == ChangeSubject::Instructions)
}
