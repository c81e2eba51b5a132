//! The user's rules.

use tauri::State;
use vestibule_host::Host;
use vestibule_host::view::{
    ChangeOutcome, Problem, RowRef, RuleChange, RuleDraft, RuleTrial, RuleView, RulesImported,
};
use vestibule_protocol::RuleId;

#[tauri::command]
pub(crate) async fn rules(host: State<'_, Host>) -> Result<Vec<RuleView>, Problem> {
    host.rules().await
}

#[tauri::command]
pub(crate) async fn rule_take_back(host: State<'_, Host>, rule: RuleId) -> Result<ChangeOutcome, Problem> {
    host.rule_take_back(rule).await
}

#[tauri::command]
pub(crate) async fn rule_change(host: State<'_, Host>, draft: RuleDraft) -> Result<RuleChange, Problem> {
    host.rule_change(draft).await
}

#[tauri::command]
pub(crate) async fn rule_try(host: State<'_, Host>, draft: RuleDraft) -> Result<RuleTrial, Problem> {
    host.rule_try(draft).await
}

#[tauri::command]
pub(crate) async fn rules_export(host: State<'_, Host>) -> Result<String, Problem> {
    Ok(host.rules_export())
}

#[tauri::command]
pub(crate) async fn rules_import(host: State<'_, Host>, text: String) -> Result<RulesImported, Problem> {
    host.rules_import(&text).await
}

#[tauri::command]
pub(crate) async fn row_keep(host: State<'_, Host>, row: RowRef) -> Result<(), Problem> {
    host.row_keep(row).await
}

#[tauri::command]
pub(crate) async fn row_remove(host: State<'_, Host>, row: RowRef) -> Result<(), Problem> {
    host.row_remove(row).await
}
