//! Servers and their tools.

use tauri::State;
use vestibule_consent::NamedValue;
use vestibule_host::Host;
use vestibule_host::view::{
    LogPage, ParsedServers, Problem, RequestKind, ServerDraft, SignInSecrets, SignInSettings, ToolRule,
    ToolView, TrafficPage,
};
use vestibule_protocol::ServerId;

#[tauri::command]
pub(crate) async fn server_parse(host: State<'_, Host>, text: String) -> Result<ParsedServers, Problem> {
    host.server_parse(&text)
}

#[tauri::command]
pub(crate) async fn command_line_split(host: State<'_, Host>, line: String) -> Result<Vec<String>, Problem> {
    host.command_line_split(&line)
}

#[tauri::command]
pub(crate) async fn server_add(host: State<'_, Host>, draft: ServerDraft) -> Result<ServerId, Problem> {
    host.server_add(draft).await
}

#[tauri::command]
pub(crate) async fn server_remove(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_remove(server).await
}

#[tauri::command]
pub(crate) async fn server_start(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_start(server).await
}

#[tauri::command]
pub(crate) async fn server_stop(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_stop(server).await
}

#[tauri::command]
pub(crate) async fn server_sign_in(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_sign_in(server).await
}

#[tauri::command]
pub(crate) async fn server_sign_in_settings(
    host: State<'_, Host>,
    server: ServerId,
) -> Result<SignInSettings, Problem> {
    host.server_sign_in_settings(server).await
}

#[tauri::command]
pub(crate) async fn server_sign_in_set(
    host: State<'_, Host>,
    server: ServerId,
    settings: SignInSettings,
    secrets: SignInSecrets,
) -> Result<(), Problem> {
    host.server_sign_in_set(server, settings, secrets).await
}

#[tauri::command]
pub(crate) async fn server_sign_in_cancel(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_sign_in_cancel(server);
    Ok(())
}

#[tauri::command]
pub(crate) async fn server_sign_in_page(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_sign_in_page(server).await
}

#[tauri::command]
pub(crate) async fn server_sign_out(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_sign_out(server).await
}

#[tauri::command]
pub(crate) async fn server_switch_account(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.server_switch_account(server).await
}

#[tauri::command]
pub(crate) async fn server_secret(
    host: State<'_, Host>,
    server: ServerId,
    name: String,
    value: String,
) -> Result<(), Problem> {
    host.server_secret(server, &name, value).await
}

#[tauri::command]
pub(crate) async fn server_tools(host: State<'_, Host>, server: ServerId) -> Result<Vec<ToolView>, Problem> {
    Ok(host.server_tools(server))
}

#[tauri::command]
pub(crate) async fn server_variables(
    host: State<'_, Host>,
    server: ServerId,
) -> Result<Vec<NamedValue>, Problem> {
    host.server_variables(server).await
}

#[tauri::command]
pub(crate) async fn server_log(
    host: State<'_, Host>,
    server: ServerId,
    after: u64,
) -> Result<LogPage, Problem> {
    host.server_log(server, after)
}

#[tauri::command]
pub(crate) async fn server_traffic(
    host: State<'_, Host>,
    server: ServerId,
    after: u64,
) -> Result<TrafficPage, Problem> {
    host.server_traffic(server, after)
}

#[tauri::command]
pub(crate) async fn tool_rule(
    host: State<'_, Host>,
    server: ServerId,
    tool: String,
    rule: ToolRule,
) -> Result<(), Problem> {
    host.tool_rule(server, &tool, rule).await
}

#[tauri::command]
pub(crate) async fn tool_review(
    host: State<'_, Host>,
    server: ServerId,
    tool: String,
) -> Result<(), Problem> {
    host.tool_review(server, tool);
    Ok(())
}

#[tauri::command]
pub(crate) async fn server_unmute(
    host: State<'_, Host>,
    server: ServerId,
    asking: RequestKind,
) -> Result<(), Problem> {
    host.server_unmute(server, asking).await
}
