//! Pictures in chats: the place of one, by which a window names it. The host reads its bytes itself.

use serde::Deserialize;
use vestibule_protocol::{AttachmentId, ChatId, EntryId};

/// Where a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case", deny_unknown_fields)]
pub enum PicturePlace {
    /// In the result of a call.
    Result {
        entry: EntryId,
        /// Its index in the content of the result.
        part: u32,
    },
    /// In something that was sent with a message.
    Message {
        entry: EntryId,
        attachment: AttachmentId,
        /// Its index in what is attached.
        part: u32,
    },
    /// In something that waits in a chat to be sent.
    Waiting {
        chat: ChatId,
        attachment: AttachmentId,
        /// Its index in what is attached.
        part: u32,
    },
}
