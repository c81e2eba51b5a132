//! The ledger.

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{
    ChangeOutcome, ExportedFile, LedgerCheck, LedgerPage, LedgerQuery, Problem, SeenByServer,
};
use vestibule_protocol::ServerId;

#[tauri::command]
pub(crate) async fn ledger_page(host: State<'_, Host>, query: LedgerQuery) -> Result<LedgerPage, Problem> {
    host.ledger_page(query).await
}

#[tauri::command]
pub(crate) async fn ledger_verify(host: State<'_, Host>) -> Result<LedgerCheck, Problem> {
    host.ledger_verify().await
}

#[tauri::command]
pub(crate) async fn ledger_export(
    host: State<'_, Host>,
    query: LedgerQuery,
) -> Result<ExportedFile, Problem> {
    host.ledger_export(query).await
}

#[tauri::command]
pub(crate) async fn ledger_seen(host: State<'_, Host>, server: ServerId) -> Result<SeenByServer, Problem> {
    host.ledger_seen(server).await
}

#[tauri::command]
pub(crate) async fn ledger_forget_server(host: State<'_, Host>, server: ServerId) -> Result<(), Problem> {
    host.ledger_forget_server(server).await
}

#[tauri::command]
pub(crate) async fn ledger_accept(host: State<'_, Host>) -> Result<ChangeOutcome, Problem> {
    host.ledger_accept().await
}
