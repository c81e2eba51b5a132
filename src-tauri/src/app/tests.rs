//! What each window may do, asked of the real capabilities: every command from every window against one table.

use std::sync::mpsc;

use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use vestibule_host::{GuardProgram, Host, HostOptions, MemorySecrets};
use vestibule_store::Store;
use vestibule_transport::browser::Browser;

use std::sync::Arc;

use super::*;

/// The whole table. A command that is missing here fails a test below.
const COMMANDS: [(&str, &str); 76] = [
    ("consent_open", "consent"),
    ("consent_present", "consent"),
    ("consent_answer", "consent"),
    ("consent_check", "consent"),
    ("consent_keep", "consent"),
    ("consent_unmute", "consent"),
    ("host_open", "main"),
    ("chat_create", "main"),
    ("chat_rename", "main"),
    ("chat_delete", "main"),
    ("chat_entries", "main"),
    ("chat_send", "main"),
    ("chat_stop", "main"),
    ("chat_retry", "main"),
    ("chat_model", "main"),
    ("server_parse", "main"),
    ("command_line_split", "main"),
    ("server_add", "main"),
    ("server_remove", "main"),
    ("server_start", "main"),
    ("server_stop", "main"),
    ("server_secret", "main"),
    ("server_unmute", "main"),
    ("server_sign_in", "main"),
    ("server_sign_in_settings", "main"),
    ("server_sign_in_set", "main"),
    ("server_sign_in_cancel", "main"),
    ("server_sign_in_page", "main"),
    ("server_sign_out", "main"),
    ("server_switch_account", "main"),
    ("server_tools", "main"),
    ("server_variables", "main"),
    ("server_log", "main"),
    ("server_traffic", "main"),
    ("tool_rule", "main"),
    ("tool_review", "main"),
    ("rules", "main"),
    ("rule_take_back", "main"),
    ("rule_change", "main"),
    ("rule_try", "main"),
    ("rules_export", "main"),
    ("rules_import", "main"),
    ("row_keep", "main"),
    ("row_remove", "main"),
    ("ledger_page", "main"),
    ("ledger_verify", "main"),
    ("ledger_export", "main"),
    ("ledger_seen", "main"),
    ("ledger_forget_server", "main"),
    ("ledger_accept", "main"),
    ("task_cancel", "main"),
    ("server_offers", "main"),
    ("server_log_level", "main"),
    ("resource_read", "main"),
    ("prompt_get", "main"),
    ("attachment_drop", "main"),
    ("complete", "main"),
    ("question_raise", "main"),
    ("model_save", "main"),
    ("model_remove", "main"),
    ("model_list", "main"),
    ("model_proxy", "main"),
    ("model_detect", "main"),
    ("settings_save", "main"),
    ("stop_everything", "main"),
    ("workspace_create", "main"),
    ("workspace_rename", "main"),
    ("workspace_remove", "main"),
    ("folder_add", "main"),
    ("folder_choose", "main"),
    ("folder_remove", "main"),
    ("folders_share", "main"),
    ("folder_unshare", "main"),
    ("chat_workspace", "main"),
    ("sampling_budget", "main"),
    ("sampling_budget_save", "main"),
];

fn app() -> App<MockRuntime> {
    let options = HostOptions {
        store: Store::in_memory().unwrap(),
        secrets: Arc::new(MemorySecrets::new("a test")),
        guard: GuardProgram {
            program: "/nonexistent".into(),
            leading_args: vec![],
        },
        browser: Browser::default(),
        proxies: Proxies::default(),
        data_folder: "/nonexistent".into(),
        own_folders: vec![],
        tour: None,
    };
    let host = tauri::async_runtime::block_on(Host::open(options)).unwrap();
    mock_builder()
        .manage(host)
        .manage(consent_window::ConsentWindow::default())
        .invoke_handler(handler())
        .build(context())
        .unwrap()
}

fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .build()
        .unwrap()
}

/// Whether the capability lets this window come through to the command. Its arguments are left out, so a command
/// that is reached answers that they are missing, and nothing happens.
fn reaches(window: &WebviewWindow<MockRuntime>, command: &str) -> bool {
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().unwrap(),
        body: InvokeBody::default(),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    let (tell, told) = mpsc::channel();
    window.as_ref().clone().on_message(
        request,
        Box::new(move |_, _, response, _, _| {
            // The test is over where nobody listens.
            let _ = tell.send(response);
        }),
    );
    let response = told.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    match response {
        tauri::ipc::InvokeResponse::Ok(_) => true,
        tauri::ipc::InvokeResponse::Err(error) => {
            let text = error.0.to_string();
            !(text.contains("not allowed") || text.contains("not found"))
        }
    }
}

/// The chat window cannot consent, and the consent window can do nothing else.
/// Shows HO-017.
#[test]
fn each_window_reaches_exactly_its_own_commands() {
    let app = app();
    for label in ["main", "consent", "failed", "other"] {
        let window = window(&app, label);
        for (command, owner) in COMMANDS {
            assert_eq!(
                reaches(&window, command),
                owner == label,
                "{command} from {label}"
            );
        }
    }
}

/// Shows HO-017.
#[test]
fn no_window_has_a_command_of_tauri_itself() {
    let app = app();
    for label in ["main", "consent"] {
        let window = window(&app, label);
        for command in [
            "plugin:event|listen",
            "plugin:event|emit",
            "plugin:event|emit_to",
            "plugin:window|close",
            "plugin:webview|create_webview_window",
            "plugin:app|version",
            "plugin:path|resolve_directory",
            "plugin:menu|new",
        ] {
            assert!(!reaches(&window, command), "{command} from {label}");
        }
    }
}

/// The table above names every command there is: those in the handler and those in the permission files.
#[test]
fn the_table_of_commands_is_whole() {
    let this = include_str!("../app.rs");
    let handled = this
        .split("generate_handler![")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    let mut handled: Vec<&str> = handled
        .split(',')
        .filter_map(|path| path.trim().rsplit("::").next())
        .filter(|n| !n.is_empty())
        .collect();
    let files = [
        include_str!("../../permissions/main.toml"),
        include_str!("../../permissions/consent.toml"),
    ];
    let mut permitted: Vec<&str> = files
        .iter()
        .flat_map(|file| {
            file.split("commands.allow")
                .nth(1)
                .unwrap()
                .split('"')
                .skip(1)
                .step_by(2)
        })
        .collect();
    let mut listed: Vec<&str> = COMMANDS.iter().map(|(command, _)| *command).collect();
    for names in [&mut handled, &mut permitted, &mut listed] {
        names.sort_unstable();
    }
    assert_eq!(handled, listed);
    assert_eq!(permitted, listed);
}

/// I3: the policy the pages are served with names no remote host and allows no inline code.
/// Shows HO-016.
#[test]
fn the_pages_can_load_nothing_from_anywhere_else() {
    let context = context::<MockRuntime>();
    let policy = context.config().app.security.csp.as_ref().unwrap().to_string();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for word in [
        "unsafe-inline",
        "unsafe-eval",
        "https:",
        "*",
        "blob:",
        "'strict-dynamic'",
    ] {
        assert!(!policy.contains(word), "{word} in {policy}");
    }
    let scripts = policy
        .split(';')
        .find(|part| part.trim().starts_with("script-src"))
        .unwrap();
    assert_eq!(scripts.trim(), "script-src 'self'");
    assert!(!context.config().app.with_global_tauri);
}

#[test]
fn a_window_is_never_led_to_another_page() {
    for address in [
        "https://example.com/",
        "http://tauri.localhost.evil.example/",
        "tauri://evil.example/",
        "data:text/html,x",
        "about:blank",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://localhost/",
    ] {
        assert!(!windows::is_ours(&address.parse().unwrap()), "{address}");
    }
    assert!(windows::is_ours(&"tauri://localhost/index.html".parse().unwrap()));
}
