//! What each window may do, asked of the real capabilities: every command of the table from every window.

use std::sync::mpsc;

use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use vestibule_host::{HelperProgram, Host, HostOptions, MemorySecrets};
use vestibule_store::Store;
use vestibule_transport::browser::Browser;

use std::sync::Arc;

use super::*;

macro_rules! names {
    ($($label:ident { $($(#[$doc:meta])* $kind:ident fn $name:ident $arguments:tt $(-> $result:ty)?;)* })*) => {
        /// Each command and its window.
        const COMMANDS: &[(&str, &str)] = &[$($((stringify!($name), stringify!($label))),*),*];
    };
}

vestibule_app_protocol::commands!(names);

fn app() -> App<MockRuntime> {
    let missing = HelperProgram {
        program: "/nonexistent".into(),
        leading_args: vec![],
    };
    let options = HostOptions {
        store: Store::in_memory().unwrap(),
        secrets: Arc::new(MemorySecrets::new("a test")),
        guard: missing.clone(),
        worker: missing,
        browser: Browser::default(),
        callback_page: words::callback_page,
        proxies: Proxies::default(),
        data_folder: "/nonexistent".into(),
        own_folders: vec![],
        app_folders: Default::default(),
        network_variables: Default::default(),
        tour: None,
    };
    let host = tauri::async_runtime::block_on(Host::open(options)).unwrap();
    mock_builder()
        .manage(host)
        .manage(consent_window::ConsentWindow::default())
        .manage(windows::CloseRequests::default())
        .manage(folder_dialog::FolderDialog::busy())
        .manage(WindowStream::<Envelope>::default())
        .manage(WindowStream::<InboxMessage>::default())
        .invoke_handler(handler())
        .build(context())
        .unwrap()
}

fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .build()
        .unwrap()
}

fn call(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    arguments: InvokeBody,
) -> tauri::ipc::InvokeResponse {
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().unwrap(),
        body: arguments,
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
    told.recv_timeout(std::time::Duration::from_secs(20)).unwrap()
}

/// Whether the capability lets this window come through to the command. Its arguments are left out, so a command
/// that is reached answers that they are missing, and nothing happens.
fn reaches(window: &WebviewWindow<MockRuntime>, command: &str) -> bool {
    match call(window, command, InvokeBody::default()) {
        tauri::ipc::InvokeResponse::Ok(_) => true,
        tauri::ipc::InvokeResponse::Err(error) => {
            let text = error.0.to_string();
            !(text.contains("not allowed") || text.contains("not found"))
        }
    }
}

fn answer(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    arguments: serde_json::Value,
) -> Result<serde_json::Value, String> {
    match call(window, command, InvokeBody::Json(arguments)) {
        tauri::ipc::InvokeResponse::Ok(body) => body.deserialize().map_err(|e| e.to_string()),
        tauri::ipc::InvokeResponse::Err(error) => Err(error.0.to_string()),
    }
}

#[test]
fn a_command_gets_its_arguments_by_name_and_answers_with_its_result() {
    let app = app();
    let window = window(&app, "main");
    let answer = |command, arguments| answer(&window, command, arguments);
    let words = answer(
        "command_line_split",
        serde_json::json!({"line": "serve \"a b\"\u{e9}"}),
    );
    assert_eq!(words, Ok(serde_json::json!(["serve", "a b\u{e9}"])));
    let proxy = answer(
        "model_proxy",
        serde_json::json!({"baseUrl": "https://example.com/v1"}),
    );
    assert_eq!(proxy, Ok(serde_json::Value::Null));
    let unclosed = answer("command_line_split", serde_json::json!({"line": "serve \"a"}));
    assert!(unclosed.unwrap_err().contains("command_line_unclosed"));
}

#[test]
fn a_window_reads_what_happened_since_it_was_opened_and_opened_again() {
    let app = app();
    let main = window(&app, "main");
    let ask = |command, arguments| answer(&main, command, arguments).unwrap();
    for _ in 0..2 {
        let snapshot = ask("host_open", serde_json::json!({}));
        let made = ask("chat_create", serde_json::json!({"temporary": true}));
        let mut seq = snapshot["seq"].as_u64().unwrap();
        let mut tells_of_the_chat = false;
        while !tells_of_the_chat {
            let events = ask("host_events", serde_json::json!({}));
            for event in events.as_array().unwrap() {
                let number = event["seq"].as_u64().unwrap();
                assert!(number <= seq + 1, "no event is lost");
                seq = seq.max(number);
                tells_of_the_chat |= event["event"]["chat"]["id"] == made["id"];
            }
        }
    }
    let consent = window(&app, "consent");
    assert!(answer(&consent, "consent_open", serde_json::json!({})).is_ok());
    let messages = answer(&consent, "consent_messages", serde_json::json!({})).unwrap();
    assert_eq!(messages[0]["message"], "state");
}

/// The chat window cannot consent, and the consent window can do nothing else.
/// Shows HO-017.
#[test]
fn each_window_reaches_exactly_its_own_commands() {
    let app = app();
    for label in ["main", "consent", "failed", "other"] {
        let window = window(&app, label);
        // Backwards, so that no window has opened when it asks for messages: it would wait for one.
        for (command, owner) in COMMANDS.iter().rev() {
            assert_eq!(
                reaches(&window, command),
                *owner == label,
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
