//! Entries as they were read from the database, so that the next reader of their chat reads only what changed since: a turn
//! reads its whole chat in each round. What changed is what the database says.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{BranchRow, BranchState, Change, ReadEntry, Store, StoreError};

use super::typed_view;
use crate::view::{EntryBody, EntryView};

/// The most chats whose entries are kept, those that were read last.
const MOST_CHATS: usize = 8;
/// The most entries that are kept, in bytes of their JSON.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The entries that were read last. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(super) struct ReadEntries(Arc<Mutex<VecDeque<KeptChat>>>);

/// The branch that a chat showed. Cheap to clone.
#[derive(Clone)]
struct KeptChat {
    chat: ChatId,
    /// How far it was read; `None` where not all of its entries are kept.
    state: Option<BranchState>,
    /// In the order of their positions, by which one is found.
    entries: Arc<Vec<KeptEntry>>,
}

impl KeptChat {
    fn new(chat: ChatId, state: BranchState, mut entries: Vec<KeptEntry>) -> Self {
        let mut bytes = 0;
        let within = entries.iter().take_while(|entry| {
            bytes += entry.bytes;
            bytes <= MOST_BYTES
        });
        let within = within.count();
        let is_whole = within == entries.len();
        entries.truncate(within);
        Self {
            chat,
            state: is_whole.then_some(state),
            entries: Arc::new(entries),
        }
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.bytes).sum()
    }
}

#[derive(Clone)]
struct KeptEntry {
    change: Change,
    bytes: usize,
    view: Arc<EntryView>,
}

impl KeptEntry {
    fn new(read: ReadEntry<EntryBody>) -> Option<Self> {
        Some(Self {
            change: read.change,
            bytes: read.bytes,
            view: Arc::new(typed_view(read.record)?),
        })
    }
}

impl ReadEntries {
    /// The entries of the branch that a chat shows, in order, without those that this version cannot read.
    pub(super) async fn read(&self, store: &Store, chat: ChatId) -> Result<Vec<Arc<EntryView>>, StoreError> {
        let kept = self.kept(chat);
        let (since, before) = kept.map(|kept| (kept.state, kept.entries)).unwrap_or_default();
        let read = store.typed_entries(chat, since, known(before.clone())).await?;
        let mut entries = match read.is_whole {
            true => Vec::with_capacity(read.rows.len()),
            false => before.to_vec(),
        };
        for row in read.rows {
            let entry = match row {
                BranchRow::Known(entry) => Some(entry),
                BranchRow::Read(read) => KeptEntry::new(*read),
            };
            if let Some(entry) = entry {
                put(&mut entries, entry);
            }
        }
        let views = entries.iter().map(|entry| entry.view.clone()).collect();
        self.keep(KeptChat::new(chat, read.state, entries));
        Ok(views)
    }

    /// Keeps nothing of a chat that is deleted.
    pub(super) fn forget(&self, chat: ChatId) {
        self.chats().retain(|kept| kept.chat != chat);
    }

    fn kept(&self, chat: ChatId) -> Option<KeptChat> {
        self.chats().iter().find(|kept| kept.chat == chat).cloned()
    }

    /// Keeps a chat. Other ones make room for it.
    fn keep(&self, kept: KeptChat) {
        let mut chats = self.chats();
        chats.retain(|other| other.chat != kept.chat);
        chats.push_front(kept);
        let mut bytes = 0;
        chats.retain(|kept| {
            bytes += kept.bytes();
            bytes <= MOST_BYTES
        });
        chats.truncate(MOST_CHATS);
    }

    fn chats(&self) -> MutexGuard<'_, VecDeque<KeptChat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds an entry among those of before. They are looked up by id only where the whole branch is read.
fn known(before: Arc<Vec<KeptEntry>>) -> impl Fn(EntryId, Change) -> Option<KeptEntry> {
    let by_id = OnceCell::new();
    move |id, change| {
        let by_id: &HashMap<EntryId, usize> = by_id.get_or_init(|| {
            let entries = before.iter().enumerate();
            entries.map(|(at, entry)| (entry.view.id, at)).collect()
        });
        let entry = &before[*by_id.get(&id)?];
        (entry.change == change).then(|| entry.clone())
    }
}

/// Puts an entry where it stands in its branch, in place of the one that was there.
fn put(entries: &mut Vec<KeptEntry>, entry: KeptEntry) {
    let position = entry.view.position;
    match entries.binary_search_by_key(&position, |entry| entry.view.position) {
        Ok(at) => entries[at] = entry,
        Err(at) => entries.insert(at, entry),
    }
}
