//! What a user picked of servers, and the files they attached, as long as it is not sent. Each thing belongs to the chat
//! it was picked in and can be sent there alone; a window names it and never hands its content back, so that what goes to
//! the model is what was shown. The host keeps files on disk until they are sent; nothing of a server is.

mod file;
mod file_kind;
mod pdf;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vestibule_protocol::mcp::{ContentBlock, GetPromptResult, ReadResourceResult, Role};
use vestibule_protocol::{AttachmentId, ChatId};

use crate::call::result::{part, size};
pub use file::{PdfFile, PickedFile, read_file, read_picture, read_text};
pub use file_kind::{PictureFile, picture_file};
pub use pdf::read_pdf;
use vestibule_app_protocol::{AttachedPart, AttachmentView, InputProblem};

/// The most things that wait in one chat, and that one message carries.
pub const MOST: usize = 16;
/// The most bytes that wait in one chat, pictures as Base64. Vendors refuse much longer requests.
const MOST_BYTES: usize = 24 * 1024 * 1024;
/// The most bytes of one thing of a server.
const MOST_KEPT: usize = 4 * 1024 * 1024;

/// What waits to be sent. Cheap to clone.
#[derive(Clone, Default)]
pub struct Attachments(Arc<Mutex<BTreeMap<AttachmentId, (ChatId, AttachmentView)>>>);

impl Attachments {
    /// Keeps something for a chat.
    pub fn keep(&self, chat: ChatId, attachment: AttachmentView) -> Result<(), InputProblem> {
        let mut all = self.all();
        let waiting: Vec<&AttachmentView> = all
            .values()
            .filter_map(|(of, attachment)| (*of == chat).then_some(attachment))
            .collect();
        if waiting.len() >= MOST {
            return Err(too_many());
        }
        if waiting.into_iter().chain([&attachment]).map(bytes).sum::<usize>() > MOST_BYTES {
            return Err(InputProblem::AttachmentsTooLarge {
                limit_mb: (MOST_BYTES / 1024 / 1024) as u32,
            });
        }
        all.insert(attachment.id, (chat, attachment));
        Ok(())
    }

    /// Whether there is room for one more in a chat.
    pub fn has_room(&self, chat: ChatId) -> bool {
        self.all().values().filter(|(of, _)| *of == chat).count() < MOST
    }

    /// What these names stand for in this chat: all of them or none.
    pub fn find(&self, chat: ChatId, ids: &[AttachmentId]) -> Result<Vec<AttachmentView>, InputProblem> {
        if ids.len() > MOST {
            return Err(too_many());
        }
        let all = self.all();
        let found = ids.iter().map(|id| match all.get(id) {
            Some((of, attachment)) if *of == chat => Ok(attachment.clone()),
            _ => Err(InputProblem::Gone),
        });
        found.collect()
    }

    /// What waits in a chat, in the order it was picked.
    pub fn of_chat(&self, chat: ChatId) -> Vec<AttachmentView> {
        let all = self.all();
        let of_chat = all.values().filter(|(of, _)| *of == chat);
        of_chat.map(|(_, attachment)| attachment.clone()).collect()
    }

    /// Forgets something; gives it back where it was there.
    pub fn drop_one(&self, id: AttachmentId) -> Option<AttachmentView> {
        self.all().remove(&id).map(|(_, attachment)| attachment)
    }

    /// Forgets what waits in a chat.
    pub fn drop_chat(&self, chat: ChatId) -> Vec<AttachmentView> {
        let mut all = self.all();
        let ids: Vec<AttachmentId> = all
            .iter()
            .filter(|(_, (of, _))| *of == chat)
            .map(|(id, _)| *id)
            .collect();
        let dropped = ids.iter().filter_map(|id| all.remove(id));
        dropped.map(|(_, attachment)| attachment).collect()
    }

    /// Marks what its server said changed; what was sent meanwhile is not here.
    pub fn changed(&self, id: AttachmentId) {
        if let Some((_, attachment)) = self.all().get_mut(&id) {
            attachment.changed = true;
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<AttachmentId, (ChatId, AttachmentView)>> {
        // Each change is one insert or remove.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes(attachment: &AttachmentView) -> usize {
    attachment.parts.iter().map(|part| size(&part.content)).sum()
}

fn too_many() -> InputProblem {
    InputProblem::TooManyAttachments { limit: MOST as u32 }
}

/// The parts of a resource, bounded.
pub fn of_resource(read: ReadResourceResult) -> (Vec<AttachedPart>, u64) {
    let blocks = read.contents.into_iter().map(|resource| {
        let block = ContentBlock::EmbeddedResource {
            resource,
            annotations: None,
        };
        (None, block)
    });
    bounded(blocks)
}

/// The messages of a prompt, bounded.
pub fn of_prompt(expanded: GetPromptResult) -> (Vec<AttachedPart>, u64) {
    let messages = expanded.messages.into_iter();
    bounded(messages.map(|message| (Some(message.role), message.content)))
}

fn bounded(blocks: impl Iterator<Item = (Option<Role>, ContentBlock)>) -> (Vec<AttachedPart>, u64) {
    let (mut room, mut cut) = (MOST_KEPT, 0);
    let mut parts = vec![];
    for (role, block) in blocks {
        let content = part(block);
        let size = size(&content);
        if size <= room {
            room -= size;
            parts.push(AttachedPart { role, content });
        } else {
            cut += size as u64;
        }
    }
    (parts, cut)
}
