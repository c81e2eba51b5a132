//! Pictures of chats as files. A window names the place of a picture, the shell has the path from the system's dialog, and
//! the bytes are read here. A file that is no picture is not written, whatever a server said that it is.

use std::path::PathBuf;

use vestibule_protocol::{AttachmentId, ChatId, EntryId};
use vestibule_servers::attachments::picture_file;

use super::Host;
use super::chat_export::file_name;
use super::export::Export;
use crate::view::{
    AttachmentFrom, AttachmentView, CallState, ContentView, EntryBody, InputProblem, PicturePlace, Problem,
};
use vestibule_servers::stored_parts;

/// What the name of a file is where nothing of a picture's own name can be used.
const UNNAMED: &str = "picture";

/// A picture that can be written to a file.
pub struct NamedPicture {
    /// A name for the file, without its folder.
    pub name: String,
    bytes: Vec<u8>,
}

impl Host {
    /// Reads a picture of a chat.
    ///
    /// # Errors
    /// When there is none at this place, or its content is no picture.
    pub async fn picture_file(&self, place: PicturePlace) -> Result<NamedPicture, Problem> {
        let found = match place {
            PicturePlace::Result { entry, part } => self.picture_of_result(entry, part).await?,
            PicturePlace::Message {
                entry,
                attachment,
                part,
            } => self.picture_of_message(entry, attachment, part).await?,
            PicturePlace::Waiting {
                chat,
                attachment,
                part,
            } => self.waiting_picture(chat, attachment, part)?,
        };
        let (name, base64) = found.ok_or(Problem::Input(InputProblem::Gone))?;
        let stem = file_name(&name, UNNAMED);
        match picture_file(&base64) {
            Some(file) => Ok(NamedPicture {
                name: format!("{stem}.{}", file.ending),
                bytes: file.bytes,
            }),
            None => Err(Problem::Input(InputProblem::PictureDamaged { name: stem })),
        }
    }

    /// Writes a picture to a file, which is replaced once the new one is whole. Returns its path.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn picture_write(&self, path: PathBuf, picture: NamedPicture) -> Result<String, Problem> {
        let file = Export::replace(path, &self.0.parts).await?;
        file.write(picture.bytes).await?.finish().await
    }

    async fn picture_of_result(&self, entry: EntryId, part: u32) -> Result<Option<FoundPicture>, Problem> {
        let EntryBody::Call(call) = self.entry(entry).await?.body else {
            return Ok(None);
        };
        let CallState::Answered { result, .. } = call.state else {
            return Ok(None);
        };
        let name = format!("{} {}", call.server_name, call.tool);
        let content = match result.content.into_iter().nth(part as usize) {
            Some(ContentView::Stored { part }) => {
                stored_parts::whole_part(&self.0.store, entry, &part).await?
            }
            content => content,
        };
        Ok(base64_of(content).map(|base64| (name, base64)))
    }

    async fn picture_of_message(
        &self,
        entry: EntryId,
        attachment: AttachmentId,
        part: u32,
    ) -> Result<Option<FoundPicture>, Problem> {
        let EntryBody::User { attachments, .. } = self.entry(entry).await?.body else {
            return Ok(None);
        };
        let attached = attachments.into_iter().find(|one| one.id == attachment);
        Ok(attached.and_then(|attached| picture_of(attached, part)))
    }

    fn waiting_picture(
        &self,
        chat: ChatId,
        attachment: AttachmentId,
        part: u32,
    ) -> Result<Option<FoundPicture>, Problem> {
        let attached = self.0.attachments.find(chat, &[attachment])?.pop();
        Ok(attached.and_then(|attached| picture_of(attached, part)))
    }
}

/// The name of a picture, and its bytes as Base64.
type FoundPicture = (String, String);

fn picture_of(attached: AttachmentView, part: u32) -> Option<FoundPicture> {
    let name = match attached.from {
        // The ending is that of the content.
        AttachmentFrom::File { name, .. } => match name.rsplit_once('.') {
            Some((stem, _)) => stem.to_owned(),
            None => name,
        },
        AttachmentFrom::Resource { name, .. } | AttachmentFrom::Prompt { name, .. } => name,
    };
    let part = attached.parts.into_iter().nth(part as usize)?;
    base64_of(Some(part.content)).map(|base64| (name, base64))
}

fn base64_of(content: Option<ContentView>) -> Option<String> {
    match content? {
        ContentView::Image { base64, .. } => Some(base64),
        _ => None,
    }
}
