//! The application: the host opened, the windows made, and everything ended in order.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use tauri::{AppHandle, Manager, RunEvent, Runtime};
use vestibule_egress::Proxies;
use vestibule_host::view::{Envelope, InboxMessage, Problem, StoreProblem};
use vestibule_host::{HelperProgram, Host, HostOptions, NetworkVariables, TourServer};
use vestibule_store::{Store, create_private_folders};
use vestibule_transport::browser::Browser;

use crate::commands::handler;
use crate::window_stream::WindowStream;
use crate::{
    attention, consent_window, folder, folder_dialog, instance, keychain, logging, media, windows, words,
    zoom,
};

/// How long closing may take. The windows are gone by then.
const CLOSING: Duration = Duration::from_secs(10);

/// Opens the application and runs it to its end.
pub(crate) fn run() -> ExitCode {
    let data_folder = folder::data();
    let _log = logging::init(&data_folder);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
    let built = tauri::Builder::default()
        .plugin(instance::plugin(&data_folder))
        .plugin(windows::remembered(&data_folder))
        .manage(consent_window::ConsentWindow::default())
        .manage(attention::FocusWatch::default())
        .manage(folder_dialog::FolderDialog::default())
        .manage(windows::CloseRequests::default())
        .manage(WindowStream::<Envelope>::default())
        .manage(WindowStream::<InboxMessage>::default())
        .manage(Closing::default())
        .invoke_handler(handler())
        .register_asynchronous_uri_scheme_protocol(media::SCHEME, media::serve)
        .setup(|app| Ok(open(app.handle())?))
        .on_window_event(windows::on_event)
        .build(context());
    let app = match built {
        Ok(app) => app,
        Err(error) => {
            tracing::error!(%error, "failed to build the application");
            return ExitCode::FAILURE;
        }
    };
    app.run(|app, event| {
        if let RunEvent::ExitRequested { code, api, .. } = event
            && let Some(host) = app.try_state::<Host>()
            && let Some(closing) = app.try_state::<Closing>()
        {
            match closing
                .state
                .compare_exchange(OPEN, CLOSES, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => {
                    api.prevent_exit();
                    close(app.clone(), host.inner().clone(), code.unwrap_or_default());
                }
                Err(CLOSES) => api.prevent_exit(),
                Err(_) => {}
            }
        }
    });
    ExitCode::SUCCESS
}

#[derive(Default)]
struct Closing {
    /// One of the three states below.
    state: AtomicU8,
    /// Whether the user started the application again meanwhile.
    started_again: AtomicBool,
}

const OPEN: u8 = 0;
const CLOSES: u8 = 1;
const CLOSED: u8 = 2;

/// Opens the host and the main window, or a window that says why the host cannot open. The plugins have run by then,
/// so no other process uses the same data folder.
fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let host = match tauri::async_runtime::block_on(open_host()) {
        Ok(host) => host,
        Err(problem) => return windows::open_failure(app, &problem),
    };
    app.manage(host.clone());
    windows::open_main(app)?;
    consent_window::follow(app.clone(), host.clone());
    zoom::follow(app.clone(), host.clone());
    attention::follow(app.clone(), host);
    Ok(())
}

/// Ends the servers, then the application. What has not ended by the time limit, the guard process ends. The main thread
/// goes on meanwhile: tasks that follow questions ask it about the windows and block until it answers, so a main thread
/// that waited for the host could hold the runtime up for ever.
fn close<R: Runtime>(app: AppHandle<R>, host: Host, code: i32) {
    for window in app.webview_windows().values() {
        if let Err(error) = window.hide() {
            tracing::warn!(%error, "failed to hide a window");
        }
    }
    tauri::async_runtime::spawn(async move {
        if tokio::time::timeout(CLOSING, host.close()).await.is_err() {
            tracing::warn!("shutdown exceeded its time limit; the guard process ends what is left");
        }
        tracing::info!("stopped");
        let closing = app.state::<Closing>();
        closing.state.store(CLOSED, Ordering::SeqCst);
        if closing.started_again.load(Ordering::SeqCst) {
            app.request_restart();
        } else {
            app.exit(code);
        }
    });
}

/// Raises the window for a second start. While the application closes it has none, and the second process has ended: it is
/// opened again once it is closed.
pub(crate) fn on_second_start<R: Runtime>(app: &AppHandle<R>) {
    let closing = app.state::<Closing>();
    if closing.state.load(Ordering::SeqCst) == OPEN {
        windows::raise_main(app);
    } else {
        closing.started_again.store(true, Ordering::SeqCst);
    }
}

/// The configuration, with the capabilities of each window.
#[must_use]
pub fn context<R: Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

async fn open_host() -> Result<Host, Problem> {
    let data_folder = folder::data();
    create_private_folders(&data_folder).map_err(|error| unusable(&data_folder, &error))?;
    let store = Store::open(&folder::database())?;
    let this = std::env::current_exe().map_err(|error| unusable(Path::new("vestibule"), &error))?;
    let beside = |name: &str| HelperProgram {
        program: this.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
        leading_args: vec![],
    };
    let secrets = keychain::open(keychain::profile(&data_folder)).await;
    let tour = TourServer {
        command: this.display().to_string(),
        args: vec!["tour".into()],
    };
    let options = HostOptions {
        store,
        secrets,
        guard: beside("vestibule-guard"),
        worker: beside("vestibule-worker"),
        browser: Browser::default(),
        callback_page: words::callback_page,
        proxies: Proxies::from_variables(|name| std::env::var(name).ok()),
        data_folder,
        own_folders: folder::configuration(),
        app_folders: folder::applications(),
        network_variables: NetworkVariables::from_variables(|name| std::env::var(name).ok()),
        tour: Some(tour),
    };
    Host::open(options).await
}

fn unusable(folder: &Path, error: &std::io::Error) -> Problem {
    Problem::Store(StoreProblem::FolderUnusable {
        folder: folder.display().to_string(),
        detail: error.to_string(),
    })
}

/// The host of a running application.
pub(crate) fn host<R: Runtime>(app: &impl Manager<R>) -> Host {
    app.state::<Host>().inner().clone()
}

#[cfg(test)]
mod tests;
