//! Entries as they were read from the database, so that the next reader of their chat reads only what changed since: a turn
//! reads its whole chat in each round. Whether an entry changed is what the database says.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{BranchRow, Revision, Store, StoreError};

use super::typed_view;
use crate::view::EntryView;

/// The most chats whose entries are kept, those that were read last.
const MOST_CHATS: usize = 8;
/// The most entries that are kept, in bytes of their JSON.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The entries that were read last. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(super) struct ReadEntries(Arc<Mutex<VecDeque<KeptChat>>>);

/// The branch that a chat showed.
struct KeptChat {
    chat: ChatId,
    entries: Arc<HashMap<EntryId, KeptEntry>>,
}

impl KeptChat {
    fn bytes(&self) -> usize {
        self.entries.values().map(|entry| entry.bytes).sum()
    }
}

#[derive(Clone)]
struct KeptEntry {
    revision: Revision,
    bytes: usize,
    view: Arc<EntryView>,
}

impl ReadEntries {
    /// The entries of the branch that a chat shows, in order, without those that this version cannot read.
    pub(super) async fn read(&self, store: &Store, chat: ChatId) -> Result<Vec<Arc<EntryView>>, StoreError> {
        let known = self.known(chat);
        let known = move |id: EntryId, revision| {
            let entry = known.get(&id).filter(|entry| entry.revision == revision);
            entry.cloned()
        };
        let rows = store.typed_entries(chat, known).await?;
        let (mut entries, mut changed) = (Vec::with_capacity(rows.len()), vec![]);
        for row in rows {
            let entry = match row {
                BranchRow::Known(entry) => entry,
                BranchRow::Read(read) => {
                    let Some(view) = typed_view(read.record).map(Arc::new) else {
                        continue;
                    };
                    let entry = KeptEntry {
                        revision: read.revision,
                        bytes: read.bytes,
                        view,
                    };
                    changed.push(entry.clone());
                    entry
                }
            };
            entries.push(entry.view);
        }
        self.keep(chat, &entries, changed);
        Ok(entries)
    }

    /// Keeps nothing of a chat that is deleted.
    pub(super) fn forget(&self, chat: ChatId) {
        self.chats().retain(|kept| kept.chat != chat);
    }

    fn known(&self, chat: ChatId) -> Arc<HashMap<EntryId, KeptEntry>> {
        let chats = self.chats();
        let kept = chats.iter().find(|kept| kept.chat == chat);
        kept.map(|kept| kept.entries.clone()).unwrap_or_default()
    }

    /// Keeps the entries that changed as far as they have room, and no other ones than those that the chat shows. Other chats
    /// make room for them.
    fn keep(&self, chat: ChatId, shown: &[Arc<EntryView>], changed: Vec<KeptEntry>) {
        let mut chats = self.chats();
        let before = chats.iter().position(|kept| kept.chat == chat);
        let mut kept = before.and_then(|at| chats.remove(at)).unwrap_or(KeptChat {
            chat,
            entries: Arc::default(),
        });
        let entries = Arc::make_mut(&mut kept.entries);
        for entry in changed {
            entries.insert(entry.view.id, entry);
        }
        if entries.len() > shown.len() {
            let shown: HashSet<EntryId> = shown.iter().map(|entry| entry.id).collect();
            entries.retain(|id, _| shown.contains(id));
        }
        let mut bytes = 0;
        entries.retain(|_, entry| {
            bytes += entry.bytes;
            bytes <= MOST_BYTES
        });
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
