//! Chats as Markdown and as JSON: the whole of a chat is read from the disk and written to the file before the next one is
//! read. docs/FORMATS.md describes the JSON.

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use vestibule_chat_files::{
    CHATS_END, FileChat, FileEntry, MarkdownWords, begin_chats, chat_json, markdown_of,
};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_store::{BranchEntry, ChatRecord, Store, StoreError, local_date};

use super::Host;
use super::export::Export;
use crate::transcript;
use crate::view::{ChatFileForm, ExportedFile, Problem};
use vestibule_servers::stored_parts::{self, StoredParts};

/// The longest part of a title in the name of a file, in characters.
const NAME: usize = 60;

impl Host {
    /// Writes a chat, or all chats outside the trash except temporary ones, to a file, which is replaced once the new one
    /// is whole.
    ///
    /// # Errors
    /// When the chat is gone or cannot be read, or the file not be written.
    pub async fn chats_export_to(
        &self,
        path: PathBuf,
        chat: Option<ChatId>,
        form: ChatFileForm,
        words: &MarkdownWords,
    ) -> Result<ExportedFile, Problem> {
        let records = self.records_to_export(chat).await?;
        let (begin, between, end) = match form {
            ChatFileForm::Markdown => (String::new(), "\n---\n\n", ""),
            ChatFileForm::Json => (begin_chats(Timestamp::now().as_millisecond()), ",\n", CHATS_END),
        };
        let mut file = Export::replace(path, &self.0.parts).await?.write(begin).await?;
        let mut count = 0;
        for record in records {
            let chat = self.file_chat(&record).await?;
            let text = match form {
                ChatFileForm::Markdown => markdown_of(&chat, words),
                ChatFileForm::Json => chat_json(&chat),
            };
            let text = if count == 0 {
                text
            } else {
                format!("{between}{text}")
            };
            file = file.write(text).await?;
            count += 1;
        }
        let path = file.write(end.to_owned()).await?.finish().await?;
        Ok(ExportedFile { path, count })
    }

    /// The branch that a chat shows as Markdown.
    ///
    /// # Errors
    /// When the chat is gone or cannot be read.
    pub async fn markdown_of_chat(&self, chat: ChatId, words: &MarkdownWords) -> Result<String, Problem> {
        let record = self.chat_record(chat).await?;
        Ok(markdown_of(&self.file_chat(&record).await?, words))
    }

    /// A name for the file of an export, without its folder.
    ///
    /// # Errors
    /// When the chat is gone.
    pub async fn chats_export_name(
        &self,
        chat: Option<ChatId>,
        form: ChatFileForm,
    ) -> Result<String, Problem> {
        let title = match chat {
            Some(chat) => self.chat_record(chat).await?.title,
            None => format!("vestibule-{}", local_date(Timestamp::now())),
        };
        let ending = match form {
            ChatFileForm::Markdown => "md",
            ChatFileForm::Json => "json",
        };
        Ok(format!("{}.{ending}", file_name(&title, "chat")))
    }

    async fn records_to_export(&self, chat: Option<ChatId>) -> Result<Vec<ChatRecord>, Problem> {
        if let Some(chat) = chat {
            return Ok(vec![self.chat_record(chat).await?]);
        }
        let mut records = self.0.store.chats().await?;
        records.retain(|chat| chat.trashed.is_none() && !chat.id.is_temporary());
        records.sort_by_key(|chat| (chat.created, chat.id));
        Ok(records)
    }

    /// A chat as it is on the disk.
    async fn file_chat(&self, record: &ChatRecord) -> Result<FileChat, Problem> {
        let branches = self.0.store.chat_branches(record.id).await?;
        let entries = file_entries(branches, &self.0.store).await?;
        Ok(FileChat {
            id: record.id.to_string(),
            title: record.title.clone(),
            created_ms: record.created.as_millisecond(),
            updated_ms: record.updated.as_millisecond(),
            entries,
        })
    }
}

/// The entries for a file, with the whole of their results. What follows an entry that this version cannot read follows
/// the one before it.
async fn file_entries(branches: Vec<BranchEntry>, store: &Store) -> Result<Vec<FileEntry>, StoreError> {
    let mut places: HashMap<EntryId, Option<usize>> = HashMap::new();
    let mut entries = vec![];
    for BranchEntry { record, shown } in branches {
        let parent = record
            .parent
            .and_then(|parent| places.get(&parent).copied().flatten());
        let id = record.id;
        let place = match transcript::view(record) {
            Some(mut view) => {
                if let Some(result) = stored_parts::result_of(&mut view.body) {
                    stored_parts::put_back(store, id, result, StoredParts::All).await?;
                }
                entries.push(FileEntry {
                    id: id.to_string(),
                    parent,
                    at_ms: view.at_ms,
                    shown,
                    body: view.body,
                });
                Some(entries.len() - 1)
            }
            None => parent,
        };
        places.insert(id, place);
    }
    Ok(entries)
}

/// A title in characters that every system takes in the name of a file; `otherwise` where none of it is left.
pub(super) fn file_name(title: &str, otherwise: &str) -> String {
    let allowed = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_') {
            c
        } else {
            ' '
        }
    };
    let name: String = title.chars().map(allowed).collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(NAME).collect();
    if name.is_empty() {
        otherwise.to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_any_kind_makes_the_name_of_a_file() {
        assert_eq!(file_name("../../etc/passwd\n", "chat"), "etc passwd");
        assert_eq!(file_name("天气 in Oslo?", "chat"), "天气 in Oslo");
        assert_eq!(file_name(" .. ", "picture"), "picture");
        assert_eq!(file_name(&"a".repeat(500), "chat").len(), NAME);
    }
}
