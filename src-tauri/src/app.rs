//! The application: the host opened, the windows made, and everything ended in order.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tauri::ipc::Invoke;
use tauri::{AppHandle, Manager, RunEvent, Runtime};
use vestibule_host::view::{Problem, StoreProblem};
use vestibule_host::{GuardProgram, Host, HostOptions, TourServer};
use vestibule_store::Store;
use vestibule_transport::browser::Browser;
use vestibule_transport::egress::Proxies;

use crate::commands::{chat, consent, ledger, models, offers, rules, servers, settings, window, workspaces};
use crate::{attention, consent_window, folder, folder_dialog, instance, keychain, logging, windows};

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
        .invoke_handler(handler())
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
        if let RunEvent::Exit = event
            && let Some(host) = app.try_state::<Host>()
        {
            close(&host);
        }
    });
    ExitCode::SUCCESS
}

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
    attention::follow(app.clone(), host);
    Ok(())
}

/// Ends the servers. What has not ended by the time limit, the guard process ends.
fn close(host: &Host) {
    // The time limit is made inside: outside of the runtime it has no clock.
    let closed = tauri::async_runtime::block_on(async { tokio::time::timeout(CLOSING, host.close()).await });
    if closed.is_err() {
        tracing::warn!("shutdown exceeded its time limit; the guard process ends what is left");
    }
    tracing::info!("stopped");
}

/// The configuration, with the capabilities of each window.
#[must_use]
pub fn context<R: Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

/// All commands. Which window may call which is decided by the capabilities, not here.
pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        chat::chat_create,
        chat::chat_rename,
        chat::chat_delete,
        chat::chat_entries,
        chat::chat_send,
        chat::chat_stop,
        chat::chat_retry,
        chat::task_cancel,
        chat::chat_model,
        consent::consent_open,
        consent::consent_present,
        consent::consent_answer,
        consent::consent_check,
        consent::consent_keep,
        consent::consent_unmute,
        models::model_save,
        models::model_remove,
        models::model_list,
        models::model_proxy,
        models::model_detect,
        servers::server_parse,
        servers::command_line_split,
        servers::server_add,
        servers::server_remove,
        servers::server_start,
        servers::server_stop,
        servers::server_sign_in,
        servers::server_sign_in_settings,
        servers::server_sign_in_set,
        servers::server_sign_in_cancel,
        servers::server_sign_in_page,
        servers::server_sign_out,
        servers::server_switch_account,
        servers::server_secret,
        servers::server_unmute,
        servers::server_tools,
        servers::server_variables,
        servers::server_log,
        servers::server_traffic,
        servers::tool_rule,
        servers::tool_review,
        rules::rules,
        rules::rule_take_back,
        rules::rule_change,
        rules::rule_try,
        rules::rules_export,
        rules::rules_import,
        rules::row_keep,
        rules::row_remove,
        ledger::ledger_page,
        ledger::ledger_verify,
        ledger::ledger_export,
        ledger::ledger_seen,
        ledger::ledger_forget_server,
        ledger::ledger_accept,
        offers::server_offers,
        offers::server_log_level,
        offers::resource_read,
        offers::prompt_get,
        offers::attachment_drop,
        offers::complete,
        settings::settings_save,
        settings::stop_everything,
        window::host_open,
        window::question_raise,
        workspaces::workspace_create,
        workspaces::workspace_rename,
        workspaces::workspace_remove,
        workspaces::folder_add,
        workspaces::folder_choose,
        workspaces::folder_remove,
        workspaces::folders_share,
        workspaces::folder_unshare,
        workspaces::chat_workspace,
        workspaces::sampling_budget,
        workspaces::sampling_budget_save,
    ]
}

async fn open_host() -> Result<Host, Problem> {
    let data_folder = folder::data();
    std::fs::create_dir_all(&data_folder).map_err(|error| unusable(&data_folder, &error))?;
    let store = Store::open(&folder::database())?;
    let this = std::env::current_exe().map_err(|error| unusable(Path::new("vestibule"), &error))?;
    let guard = this.with_file_name(format!("vestibule-guard{}", std::env::consts::EXE_SUFFIX));
    let secrets = keychain::open(keychain::profile(&data_folder)).await;
    let tour = TourServer {
        command: this.display().to_string(),
        args: vec!["tour".into()],
    };
    let options = HostOptions {
        store,
        secrets,
        guard: GuardProgram {
            program: guard,
            leading_args: vec![],
        },
        browser: Browser::default(),
        proxies: Proxies::from_variables(|name| std::env::var(name).ok()),
        data_folder,
        own_folders: folder::configuration(),
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
