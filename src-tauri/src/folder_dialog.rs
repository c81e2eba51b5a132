//! The system's own dialog for picking a folder. It is opened from here and never by a page, which can neither say where
//! it begins nor read what it shows; what comes of it is the one folder the user picked, and there is one at a time.

use rfd::{AsyncFileDialog, FileHandle};
use tauri::{Runtime, WebviewWindow};
use tokio::sync::{Mutex, oneshot};
use vestibule_host::view::{Language, Problem, StoreProblem};

use crate::words::text_for;

/// Whether a dialog is open.
#[derive(Default)]
pub(crate) struct FolderDialog(Mutex<()>);

impl FolderDialog {
    /// Lets the user pick a folder; `None` where they picked none, or one is being picked already.
    ///
    /// # Errors
    /// When the path of the folder is no text.
    pub(crate) async fn pick<R: Runtime>(
        &self,
        window: &WebviewWindow<R>,
        language: Language,
    ) -> Result<Option<String>, Problem> {
        let Ok(_open) = self.0.try_lock() else {
            return Ok(None);
        };
        let (tell, told) = oneshot::channel();
        let parent = window.clone();
        // Some systems make dialogs on the main thread alone.
        let shown = window.run_on_main_thread(move || {
            let dialog = AsyncFileDialog::new()
                .set_title(text_for(language, "choose_folder_title"))
                .set_parent(&parent);
            // Without the window there is no receiver, and nothing is opened.
            let _ = tell.send(dialog.pick_folder());
        });
        if let Err(error) = shown {
            tracing::warn!(%error, "failed to open the folder dialog");
        }
        let picked = match told.await {
            Ok(picked) => picked.await,
            Err(_) => None,
        };
        picked.map(|folder| path(&folder)).transpose()
    }
}

fn path(folder: &FileHandle) -> Result<String, Problem> {
    let path = folder.path();
    let text = path.to_str().ok_or_else(|| {
        Problem::Store(StoreProblem::FolderUnusable {
            folder: path.display().to_string(),
            detail: "its name is no valid Unicode".to_owned(),
        })
    })?;
    Ok(text.to_owned())
}
