//! Files that the user attaches to a chat: picked in the system's dialog, dropped on the window, or the picture of the
//! clipboard. Paths come from the shell, which has them from the system; no window can name one.

use std::path::PathBuf;
use std::sync::PoisonError;

use tokio::task::spawn_blocking;
use vestibule_protocol::ChatId;
use vestibule_servers::attachments::{MOST, PickedFile, read_file, read_pdf, read_picture};

use super::Host;
use crate::view::{AttachmentView, FileDrag, FilesAttached, HostEvent, InputProblem, Problem, StoreProblem};

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
                Ok(FileOrFolder::File(attachment)) => files.attached.push(attachment),
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
        let kept = read.and_then(|picture| {
            self.0.attachments.keep(chat, picture.clone())?;
            Ok(picture)
        });
        let mut files = FilesAttached::default();
        match kept {
            Ok(picture) => files.attached.push(picture),
            Err(problem) => files.refused.push(Problem::Input(problem)),
        }
        Ok(files)
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
            PickedFile::Pdf(file) => read_pdf(&self.0.guard, file).await?,
            PickedFile::Folder => {
                return Ok(FileOrFolder::Folder(path.to_string_lossy().into_owned()));
            }
        };
        self.0.attachments.keep(chat, attachment.clone())?;
        Ok(FileOrFolder::File(attachment))
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

/// What was made of a path.
enum FileOrFolder {
    File(AttachmentView),
    /// The path of the folder.
    Folder(String),
}
