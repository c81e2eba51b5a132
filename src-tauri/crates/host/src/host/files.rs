//! Files that the user attaches to a chat: picked in the system's dialog, dropped on the window, or a picture or a long
//! text of the clipboard. Paths come from the shell, which has them from the system; no window can name one. A file that is
//! not sent waits on disk too, so that it survives the end of the application, except in a temporary chat.

use std::path::PathBuf;
use std::sync::PoisonError;

use serde_json::json;
use tokio::task::spawn_blocking;
use vestibule_consent::{Effect, EffectEnd, SentFile};
use vestibule_policy::Digest;
use vestibule_protocol::ChatId;
use vestibule_servers::attachments::{
    Attachments, MOST, PickedFile, read_file, read_pdf, read_picture, read_text,
};
use vestibule_store::{DraftFile, Store, StoreError};

use super::Host;
use crate::view::{
    AttachmentFrom, AttachmentView, FileDrag, FilesAttached, HostEvent, InputProblem, Problem, StoreProblem,
};

/// Lets files wait again that an earlier run did not send.
pub(super) async fn load(store: &Store, attachments: &Attachments) -> Result<(), StoreError> {
    for file in store.draft_files().await? {
        let view = serde_json::from_value::<AttachmentView>(file.body).ok();
        let restored = view.and_then(|view| attachments.keep(file.chat, view).ok());
        if restored.is_none() {
            tracing::error!(attachment = %file.id, "failed to restore a file that was not sent");
        }
    }
    Ok(())
}

impl Host {
    /// Tells the window that files are dragged over it, or have left it again.
    pub fn files_dragged(&self, over: bool) {
        let now = if over { FileDrag::Over } else { FileDrag::Left };
        self.0.events.tell(HostEvent::FilesDragged { now });
    }

    /// Keeps the paths of files that were dropped on the window, in place of those dropped before, until the window says
    /// for which chat they are.
    pub fn keep_dropped(&self, paths: Vec<PathBuf>) {
        *self.0.dropped.lock().unwrap_or_else(PoisonError::into_inner) = paths;
        let now = FileDrag::Dropped;
        self.0.events.tell(HostEvent::FilesDragged { now });
    }

    /// Attaches the files that were dropped last. Each drop is attached once.
    ///
    /// # Errors
    /// When the chat is gone.
    pub async fn files_dropped(&self, chat: ChatId) -> Result<FilesAttached, Problem> {
        let paths = std::mem::take(&mut *self.0.dropped.lock().unwrap_or_else(PoisonError::into_inner));
        self.attach_files(chat, paths).await
    }

    /// Reads files for a chat. They wait there to be sent. What cannot be attached is named with its reason, and a folder
    /// is given back, because it can be added to a workspace instead.
    ///
    /// # Errors
    /// When the chat is gone.
    pub async fn attach_files(&self, chat: ChatId, paths: Vec<PathBuf>) -> Result<FilesAttached, Problem> {
        self.chat_record(chat).await?;
        let mut files = FilesAttached::default();
        for path in paths {
            // One reason is enough for all that have no room.
            if files.attached.len() + files.refused.len() + files.folders.len() > MOST {
                break;
            }
            match self.attach_path(chat, path).await {
                Ok(FileOrFolder::File(attachment)) => self.add_file(&mut files, chat, attachment).await,
                Ok(FileOrFolder::Folder(path)) => files.folders.push(path),
                Err(problem @ Problem::Input(InputProblem::TooManyAttachments { .. })) => {
                    files.refused.push(problem);
                    break;
                }
                Err(problem) => files.refused.push(problem),
            }
        }
        Ok(files)
    }

    /// Attaches a picture of the clipboard; `None` where it has none.
    ///
    /// # Errors
    /// When the chat is gone.
    pub async fn attach_picture(
        &self,
        chat: ChatId,
        name: &str,
        bytes: Option<Vec<u8>>,
    ) -> Result<FilesAttached, Problem> {
        self.chat_record(chat).await?;
        let read = match bytes {
            Some(bytes) => read_picture(name, bytes),
            None => Err(InputProblem::ClipboardWithoutPicture),
        };
        Ok(self.attach_read(chat, read).await)
    }

    /// Attaches a text of the clipboard that is too long for a message.
    ///
    /// # Errors
    /// When the chat is gone.
    pub async fn attach_text(
        &self,
        chat: ChatId,
        name: &str,
        text: String,
    ) -> Result<FilesAttached, Problem> {
        self.chat_record(chat).await?;
        Ok(self.attach_read(chat, read_text(name, text)).await)
    }

    /// Attaches what was read of the clipboard, or says why it could not be read.
    async fn attach_read(&self, chat: ChatId, read: Result<AttachmentView, InputProblem>) -> FilesAttached {
        let kept = read.and_then(|attachment| {
            self.0.attachments.keep(chat, attachment.clone())?;
            Ok(attachment)
        });
        let mut files = FilesAttached::default();
        match kept {
            Ok(attachment) => self.add_file(&mut files, chat, attachment).await,
            Err(problem) => files.refused.push(Problem::Input(problem)),
        }
        files
    }

    async fn add_file(&self, files: &mut FilesAttached, chat: ChatId, file: AttachmentView) {
        files.not_kept.extend(self.persist_file(chat, &file).await);
        files.attached.push(file);
    }

    /// Keeps a file on disk until it is sent. Returns why that failed; the file waits in memory all the same.
    async fn persist_file(&self, chat: ChatId, file: &AttachmentView) -> Option<Problem> {
        let kept = DraftFile {
            id: file.id,
            chat,
            body: json!(file),
        };
        let error = self.0.store.put_draft_file(&kept).await.err()?;
        let AttachmentFrom::File { name, .. } = &file.from else {
            return None;
        };
        Some(Problem::Input(InputProblem::FileNotKept {
            file: name.clone(),
            detail: error.to_string(),
        }))
    }

    async fn attach_path(&self, chat: ChatId, path: PathBuf) -> Result<FileOrFolder, Problem> {
        let (read, path) = spawn_blocking(move || (read_file(&path), path))
            .await
            .map_err(|error| {
                Problem::Store(StoreProblem::StoreFailed {
                    detail: error.to_string(),
                })
            })?;
        let attachment = match read.map_err(Problem::Input)? {
            PickedFile::File(attachment) => attachment,
            PickedFile::Pdf(_) if !self.0.attachments.has_room(chat) => {
                let limit = MOST as u32;
                return Err(Problem::Input(InputProblem::TooManyAttachments { limit }));
            }
            PickedFile::Pdf(file) => read_pdf(&self.0.worker, file).await?,
            PickedFile::Folder => {
                return Ok(FileOrFolder::Folder(path.to_string_lossy().into_owned()));
            }
        };
        self.0.attachments.keep(chat, attachment.clone())?;
        Ok(FileOrFolder::File(attachment))
    }

    /// Writes which files go to the model of a chat with a message. Each record ends once the message is kept.
    ///
    /// # Errors
    /// When that could not be written down; nothing is then sent.
    pub(super) async fn record_files(
        &self,
        chat: ChatId,
        attachments: &[AttachmentView],
    ) -> Result<Vec<FileEffect>, Problem> {
        let mut effects = vec![];
        if !attachments.iter().any(AttachmentView::is_file) {
            return Ok(effects);
        }
        let (model, address) = self.model_and_address(chat).await?;
        for attachment in attachments {
            let Some(file) = sent_file(attachment, &model, address.as_deref()) else {
                continue;
            };
            let bytes = usize::try_from(file.bytes).unwrap_or(usize::MAX);
            let effect = self.0.gate.send_file(chat, file).await?;
            effects.push(FileEffect { effect, bytes });
        }
        Ok(effects)
    }

    /// What the model of a chat is called, and where it is.
    async fn model_and_address(&self, chat: ChatId) -> Result<(String, Option<String>), Problem> {
        let model = self.chat_record(chat).await?.model;
        let model = model.unwrap_or(self.settings().default_model);
        let models = self.0.store.models().await?;
        let record = models.into_iter().find(|record| record.id == model);
        let record = record.ok_or(Problem::Input(InputProblem::Gone))?;
        let connections = self.0.store.connections().await?.into_iter();
        let mut addresses = connections.filter(|connection| Some(connection.id) == record.connection);
        Ok((
            record.model,
            addresses.next().map(|connection| connection.base_url),
        ))
    }

    /// Refuses pictures for a chat whose model does not see them: the user would believe that it does.
    ///
    /// # Errors
    /// When there are such pictures, or the model is gone.
    pub(super) async fn check_pictures(
        &self,
        chat: ChatId,
        attachments: &[AttachmentView],
    ) -> Result<(), Problem> {
        if !attachments.iter().any(AttachmentView::is_picture) {
            return Ok(());
        }
        let model = self.chat_record(chat).await?.model;
        let model = model.unwrap_or(self.settings().default_model);
        match self.0.models.sees_images(model).await? {
            true => Ok(()),
            false => Err(Problem::Input(InputProblem::ModelWithoutPictures)),
        }
    }
}

/// A file that is on its way to a model.
pub(super) struct FileEffect {
    effect: Effect,
    bytes: usize,
}

impl FileEffect {
    /// Writes that these files were sent.
    pub(super) async fn finish_all(effects: Vec<Self>) {
        for Self { effect, bytes } in effects {
            effect.finish_of_size(EffectEnd::Sent, bytes).await;
        }
    }
}

/// A file as the ledger names it; `None` for what comes from a server.
fn sent_file(attachment: &AttachmentView, model: &str, address: Option<&str>) -> Option<SentFile> {
    let AttachmentFrom::File { name, bytes, pages } = &attachment.from else {
        return None;
    };
    let kind = match pages {
        Some(_) => "pdf",
        None if attachment.is_picture() => "picture",
        None => "text",
    };
    Some(SentFile {
        name: name.clone(),
        kind,
        pages: *pages,
        bytes: *bytes,
        content: Digest::of_file(&json!(attachment.parts)),
        model: model.to_owned(),
        address: address.map(str::to_owned),
    })
}

/// What was made of a path.
enum FileOrFolder {
    File(AttachmentView),
    /// The path of the folder.
    Folder(String),
}
