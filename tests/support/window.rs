//! A main window without pixels: it takes the snapshot, applies every event that follows, and starts over when it
//! missed one. What it holds is what a user would see.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures::StreamExt;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use vestibule_host::Host;
use vestibule_host::view::{
    ChangeEnd, ChatView, ConnectionView, CostsView, EntriesPart, EntriesView, EntryBody, EntryView, Envelope,
    HostEvent, LedgerCheck, ModelView, RowsView, ServerView, Settings, Snapshot, WaitingView, WorkspaceView,
};
use vestibule_protocol::{AttachmentId, ChatId, QuestionId, ServerId};

use crate::soon::in_time;
use crate::{canaries, soon};

/// Everything the window shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Of the last event in it.
    pub seq: u64,
    pub chats: BTreeMap<ChatId, ChatView>,
    /// The entries of each chat, in order.
    pub entries: BTreeMap<ChatId, Vec<EntryView>>,
    pub servers: BTreeMap<ServerId, ServerView>,
    pub connections: Vec<ConnectionView>,
    pub models: Vec<ModelView>,
    pub workspaces: Vec<WorkspaceView>,
    pub settings: Settings,
    /// What models cost today and in this month.
    pub costs: CostsView,
    /// The questions that wait.
    pub waiting: Vec<WaitingView>,
    /// What checking the ledger came to.
    pub ledger_check: Option<LedgerCheck>,
    /// What was changed outside Vestibule.
    pub rows: RowsView,
    /// What servers said of since this window opened that it is another now than when it was read.
    pub changed: BTreeSet<AttachmentId>,
    /// How changes that were asked ended since this window opened.
    pub answered: BTreeMap<QuestionId, ChangeEnd>,
    /// Up to which event the entries of a chat were loaded at once.
    loaded: BTreeMap<ChatId, u64>,
}

/// A window that follows the host.
pub struct Window {
    seen: watch::Receiver<Option<Projection>>,
    following: JoinHandle<()>,
}

impl Window {
    pub async fn open(host: &Host) -> Self {
        let (show, seen) = watch::channel(None);
        let following = tokio::spawn(follow(host.clone(), show));
        let mut window = Self { seen, following };
        soon("a window opens", window.seen.wait_for(Option::is_some))
            .await
            .unwrap();
        window
    }

    /// What it shows now.
    #[must_use]
    pub fn now(&self) -> Projection {
        self.seen.borrow().clone().unwrap()
    }

    /// Tells of every event.
    #[must_use]
    pub fn seen(&self) -> watch::Receiver<Option<Projection>> {
        self.seen.clone()
    }

    /// Waits until it shows something, and gives back all of it.
    ///
    /// # Panics
    /// When it never does; with what it shows instead.
    pub async fn until(&self, what: &str, shows: impl Fn(&Projection) -> bool) -> Projection {
        self.until_some(what, |seen| shows(seen).then(|| seen.clone()))
            .await
    }

    /// Waits until something can be found in it, and gives back that alone.
    ///
    /// # Panics
    /// When it never can; with what the window shows instead.
    pub async fn until_some<T>(&self, what: &str, find: impl Fn(&Projection) -> Option<T>) -> T {
        let mut seen = self.seen.clone();
        let mut found = None;
        let shown = seen.wait_for(|seen| {
            found = seen.as_ref().and_then(&find);
            found.is_some()
        });
        let shown = in_time(shown).await.map(|shown| drop(shown.unwrap()));
        match shown.and(found) {
            Some(found) => found,
            None => panic!("the window never showed {what}; it shows {:#?}", self.now()),
        }
    }

    /// Waits until everything that has happened so far is in it.
    pub async fn catch_up(&self, host: &Host) {
        let now = host.main_window().await.unwrap().0.seq;
        self.until_some("what has happened", |seen| (seen.seq >= now).then_some(()))
            .await;
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.following.abort();
    }
}

async fn follow(host: Host, show: watch::Sender<Option<Projection>>) {
    loop {
        let (snapshot, events) = host.main_window().await.unwrap();
        let mut events = pin!(events);
        look_at(&snapshot);
        let by_chat = |chat: ChatView| (chat.id, chat);
        let by_server = |server: ServerView| (server.id, server);
        let mut projection = Projection {
            seq: snapshot.seq,
            chats: snapshot.chats.into_iter().map(by_chat).collect(),
            entries: BTreeMap::new(),
            servers: snapshot.servers.into_iter().map(by_server).collect(),
            connections: snapshot.connections,
            models: snapshot.models,
            workspaces: snapshot.workspaces,
            settings: snapshot.settings,
            costs: snapshot.costs,
            waiting: snapshot.waiting,
            ledger_check: snapshot.ledger_check,
            rows: snapshot.rows,
            changed: BTreeSet::new(),
            answered: BTreeMap::new(),
            loaded: BTreeMap::new(),
        };
        for chat in projection.chats.keys() {
            let view = host.chat_entries(*chat, EntriesPart::Newest).await.unwrap();
            canaries::told(Some(*chat), "the entries", &view.entries);
            projection.entries.insert(*chat, view.entries);
            projection.loaded.insert(*chat, view.seq);
        }
        show.send_replace(Some(projection));
        let mut missed = false;
        while let Some(event) = events.next().await {
            canaries::told(chat_of(&event.event), "an event", &event);
            let branch = match event.event {
                HostEvent::Branch { chat } => Some(chat),
                _ => None,
            };
            show.send_if_modified(|seen| seen.as_mut().is_some_and(|seen| seen.apply(event, &mut missed)));
            if missed {
                break;
            }
            if let Some(chat) = branch {
                let view = host.chat_entries(chat, EntriesPart::Newest).await.unwrap();
                show.send_modify(|seen| seen.as_mut().unwrap().read(chat, view));
            }
        }
        if show.is_closed() {
            return;
        }
    }
}

/// Looks for canaries in what a window begins with.
fn look_at(snapshot: &Snapshot) {
    for chat in &snapshot.chats {
        canaries::told(Some(chat.id), "a chat of a snapshot", chat);
    }
    let rest = Snapshot {
        chats: vec![],
        ..snapshot.clone()
    };
    canaries::told(None, "a snapshot", &rest);
}

/// The chat an event belongs to.
fn chat_of(event: &HostEvent) -> Option<ChatId> {
    match event {
        HostEvent::Chat { chat } => Some(chat.id),
        HostEvent::Entry { entry, .. } => Some(entry.chat),
        HostEvent::ChatGone { chat }
        | HostEvent::Branch { chat }
        | HostEvent::EntryGone { chat, .. }
        | HostEvent::Words { chat, .. } => Some(*chat),
        _ => None,
    }
}

impl Projection {
    /// The entries of a chat.
    #[must_use]
    pub fn chat(&self, chat: ChatId) -> &[EntryView] {
        self.entries.get(&chat).map_or(&[], Vec::as_slice)
    }

    fn apply(&mut self, Envelope { seq, event }: Envelope, missed: &mut bool) -> bool {
        if seq <= self.seq {
            return false;
        }
        *missed = seq != self.seq + 1;
        if *missed {
            return false;
        }
        self.seq = seq;
        self.happen(seq, event);
        true
    }

    /// Takes over the entries of a chat as they were read.
    fn read(&mut self, chat: ChatId, view: EntriesView) {
        self.entries.insert(chat, view.entries);
        self.loaded.insert(chat, view.seq);
    }

    fn happen(&mut self, seq: u64, event: HostEvent) {
        match event {
            HostEvent::Chat { chat } => drop(self.chats.insert(chat.id, chat)),
            HostEvent::ChatGone { chat } => {
                self.chats.remove(&chat);
                self.entries.remove(&chat);
            }
            // Followed by a reading of its entries.
            HostEvent::Branch { .. } => {}
            HostEvent::Entry { entry, added } => {
                if let Some(entries) = self.growing(entry.chat, seq)
                    && (added || entries.iter().any(|known| known.id == entry.id))
                {
                    entries.retain(|known| known.id != entry.id);
                    let place = entries.partition_point(|known| known.position < entry.position);
                    entries.insert(place, entry);
                }
            }
            HostEvent::EntryGone { chat, entry } => {
                if let Some(entries) = self.growing(chat, seq) {
                    entries.retain(|known| known.id != entry);
                }
            }
            HostEvent::Words {
                chat,
                entry,
                text: more,
                reasoning: more_reasoning,
            } => {
                let known = self.growing(chat, seq).into_iter().flatten();
                for known in known.filter(|known| known.id == entry) {
                    if let EntryBody::Assistant { text, reasoning, .. } = &mut known.body {
                        text.push_str(&more);
                        reasoning.push_str(&more_reasoning);
                    }
                }
            }
            HostEvent::Server { server } => drop(self.servers.insert(server.id, server)),
            HostEvent::ServerGone { server } => drop(self.servers.remove(&server)),
            HostEvent::Waiting { waiting } => self.waiting = waiting,
            HostEvent::LedgerChecked { check } => self.ledger_check = Some(check),
            HostEvent::Rows { rows } => self.rows = rows,
            HostEvent::Models { connections, models } => {
                self.connections = connections;
                self.models = models;
            }
            HostEvent::Workspaces { workspaces } => self.workspaces = workspaces,
            HostEvent::Settings { settings } => self.settings = settings,
            HostEvent::Costs { costs } => self.costs = costs,
            HostEvent::Tools { .. }
            | HostEvent::Log { .. }
            | HostEvent::Rules
            | HostEvent::Muted { .. }
            | HostEvent::ChatAsked { .. }
            | HostEvent::CloseAsked { .. }
            | HostEvent::FilesDragged { .. }
            | HostEvent::Offers { .. }
            | HostEvent::Profiles { .. } => {}
            HostEvent::Answered { question, end } => drop(self.answered.insert(question, end)),
            HostEvent::AttachmentsChanged { attachments } => self.changed.extend(attachments),
        }
    }

    /// The entries of a chat, where this event is not in them already.
    fn growing(&mut self, chat: ChatId, seq: u64) -> Option<&mut Vec<EntryView>> {
        let loaded = self.loaded.get(&chat).copied().unwrap_or(0);
        (seq > loaded).then(|| self.entries.entry(chat).or_default())
    }
}
