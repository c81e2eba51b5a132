//! What is written in a chat but not sent. It is kept in the data file, so that it survives the end of the application
//! however that comes.

use vestibule_protocol::ChatId;

use super::Host;
use crate::view::{DraftView, InputProblem, Problem};

/// What the keys of drafts begin with; the id of the chat follows.
const PREFIX: &str = "draft.";
/// Follows the prefix for a chat that has not begun.
const NEW: &str = "new";
/// The longest draft that is kept, in bytes.
const MAX_DRAFT: usize = 1024 * 1024;

fn key(chat: Option<ChatId>) -> String {
    let chat = chat.map_or_else(|| NEW.to_owned(), |chat| chat.to_string());
    format!("{PREFIX}{chat}")
}

impl Host {
    /// Keeps what is written in a chat in place of what was kept before; an empty text forgets it. Of a chat that is deleted
    /// nothing is kept.
    ///
    /// # Errors
    /// When it is too long or could not be kept.
    pub async fn draft_save(&self, chat: Option<ChatId>, text: String) -> Result<(), Problem> {
        if text.len() > MAX_DRAFT {
            return Err(Problem::Input(InputProblem::TooLong {
                limit_kb: (MAX_DRAFT / 1024) as u32,
            }));
        }
        let store = &self.0.store;
        let is_gone = match chat {
            Some(chat) => store.chat(chat).await?.is_none(),
            None => false,
        };
        if is_gone || text.is_empty() {
            store.remove_setting(&key(chat)).await?;
        } else {
            store.put_setting(&key(chat), text.into()).await?;
        }
        Ok(())
    }

    /// The drafts of all chats and of the new one.
    pub(super) async fn drafts(&self) -> Result<Vec<DraftView>, Problem> {
        let settings = self.0.store.settings().await?;
        let drafts = settings.into_iter().filter_map(|(key, value)| {
            let chat = key.strip_prefix(PREFIX)?;
            let chat = if chat == NEW {
                None
            } else {
                Some(chat.parse().ok()?)
            };
            let text = value.as_str()?.to_owned();
            Some(DraftView { chat, text })
        });
        Ok(drafts.collect())
    }
}
