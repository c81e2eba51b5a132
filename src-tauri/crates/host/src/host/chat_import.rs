//! Chats taken from a file. The file is read within bounds and shown as what an import would add; it is written once the
//! user confirms. Ids are new, so nothing is overwritten. Calls of a file are never made, and it brings no permission.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::json;
use vestibule_chat_files::{FileChat, FileEntry, ReadChats, Unreadable, VERSION, read_chats};
use vestibule_config_import::open_regular;
use vestibule_protocol::{ChatId, EntryId, WorkspaceId};
use vestibule_servers::checked_content;
use vestibule_store::{BranchEntry, ChatRecord, EntryRecord, Store, StoreError, WholeEntry};

use super::Host;
use crate::turn::title_from;
use crate::view::{ChatImportView, ChatSource, ChatsImported, EntryBody, HostEvent, InputProblem, Problem};
use vestibule_servers::stored_parts;

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 256 * 1024 * 1024;
/// What archives begin with, as which both vendors send their exports.
const ARCHIVE: &[u8] = b"PK\x03\x04";
/// The most titles of a preview.
const MAX_TITLES: usize = 20;
/// What the keys of these settings begin with; the id of the chat follows.
const PREFIX: &str = "imported.";

/// What was read of a chosen file.
pub(super) struct ChosenImport {
    source: ChatSource,
    chats: Vec<FileChat>,
}

/// Which chats were imported.
pub(super) async fn load(store: &Store) -> Result<HashMap<ChatId, ChatSource>, StoreError> {
    let settings = store.settings().await?.into_iter();
    let imported = settings.filter_map(|(key, value)| {
        let chat = key.strip_prefix(PREFIX)?.parse().ok()?;
        Some((chat, serde_json::from_value(value).ok()?))
    });
    Ok(imported.collect())
}

impl Host {
    /// Reads a file of chats and says what importing it would add. It replaces what was read before and not imported.
    ///
    /// # Errors
    /// When the file cannot be read, is too large, or is no file of chats.
    pub async fn chats_import_read(&self, path: &Path) -> Result<ChatImportView, Problem> {
        self.chats_import_drop();
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let path = path.to_owned();
        let name = file.clone();
        let read = tokio::task::spawn_blocking(move || read_file(&path, &name)).await;
        let read = read.unwrap_or_else(|error| Err(unreadable(&file, error.to_string())))?;
        let view = view(file, &read);
        *self.chosen_import() = Some(ChosenImport {
            source: read.source,
            chats: read.chats,
        });
        Ok(view)
    }

    /// Forgets what was read and not imported.
    pub fn chats_import_drop(&self) {
        self.chosen_import().take();
    }

    /// Imports what was read. Each chat is written whole or not at all.
    ///
    /// # Errors
    /// When nothing was read, or a chat could not be written; those before it are then imported.
    pub async fn chats_import(&self) -> Result<ChatsImported, Problem> {
        let chosen = self.chosen_import().take();
        let chosen = chosen.ok_or(Problem::Input(InputProblem::Gone))?;
        let mut imported = vec![];
        for chat in chosen.chats {
            imported.push(self.import_one(chat, chosen.source).await?);
        }
        let only = <[ChatId; 1]>::try_from(imported.as_slice())
            .ok()
            .map(|[only]| only);
        Ok(ChatsImported {
            chats: count(imported.len()),
            only,
        })
    }

    async fn import_one(&self, chat: FileChat, source: ChatSource) -> Result<ChatId, Problem> {
        let record = record(&chat);
        let id = record.id;
        // The mark comes first, so that the chat is never without it.
        self.0.store.put_setting(&key(id), json!(source)).await?;
        self.imported().insert(id, source);
        let written = self
            .0
            .store
            .add_whole_chat(&record, entries(id, chat.entries))
            .await;
        if let Err(error) = written {
            self.forget_import(id);
            self.0.store.remove_setting(&key(id)).await?;
            return Err(error.into());
        }
        let chat = self.chat_view(record, None);
        self.0.events.tell(HostEvent::Chat { chat });
        Ok(id)
    }

    /// The application from whose file a chat was imported.
    pub(super) fn imported_from(&self, chat: ChatId) -> Option<ChatSource> {
        self.imported().get(&chat).copied()
    }

    /// Forgets where a deleted chat came from.
    pub(super) fn forget_import(&self, chat: ChatId) {
        self.imported().remove(&chat);
    }

    fn imported(&self) -> MutexGuard<'_, HashMap<ChatId, ChatSource>> {
        self.0.imported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn chosen_import(&self) -> MutexGuard<'_, Option<ChosenImport>> {
        self.0
            .chosen_import
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(chat: ChatId) -> String {
    format!("{PREFIX}{chat}")
}

/// What a file holds; blocks on the disk.
fn read_file(path: &Path, name: &str) -> Result<ReadChats, Problem> {
    let file = || name.to_owned();
    let bytes = read_bytes(path).map_err(|error| unreadable(name, error.to_string()))?;
    let bytes = bytes.ok_or_else(|| {
        Problem::Input(InputProblem::ChatFileTooLarge {
            file: file(),
            limit_mb: (MAX_FILE / 1024 / 1024) as u32,
        })
    })?;
    if bytes.starts_with(ARCHIVE) {
        return Err(Problem::Input(InputProblem::ChatFilePacked { file: file() }));
    }
    let text = String::from_utf8(bytes).map_err(|_| unreadable(name, "it is not UTF-8 text".to_owned()))?;
    let now = Timestamp::now().as_millisecond();
    read_chats(&text, now, &checked_content).map_err(|error| match error {
        Unreadable::NotJson(detail) => unreadable(name, detail),
        Unreadable::UnknownForm => Problem::Input(InputProblem::ChatFileUnknown { file: file() }),
        Unreadable::Newer(found) => Problem::Input(InputProblem::ChatFileNewer {
            file: file(),
            found,
            known: VERSION,
        }),
    })
}

/// The bytes of a regular file; `None` where it is too large, also where it grows while it is read.
fn read_bytes(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let file = open_regular(path)?;
    if file.metadata()?.len() > MAX_FILE {
        return Ok(None);
    }
    let mut bytes = vec![];
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MAX_FILE).then_some(bytes))
}

fn unreadable(file: &str, detail: String) -> Problem {
    Problem::Input(InputProblem::ChatFileUnreadable {
        file: file.to_owned(),
        detail,
    })
}

fn view(file: String, read: &ReadChats) -> ChatImportView {
    let entries = || read.chats.iter().flat_map(|chat| &chat.entries);
    let is_call = |body: &EntryBody| matches!(body, EntryBody::Call(_) | EntryBody::BuiltInCall(_));
    let is_message = |body: &EntryBody| matches!(body, EntryBody::User { .. } | EntryBody::Assistant { .. });
    let (left_out, left_out_more) = read.left_out.lines();
    ChatImportView {
        file,
        source: read.source,
        chats: count(read.chats.len()),
        messages: count(entries().filter(|entry| is_message(&entry.body)).count()),
        calls: count(entries().filter(|entry| is_call(&entry.body)).count()),
        titles: read.chats.iter().take(MAX_TITLES).map(title).collect(),
        left_out: left_out.to_vec(),
        left_out_more,
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The title of a chat, from its first message where it has none.
fn title(chat: &FileChat) -> String {
    if !chat.title.is_empty() {
        return chat.title.clone();
    }
    let message = chat.entries.iter().find_map(|entry| match &entry.body {
        EntryBody::User { text, .. } => Some(text),
        _ => None,
    });
    message.map(|text| title_from(text)).unwrap_or_default()
}

fn record(chat: &FileChat) -> ChatRecord {
    ChatRecord {
        id: ChatId::new(),
        workspace: WorkspaceId::home(),
        title: title(chat),
        model: None,
        settings: None,
        created: time(chat.created_ms),
        updated: time(chat.updated_ms),
        pinned: false,
        archived: false,
        trashed: None,
    }
}

/// A time of a file, which was brought into the past when the file was read.
fn time(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or_else(|_| Timestamp::now())
}

/// The entries of a file as those of a new chat, with new ids.
fn entries(chat: ChatId, entries: Vec<FileEntry>) -> Vec<WholeEntry> {
    let ids: Vec<EntryId> = entries.iter().map(|_| EntryId::new()).collect();
    let entries = entries.into_iter().enumerate().map(|(number, mut entry)| {
        let result = stored_parts::result_of(&mut entry.body);
        let blobs = result.map(stored_parts::take_large_parts).unwrap_or_default();
        let record = EntryRecord {
            id: ids[number],
            chat,
            position: i64::try_from(number).unwrap_or(i64::MAX),
            parent: entry.parent.map(|parent| ids[parent]),
            at: time(entry.at_ms),
            body: serde_json::to_value(entry.body).expect("an entry is plain data"),
        };
        let shown = entry.shown;
        WholeEntry {
            entry: BranchEntry { record, shown },
            blobs,
        }
    });
    entries.collect()
}
