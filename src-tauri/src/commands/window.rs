//! The commands that need their window: the streams of both windows, and what the shell alone can do.

use tauri::{Manager, Runtime, WebviewWindow};
use vestibule_app_protocol::{
    BackupView, BackupWritten, BundleView, ChatFileForm, ChatImportView, Envelope, ExportedFile,
    FilesAttached, InboxMessage, InputProblem, PicturePlace, Problem, QuestionProblem, RequestKind, Snapshot,
};
use vestibule_host::Host;
use vestibule_protocol::{ChatId, QuestionId, ServerId, WorkspaceId};

use crate::folder_dialog::{FolderDialog, Pick};
use crate::window_stream::WindowStream;
use crate::words::{markdown_words, text_for};
use crate::{clipboard, consent_window, windows};

pub(super) async fn host_open<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Snapshot, Problem> {
    let (snapshot, events) = host.main_window().await?;
    window.state::<WindowStream<Envelope>>().open(events);
    Ok(snapshot)
}

pub(super) async fn host_events<R: Runtime>(
    window: &WebviewWindow<R>,
    _: &Host,
) -> Result<Option<Vec<Envelope>>, Problem> {
    Ok(window.state::<WindowStream<Envelope>>().next().await)
}

pub(super) async fn consent_open<R: Runtime>(window: &WebviewWindow<R>, host: &Host) -> Result<(), Problem> {
    window
        .state::<WindowStream<InboxMessage>>()
        .open(host.consent_window());
    Ok(())
}

pub(super) async fn consent_messages<R: Runtime>(
    window: &WebviewWindow<R>,
    _: &Host,
) -> Result<Option<Vec<InboxMessage>>, Problem> {
    Ok(window.state::<WindowStream<InboxMessage>>().next().await)
}

pub(super) async fn question_raise<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    question: QuestionId,
) -> Result<(), Problem> {
    if !host.question_waits(question) {
        return Err(Problem::Input(InputProblem::Gone));
    }
    host.consent_show(question);
    consent_window::raise(window.app_handle()).await.map_err(|error| {
        Problem::Question(QuestionProblem::WindowNotShown {
            detail: error.to_string(),
        })
    })
}

/// Hides the consent window and answers nothing.
pub(super) async fn consent_hide<R: Runtime>(window: &WebviewWindow<R>, _: &Host) -> Result<(), Problem> {
    consent_window::put_aside(window.app_handle()).map_err(|error| {
        Problem::Question(QuestionProblem::WindowNotHidden {
            detail: error.to_string(),
        })
    })
}

/// Takes the answer of the user who was asked whether to close while something runs or waits.
pub(super) async fn window_close<R: Runtime>(
    window: &WebviewWindow<R>,
    _: &Host,
    close: bool,
) -> Result<(), Problem> {
    windows::on_close_answer(window.app_handle(), close);
    Ok(())
}

/// The consent window may lift a mute like the main window; setting one is an answer.
pub(super) async fn consent_unmute<R: Runtime>(
    _: &WebviewWindow<R>,
    host: &Host,
    server: ServerId,
    asking: RequestKind,
) -> Result<(), Problem> {
    host.server_unmute(server, asking).await
}

/// Lets the user pick a folder in the system's own dialog and adds it. `None` where they picked none.
pub(super) async fn folder_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    workspace: WorkspaceId,
) -> Result<Option<String>, Problem> {
    let dialog = window.state::<FolderDialog>();
    match dialog
        .pick(Pick::Folder, window, host.settings().language)
        .await?
    {
        Some(path) => host.folder_add(workspace, path).await.map(Some),
        None => Ok(None),
    }
}

/// Lets the user pick a folder in the system's own dialog, to name it. `None` where they picked none.
pub(super) async fn folder_pick<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<String>, Problem> {
    let dialog = window.state::<FolderDialog>();
    dialog.pick(Pick::Folder, window, host.settings().language).await
}

/// Lets the user pick a model file in the system's own dialog. `None` where they picked none.
pub(super) async fn model_file_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<String>, Problem> {
    let dialog = window.state::<FolderDialog>();
    dialog
        .pick(Pick::ModelFile, window, host.settings().language)
        .await
}

/// Lets the user pick files in the system's own dialog and attaches them to a chat.
pub(super) async fn files_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    chat: ChatId,
) -> Result<FilesAttached, Problem> {
    let dialog = window.state::<FolderDialog>();
    let picked = dialog
        .pick_all(Pick::Files, window, host.settings().language)
        .await;
    host.attach_files(chat, picked).await
}

/// Attaches the picture of the clipboard to a chat.
pub(super) async fn picture_paste<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    chat: ChatId,
) -> Result<FilesAttached, Problem> {
    let picture = clipboard::picture(window).await;
    let name = text_for(host.settings().language, "pasted_picture");
    host.attach_picture(chat, name, picture).await
}

/// Attaches a text of the clipboard to a chat.
pub(super) async fn text_paste<R: Runtime>(
    _window: &WebviewWindow<R>,
    host: &Host,
    chat: ChatId,
    text: String,
) -> Result<FilesAttached, Problem> {
    let name = text_for(host.settings().language, "pasted_text");
    host.attach_text(chat, name, text).await
}

/// Writes a picture of a chat to a file that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn picture_save<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    picture: PicturePlace,
) -> Result<Option<String>, Problem> {
    let picture = host.picture_file(picture).await?;
    let dialog = window.state::<FolderDialog>();
    let name = picture.name.clone();
    let language = host.settings().language;
    match dialog.pick(Pick::NewPicture { name }, window, language).await? {
        Some(path) => host.picture_write(path.into(), picture).await.map(Some),
        None => Ok(None),
    }
}

/// Writes chats to a file that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn chats_export<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
    chat: Option<ChatId>,
    form: ChatFileForm,
) -> Result<Option<ExportedFile>, Problem> {
    let name = host.chats_export_name(chat, form).await?;
    let dialog = window.state::<FolderDialog>();
    let language = host.settings().language;
    match dialog.pick(Pick::NewChatFile { name }, window, language).await? {
        Some(path) => {
            let words = markdown_words(language);
            host.chats_export_to(path.into(), chat, form, &words)
                .await
                .map(Some)
        }
        None => Ok(None),
    }
}

pub(super) async fn chat_markdown<R: Runtime>(
    _: &WebviewWindow<R>,
    host: &Host,
    chat: ChatId,
) -> Result<String, Problem> {
    let words = markdown_words(host.settings().language);
    host.markdown_of_chat(chat, &words).await
}

/// Reads a file of chats that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn chats_import_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<ChatImportView>, Problem> {
    let dialog = window.state::<FolderDialog>();
    let language = host.settings().language;
    match dialog.pick(Pick::ChatFile, window, language).await? {
        Some(path) => host.chats_import_read(path.as_ref()).await.map(Some),
        None => Ok(None),
    }
}

/// Reads a bundle that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn bundle_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<BundleView>, Problem> {
    let dialog = window.state::<FolderDialog>();
    let language = host.settings().language;
    match dialog.pick(Pick::Bundle, window, language).await? {
        Some(path) => host.bundle_read(path.as_ref()).await.map(Some),
        None => Ok(None),
    }
}

/// Writes a backup to a file that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn backup_write<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<BackupWritten>, Problem> {
    let dialog = window.state::<FolderDialog>();
    let name = Host::backup_name();
    let language = host.settings().language;
    match dialog.pick(Pick::NewBackup { name }, window, language).await? {
        Some(path) => host.backup_write_to(path.into()).await.map(Some),
        None => Ok(None),
    }
}

/// Reads a backup that the user picks in the system's own dialog. `None` where they picked none.
pub(super) async fn backup_choose<R: Runtime>(
    window: &WebviewWindow<R>,
    host: &Host,
) -> Result<Option<BackupView>, Problem> {
    let dialog = window.state::<FolderDialog>();
    let language = host.settings().language;
    match dialog.pick(Pick::Backup, window, language).await? {
        Some(path) => host.backup_read(path.as_ref()).await.map(Some),
        None => Ok(None),
    }
}
