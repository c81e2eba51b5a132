//! Tasks of calls in chats: kept on disk from their first moment, shown in the row of their call, and followed until
//! something came of them, over every loss of the connection and over the end of the application. What comes of a
//! task that outlived its turn lands in its row; the model is not made to speak because of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vestibule_consent::{Cause, Gate};
use vestibule_protocol::task::{Task, TaskRecord};
use vestibule_protocol::{ChatId, EntryId, ServerId};
use vestibule_store::{Store, StoreError, TaskRow};

use crate::transcript::{self, Transcript};
use crate::turn::with_stored_choice;
use crate::view::{CallProblem, CallState, EntryBody, EntryView, Problem, TaskView};
use vestibule_chat_tools::for_model;
use vestibule_servers::{Servers, TaskEffect, TaskFollower, TaskNotFollowed};

/// The longest words of a server on how far a task is, in characters.
const WORDS: usize = 500;

/// The tasks that are followed. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tasks {
    store: Store,
    gate: Arc<Gate>,
    servers: Servers,
    transcript: Transcript,
    /// By the entry of the call.
    stops: Arc<Mutex<HashMap<EntryId, TaskStop>>>,
    /// Set when the application closes: what is followed is left to its server.
    leaving: CancellationToken,
}

/// What ends the following of a task.
struct TaskStop {
    chat: ChatId,
    stop: CancellationToken,
}

/// A call that became a task.
pub(crate) struct TaskCall<'a> {
    pub(crate) entry: &'a mut EntryView,
    pub(crate) server: ServerId,
    pub(crate) record: TaskRecord,
    pub(crate) cause: Cause,
}

impl Tasks {
    pub(crate) fn new(store: Store, gate: Arc<Gate>, servers: Servers, transcript: Transcript) -> Self {
        Self {
            store,
            gate,
            servers,
            transcript,
            stops: Arc::default(),
            leaving: CancellationToken::new(),
        }
    }

    /// From now on tasks are left to their servers.
    pub(crate) fn abandon(&self) {
        self.leaving.cancel();
    }

    /// Whether tasks are left to their servers.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.leaving.is_cancelled()
    }

    /// Gives a task up; false where there is none.
    pub(crate) fn cancel(&self, entry: EntryId) -> bool {
        let stops = self.stops();
        let task = stops.get(&entry);
        task.inspect(|task| task.stop.cancel()).is_some()
    }

    /// Gives the tasks of a chat up.
    pub(crate) fn cancel_chat(&self, chat: ChatId) {
        let stops = self.stops();
        let of_chat = stops.values().filter(|task| task.chat == chat);
        of_chat.for_each(|task| task.stop.cancel());
    }

    /// Gives all tasks up.
    pub(crate) fn cancel_all(&self) {
        self.stops().values().for_each(|task| task.stop.cancel());
    }

    /// Forgets a task whose end stands in the transcript.
    pub(crate) async fn forget(&self, entry: EntryId) {
        if let Err(error) = self.store.remove_task(entry).await {
            tracing::error!(%error, "failed to delete a finished task");
        }
    }

    /// Keeps a task that just began and follows it to its end. `None` where it is left to its server.
    pub(crate) async fn begin(
        &self,
        mut call: TaskCall<'_>,
        following: TaskFollower,
        stop: &CancellationToken,
    ) -> Option<CallState> {
        let task = TaskView {
            since_ms: Timestamp::now().as_millisecond(),
            asked_ms: None,
            away: false,
            needs_input: false,
            words: following.begun().and_then(|task| task.words.clone()).map(shorten),
        };
        set_state(call.entry, CallState::Task { task });
        let kept = TaskRow {
            entry: call.entry.id,
            server: call.server,
            record: serde_json::to_value(&call.record).unwrap_or_default(),
        };
        // A task that cannot be kept is followed all the same, as long as this run lasts.
        if let Err(error) = self.store.put_task(&kept).await {
            tracing::error!(%error, "failed to persist a task");
        }
        if let Err(error) = self.transcript.put(call.entry).await {
            tracing::error!(%error, "failed to persist the transcript entry of a task");
        }
        self.see_through(&mut call, Some(following), stop).await
    }

    /// Gives the tasks of a chat up whose calls are deleted.
    pub(crate) async fn cancel_deleted(&self, chat: ChatId) {
        let followed: Vec<EntryId> = {
            let stops = self.stops();
            let of_chat = stops.iter().filter(|(_, task)| task.chat == chat);
            of_chat.map(|(entry, _)| *entry).collect()
        };
        for entry in followed {
            match self.store.entry(entry).await {
                Ok(None) => {
                    self.cancel(entry);
                }
                Ok(Some(_)) => {}
                Err(error) => tracing::error!(%error, "failed to look for the call of a task"),
            }
        }
    }

    /// Follows what earlier runs left to their servers. Calls without a task that can be followed are marked as
    /// interrupted before; see [`Transcript::close_interrupted`].
    pub(crate) async fn resume(&self, spawn: impl Fn(std::pin::Pin<Box<dyn Future<Output = ()> + Send>>)) {
        let rows = self.store.tasks().await.unwrap_or_else(|error| {
            tracing::error!(%error, "failed to load the tasks of earlier runs");
            vec![]
        });
        for row in rows {
            // Where its call cannot be read, it is followed in a later run that can.
            let entry = match self.store.entry(row.entry).await {
                Ok(Some(entry)) => transcript::view(entry),
                Ok(None) => {
                    self.forget(row.entry).await;
                    continue;
                }
                Err(error) => {
                    tracing::error!(%error, "failed to load the call of a task");
                    continue;
                }
            };
            let Some(entry) = entry else { continue };
            match record(&row) {
                Some(record) if is_task(&entry) => {
                    let tasks = self.clone();
                    spawn(Box::pin(async move {
                        tasks.resume_one(entry, row.server, record).await
                    }));
                }
                _ => self.forget(row.entry).await,
            }
        }
    }

    async fn resume_one(&self, mut entry: EntryView, server: ServerId, record: TaskRecord) {
        let cause = Cause {
            chat: entry.chat,
            chat_title: self.title(&entry).await,
            entry: Some(entry.id),
            task_of: None,
        };
        let mut call = TaskCall {
            entry: &mut entry,
            server,
            record,
            cause,
        };
        let never = CancellationToken::new();
        let Some(state) = self.see_through(&mut call, None, &never).await else {
            return;
        };
        let state = with_stored_choice(&self.store, entry.chat, state).await;
        set_state(&mut entry, state);
        match self.transcript.put(&mut entry).await {
            Ok(()) => self.forget(entry.id).await,
            // Its message or its chat was deleted, and the row of the task with it.
            Err(StoreError::Unknown { .. }) => {}
            Err(error) => tracing::error!(%error, "failed to persist the result of a task"),
        }
    }

    async fn title(&self, entry: &EntryView) -> String {
        let chat = self.store.chat(entry.chat).await.ok().flatten();
        chat.map_or_else(String::new, |chat| chat.title)
    }

    async fn see_through(
        &self,
        call: &mut TaskCall<'_>,
        following: Option<TaskFollower>,
        stop: &CancellationToken,
    ) -> Option<CallState> {
        let own = CancellationToken::new();
        let (entry, server, record) = (call.entry.id, call.server, call.record.clone());
        let (chat, tool) = (call.cause.chat, record.tool.clone());
        let stop_of_task = TaskStop {
            chat,
            stop: own.clone(),
        };
        self.stops().insert(entry, stop_of_task);
        let mut effect = match self.gate.follow_task(server, chat, tool).await {
            Ok(effect) => TaskEffect::new(effect),
            Err(error) => {
                self.stops().remove(&entry);
                return Some(failed(error.into()));
            }
        };
        let state = tokio::select! {
            biased;
            () = self.leaving.cancelled() => None,
            () = stopped(&own, stop) => {
                // Closing stops turns as well, which the user did not ask for.
                if self.is_abandoned() {
                    None
                } else {
                    if let Ok(server) = self.servers.get(server) {
                        server.cancel_task(record);
                    }
                    effect.cancelled().await;
                    Some(CallState::Cancelled { sent: true })
                }
            }
            state = self.follow(call, following, &mut effect) => Some(state),
        };
        self.stops().remove(&entry);
        state
    }

    async fn follow(
        &self,
        call: &mut TaskCall<'_>,
        mut following: Option<TaskFollower>,
        effect: &mut TaskEffect,
    ) -> CallState {
        let since = call.entry.at_ms;
        let mut ended = None;
        loop {
            let found = match following.take() {
                Some(following) => following,
                None => {
                    self.show(call, |task| task.away = true);
                    match self.find(call, ended).await {
                        Ok(found) => found,
                        Err(problem) => {
                            effect.failed().await;
                            return failed(problem);
                        }
                    }
                }
            };
            self.show(call, |task| task.away = false);
            ended = Some(found.session);
            let (tell, mut told) = mpsc::channel(4);
            let result = found.result(tell, effect);
            tokio::pin!(result);
            let outcome = loop {
                tokio::select! {
                    outcome = &mut result => break outcome,
                    Some(task) = told.recv() => self.show(call, |view| apply_update(view, task)),
                }
            };
            return match outcome {
                Ok(result) => {
                    let took = Timestamp::now().as_millisecond().saturating_sub(since);
                    let elapsed_ms = u64::try_from(took).unwrap_or(0);
                    for_model::answered(result, elapsed_ms)
                }
                Err(TaskNotFollowed::Away) => continue,
                Err(TaskNotFollowed::Cancelled) => CallState::Cancelled { sent: true },
                Err(TaskNotFollowed::Failed(problem)) => failed(problem),
            };
        }
    }

    async fn find(&self, call: &TaskCall<'_>, ended: Option<u64>) -> Result<TaskFollower, Problem> {
        let server = self
            .servers
            .get(call.server)
            .map_err(|_| Problem::Call(CallProblem::TaskGone))?;
        server.find_task(&call.record, call.cause.clone(), ended).await
    }

    fn show(&self, call: &mut TaskCall<'_>, change: impl FnOnce(&mut TaskView)) {
        if let EntryBody::Call(body) = &mut call.entry.body
            && let CallState::Task { task } = &mut body.state
        {
            change(task);
            self.transcript.show(call.entry);
        }
    }

    fn stops(&self) -> MutexGuard<'_, HashMap<EntryId, TaskStop>> {
        // Each change is one insert or remove.
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What has to be known to follow a task; `None` where it cannot be read.
pub(crate) fn record(row: &TaskRow) -> Option<TaskRecord> {
    serde_json::from_value(row.record.clone()).ok()
}

/// Either of two requests to stop.
async fn stopped(own: &CancellationToken, turn: &CancellationToken) {
    tokio::select! {
        () = own.cancelled() => {}
        () = turn.cancelled() => {}
    }
}

fn apply_update(view: &mut TaskView, task: Task) {
    view.asked_ms = Some(Timestamp::now().as_millisecond());
    view.needs_input = task.status == vestibule_protocol::task::TaskStatus::InputRequired;
    view.words = task.words.map(shorten);
}

fn shorten(words: String) -> String {
    words.chars().take(WORDS).collect()
}

fn set_state(entry: &mut EntryView, state: CallState) {
    if let EntryBody::Call(body) = &mut entry.body {
        body.state = state;
    }
}

fn is_task(entry: &EntryView) -> bool {
    matches!(&entry.body, EntryBody::Call(call) if matches!(call.state, CallState::Task { .. }))
}

fn failed(problem: Problem) -> CallState {
    CallState::Failed { problem }
}
