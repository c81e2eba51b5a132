//! The one place where questions wait. A question is parked with a guard that takes it out again when whoever
//! asked goes away, and it is answered at most once, only with its nonce and the digest of what was shown, and a
//! yes only after the card has stood still for its guard time. The inbox decides nothing and remembers nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::{broadcast, oneshot};
use tokio::time::Instant;
use uuid::Uuid;
use vestibule_policy::{Condition, Digest, Scope};
use vestibule_protocol::{QuestionId, ServerId};

use crate::{About, Answer, Cause, Misfit, Page, Question, Reply, ServerFace};

/// How many questions of one server may wait at once. A flood ends here instead of on the person.
const MOST_A_SERVER: usize = 32;

/// How many conditions one answer may have.
const MOST_CONDITIONS: usize = 8;

/// A question before it is asked.
#[derive(Clone)]
pub struct Draft {
    /// Who asks.
    pub server: ServerFace,
    /// What caused it.
    pub cause: Option<Cause>,
    /// What is asked.
    pub about: About,
    /// The scopes on offer, narrowest first.
    pub scopes: Vec<Scope>,
    /// How long a yes stays inert.
    pub guard: Duration,
    /// When it is asked.
    pub asked_ms: i64,
    /// Says what is wrong with arguments the person changed, so that the card can say it and stay.
    pub fits: Option<Fits>,
}

/// A check of changed arguments: the reasons they can not be sent.
pub type Fits = Arc<dyn Fn(&Map<String, Value>) -> Result<(), String> + Send + Sync>;

/// What happened in the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxEvent {
    /// The set of waiting questions changed.
    Changed,
    /// The guard of the presented question starts again.
    Guard {
        /// Which question.
        question: QuestionId,
        /// How long it lasts.
        lasts: Duration,
    },
    /// The person asked to see this question.
    Show {
        /// Which question.
        question: QuestionId,
    },
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// No such question, or the nonce or digest is of another one.
    #[error("the answer does not belong to a question that waits")]
    Stale,
    /// A yes inside the guard time, or to a card that is not the one in front.
    #[error("the answer came before the question could be read")]
    TooSoon,
    /// The answer is not one this question accepts.
    #[error("{0}")]
    Unfit(String),
}

/// Why a question was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many questions of this server wait already, or Vestibule is closing")]
pub struct NotAsked;

/// The questions that wait. Cheap to clone; all clones are one inbox.
#[derive(Clone)]
pub struct Inbox {
    desk: Arc<Mutex<Desk>>,
    events: broadcast::Sender<InboxEvent>,
}

#[derive(Default)]
struct Desk {
    parked: HashMap<QuestionId, Parked>,
    /// The card in front, and since when it has stood still.
    presented: Option<(QuestionId, Instant)>,
    closed: bool,
}

struct Parked {
    question: Question,
    fits: Option<Fits>,
    answer: oneshot::Sender<Answer>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            desk: Arc::default(),
            events: broadcast::channel(256).0,
        }
    }
}

impl Inbox {
    /// Parks a question and gives back what waits for its answer. Dropping that withdraws the question.
    ///
    /// # Errors
    /// When this server asks too much, or everything is being closed.
    pub fn ask(&self, draft: Draft) -> Result<Asked, NotAsked> {
        let (answer, waits) = oneshot::channel();
        let question = question(&draft);
        let (id, digest) = (question.id, question.digest);
        {
            let mut desk = self.desk();
            if desk.closed || desk.waiting_for(question.server.id) >= MOST_A_SERVER {
                return Err(NotAsked);
            }
            desk.parked.insert(
                id,
                Parked {
                    question,
                    fits: draft.fits,
                    answer,
                },
            );
        }
        self.tell(InboxEvent::Changed);
        Ok(Asked {
            id,
            digest,
            waits,
            _withdraws: Withdraws {
                id,
                inbox: self.clone(),
            },
        })
    }

    /// The questions that wait, oldest first.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        let mut all: Vec<_> = self
            .desk()
            .parked
            .values()
            .map(|parked| parked.question.clone())
            .collect();
        all.sort_by_key(|question| question.id);
        all
    }

    /// The card of `question` is now painted and in front: its guard starts.
    pub fn presented(&self, question: QuestionId) {
        let lasts = {
            let mut desk = self.desk();
            let Some(parked) = desk.parked.get(&question) else {
                return;
            };
            let lasts = Duration::from_millis(parked.question.guard_ms.into());
            desk.presented = Some((question, Instant::now()));
            lasts
        };
        self.tell(InboxEvent::Guard { question, lasts });
    }

    /// The window was shown, moved, resized or came to the front: the guard starts again.
    pub fn disturbed(&self) {
        let presented = self.desk().presented;
        if let Some((question, _)) = presented {
            self.presented(question);
        }
    }

    /// The person wants to see this question.
    pub fn show(&self, question: QuestionId) {
        self.tell(InboxEvent::Show { question });
    }

    /// No card is in front any more (the window was hidden).
    pub fn concealed(&self) {
        self.desk().presented = None;
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// When it is not an answer to this question, or a yes that came too soon; the question goes on waiting.
    pub fn answer(&self, reply: Reply) -> Result<(), NotTaken> {
        let mut desk = self.desk();
        let parked = desk.parked.get(&reply.question).ok_or(NotTaken::Stale)?;
        if parked.question.nonce != reply.nonce || parked.question.digest != reply.digest {
            return Err(NotTaken::Stale);
        }
        if reply.answer.permits() {
            desk.ready(reply.question, parked)?;
            fits(parked, &reply.answer)?;
        }
        let parked = desk.remove(reply.question).ok_or(NotTaken::Stale)?;
        drop(desk);
        // Whoever asked may have gone in this very moment; then there is nobody to tell and nothing happens.
        let _ = parked.answer.send(reply.answer);
        self.tell(InboxEvent::Changed);
        Ok(())
    }

    /// Answers everything with "not now" and takes no further questions.
    pub fn close(&self) {
        let parked: Vec<_> = {
            let mut desk = self.desk();
            desk.closed = true;
            desk.presented = None;
            desk.parked.drain().map(|(_, parked)| parked).collect()
        };
        for parked in parked {
            let _ = parked.answer.send(Answer::Cancel);
        }
        self.tell(InboxEvent::Changed);
    }

    /// What is wrong with what stands in a form; `None` where no such form waits.
    #[must_use]
    pub fn misfits(&self, question: QuestionId, content: &Map<String, Value>) -> Option<Vec<Misfit>> {
        let form = match &self.desk().parked.get(&question)?.question.about {
            About::FillForm(form) => form.clone(),
            _ => return None,
        };
        Some(form.misfits(content))
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<InboxEvent> {
        self.events.subscribe()
    }

    fn withdraw(&self, question: QuestionId) {
        let gone = self.desk().remove(question).is_some();
        if gone {
            self.tell(InboxEvent::Changed);
        }
    }

    fn tell(&self, event: InboxEvent) {
        // No window listens yet: the next one to open starts from the whole state.
        let _ = self.events.send(event);
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        // Every change under the lock is a single insert or remove, so a panic elsewhere leaves it whole.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    fn waiting_for(&self, server: ServerId) -> usize {
        self.parked
            .values()
            .filter(|parked| parked.question.server.id == server)
            .count()
    }

    fn remove(&mut self, question: QuestionId) -> Option<Parked> {
        if self.presented.is_some_and(|(shown, _)| shown == question) {
            self.presented = None;
        }
        self.parked.remove(&question)
    }

    /// Whether the card has stood in front for its guard time.
    fn ready(&self, question: QuestionId, parked: &Parked) -> Result<(), NotTaken> {
        let guard = Duration::from_millis(parked.question.guard_ms.into());
        match self.presented {
            Some((shown, since)) if shown == question && since.elapsed() >= guard => Ok(()),
            _ => Err(NotTaken::TooSoon),
        }
    }
}

/// Whether a yes is one that this card has.
fn fits(parked: &Parked, answer: &Answer) -> Result<(), NotTaken> {
    match (&parked.question.about, answer) {
        (About::FillForm(form), Answer::Submit { content }) => match form.misfits(content).first() {
            None => Ok(()),
            Some(misfit) => Err(NotTaken::Unfit(format!(
                "the field {:?} can not be sent like this",
                misfit.field
            ))),
        },
        (About::OpenPage(page), Answer::Open) => can_open(page),
        (About::VisitPage(visit), Answer::Open) => can_open(&visit.page),
        (About::VisitPage(_), Answer::Done) => Ok(()),
        (About::SignIn(sign_in), Answer::Accept { .. }) if sign_in.is_blocked() => {
            Err(NotTaken::Unfit("an address of this sign-in is blocked".into()))
        }
        (
            _,
            Answer::Accept {
                scope,
                arguments,
                when,
            },
        ) => {
            accepts(parked, *scope, arguments.as_ref())?;
            let none = Map::new();
            let sent = match &parked.question.about {
                About::CallTool(call) => arguments.as_ref().unwrap_or(&call.arguments),
                _ => &none,
            };
            conditions(&parked.question.about, *scope, when, sent)
        }
        _ => Err(NotTaken::Unfit("this card has no such answer".into())),
    }
}

fn accepts(parked: &Parked, scope: Scope, arguments: Option<&Map<String, Value>>) -> Result<(), NotTaken> {
    if !parked.question.scopes.contains(&scope) {
        return Err(NotTaken::Unfit("this scope was not on offer".into()));
    }
    match (arguments, &parked.fits) {
        (None, _) => Ok(()),
        (Some(arguments), Some(fits)) => fits(arguments).map_err(NotTaken::Unfit),
        (Some(_), None) => Err(NotTaken::Unfit("nothing on this card can be changed".into())),
    }
}

/// What is blocked is shown, and there is no way around it.
fn can_open(page: &Page) -> Result<(), NotTaken> {
    match page.address.to_open() {
        Some(_) => Ok(()),
        None => Err(NotTaken::Unfit("this address is blocked".into())),
    }
}

/// Conditions stand on a card that has arguments and an answer that is to hold for longer, and hold for what is on it:
/// a person who sees one call can not be held to a rule about others.
fn conditions(
    about: &About,
    scope: Scope,
    when: &[Condition],
    sent: &Map<String, Value>,
) -> Result<(), NotTaken> {
    if when.is_empty() {
        return Ok(());
    }
    let unfit = |why: &str| Err(NotTaken::Unfit(why.to_owned()));
    if !matches!(about, About::CallTool(_)) || scope == Scope::Once || when.len() > MOST_CONDITIONS {
        return unfit("this answer can have no such conditions");
    }
    let sent = Value::Object(sent.clone());
    for condition in when {
        if let Err(error) = condition.check() {
            return Err(NotTaken::Unfit(error.to_string()));
        }
        if !condition.surely_holds(&sent) {
            return unfit("a condition does not hold for the arguments on the card");
        }
    }
    Ok(())
}

fn question(draft: &Draft) -> Question {
    let shown = json!({
        "server": draft.server, "cause": draft.cause, "about": draft.about, "scopes": draft.scopes,
    });
    Question {
        id: QuestionId::new(),
        server: draft.server.clone(),
        cause: draft.cause.clone(),
        about: draft.about.clone(),
        scopes: draft.scopes.clone(),
        guard_ms: u32::try_from(draft.guard.as_millis()).unwrap_or(u32::MAX),
        asked_ms: draft.asked_ms,
        nonce: Uuid::new_v4().simple().to_string(),
        digest: Digest::of_question(&shown),
    }
}

/// A question that waits.
pub struct Asked {
    id: QuestionId,
    digest: Digest,
    waits: oneshot::Receiver<Answer>,
    _withdraws: Withdraws,
}

impl Asked {
    /// Its name.
    #[must_use]
    pub fn id(&self) -> QuestionId {
        self.id
    }

    /// The digest of what its card shows.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Waits for the answer, however long the person takes. Losing the question counts as "not now".
    pub async fn answer(&mut self) -> Answer {
        (&mut self.waits).await.unwrap_or(Answer::Cancel)
    }
}

/// Takes the question back when whoever asked is gone.
struct Withdraws {
    id: QuestionId,
    inbox: Inbox,
}

impl Drop for Withdraws {
    fn drop(&mut self) {
        self.inbox.withdraw(self.id);
    }
}

#[cfg(test)]
mod tests;
