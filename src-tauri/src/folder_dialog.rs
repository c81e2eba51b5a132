//! The system's own dialog for picking a folder, files to read or a file to write. It is opened from here and never by a
//! page, which can neither say where it begins nor read what it shows; what comes of it is what the user picked, and
//! there is one dialog at a time.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use futures::FutureExt;
use rfd::{AsyncFileDialog, FileHandle};
use tauri::{Runtime, WebviewWindow};
use tokio::sync::{Mutex, oneshot};
use vestibule_host::view::{Language, Problem, StoreProblem};

use crate::words::text_for;

/// What the dialog lets the user pick.
pub(crate) enum Pick {
    Folder,
    ModelFile,
    /// Any number of files, to attach them.
    Files,
    /// A file of chats to read.
    ChatFile,
    /// A file of chats to write, with a name that is proposed. The dialog asks before one that exists is replaced.
    NewChatFile {
        name: String,
    },
    /// An MCP bundle to read.
    Bundle,
    /// A backup to read.
    Backup,
    /// A backup to write, in the same way.
    NewBackup {
        name: String,
    },
    /// A picture to write, in the same way.
    NewPicture {
        name: String,
    },
}

/// Whether a dialog is open.
#[derive(Default)]
pub(crate) struct FolderDialog(Mutex<()>);

impl FolderDialog {
    /// As while a dialog is open: none is opened.
    #[cfg(test)]
    pub(crate) fn busy() -> Self {
        let dialog = Self::default();
        std::mem::forget(dialog.0.try_lock());
        dialog
    }

    /// Lets the user pick one path; `None` where they picked nothing, or a dialog is open already.
    ///
    /// # Errors
    /// When the path is no text.
    pub(crate) async fn pick<R: Runtime>(
        &self,
        what: Pick,
        window: &WebviewWindow<R>,
        language: Language,
    ) -> Result<Option<String>, Problem> {
        let picked = self.pick_all(what, window, language).await;
        picked.first().map(|folder| path(folder)).transpose()
    }

    /// Lets the user pick; empty where they picked nothing, or a dialog is open already.
    pub(crate) async fn pick_all<R: Runtime>(
        &self,
        what: Pick,
        window: &WebviewWindow<R>,
        language: Language,
    ) -> Vec<PathBuf> {
        let Ok(_open) = self.0.try_lock() else {
            return vec![];
        };
        let (tell, told) = oneshot::channel();
        let parent = window.clone();
        // Some systems make dialogs on the main thread alone.
        let shown = window.run_on_main_thread(move || {
            let dialog = AsyncFileDialog::new()
                .set_title(text_for(language, what.title()))
                .set_parent(&parent);
            // Without the window there is no receiver, and nothing is opened.
            let _ = tell.send(what.opened(dialog));
        });
        if let Err(error) = shown {
            tracing::warn!(%error, "failed to open the folder dialog");
        }
        let picked = match told.await {
            Ok(picked) => picked.await,
            Err(_) => vec![],
        };
        picked.iter().map(|file| file.path().to_owned()).collect()
    }
}

/// A dialog that is open, to the answer of the user.
type OpenDialog = Pin<Box<dyn Future<Output = Vec<FileHandle>> + Send>>;

impl Pick {
    /// The key of the title in the catalogue.
    fn title(&self) -> &'static str {
        match self {
            Self::Folder => "choose_folder_title",
            Self::ModelFile => "choose_model_file_title",
            Self::Files => "attach_files",
            Self::ChatFile => "choose_chat_file_title",
            Self::NewChatFile { .. } => "choose_new_chat_file_title",
            Self::Bundle => "choose_bundle_title",
            Self::Backup => "choose_backup_title",
            Self::NewBackup { .. } => "choose_new_backup_title",
            Self::NewPicture { .. } => "save_picture_title",
        }
    }

    fn opened(self, dialog: AsyncFileDialog) -> OpenDialog {
        match self {
            Self::Folder => Box::pin(dialog.pick_folder().map(Vec::from_iter)),
            Self::ModelFile => {
                let picked = dialog.add_filter("GGUF", &["gguf"]).pick_file();
                Box::pin(picked.map(Vec::from_iter))
            }
            Self::Files => Box::pin(dialog.pick_files().map(Option::unwrap_or_default)),
            Self::ChatFile => {
                let picked = dialog.add_filter("JSON", &["json"]).pick_file();
                Box::pin(picked.map(Vec::from_iter))
            }
            Self::Bundle => {
                let picked = dialog.add_filter("MCPB", &["mcpb", "dxt"]).pick_file();
                Box::pin(picked.map(Vec::from_iter))
            }
            Self::Backup => Box::pin(dialog.pick_file().map(Vec::from_iter)),
            Self::NewChatFile { name } | Self::NewBackup { name } | Self::NewPicture { name } => {
                Box::pin(dialog.set_file_name(name).save_file().map(Vec::from_iter))
            }
        }
    }
}

fn path(path: &Path) -> Result<String, Problem> {
    let text = path.to_str().ok_or_else(|| {
        Problem::Store(StoreProblem::FolderUnusable {
            folder: path.display().to_string(),
            detail: "its name is no valid Unicode".to_owned(),
        })
    })?;
    Ok(text.to_owned())
}
