//! Rules, servers and accepted tools that were changed outside Vestibule: shown until the user has decided about each.

use std::sync::PoisonError;

use jiff::Timestamp;
use serde_json::Value;
use vestibule_consent::QuarantinedRule;
use vestibule_policy::{Decision, Rule};
use vestibule_protocol::ServerId;
use vestibule_store::{
    ApprovedTool, CheckedRow, LedgerDraft, LedgerKind, RowFault, RowTable, ServerRecord, StoreError,
};

use super::Host;
use super::rule_files::binding_of;
use super::rules::view;
use crate::rows;
use crate::view::{HostEvent, Problem, RowFinding, RowRef, RowsProtection, RowsView, RuleView};
use vestibule_servers::{ServerHandle, gone};

impl Host {
    /// What is known about changes from outside.
    #[must_use]
    pub fn rows(&self) -> RowsView {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a row into force again: a refusal at once, a permission after a question in the consent window, a
    /// server as the file has it.
    ///
    /// # Errors
    /// When it is gone, or could not be written.
    pub async fn row_keep(&self, name: RowRef) -> Result<(), Problem> {
        match name.table {
            RowTable::Rule => self.keep_rule(name)?,
            RowTable::Server => {
                let found = self.faulty_server(&name).await?;
                if found.row.is_none() {
                    return Err(gone());
                }
                self.note_row("rows.keep", &name, found.fault).await?;
                self.0.store.sign_row(name).await?;
            }
            // The user is asked about its definition at the next listing.
            RowTable::Tool => return Err(gone()),
        }
        self.find_rows().await?;
        Ok(())
    }

    /// Removes a row that does not count: a permission, a server with all that belongs to it, or the record of an
    /// accepted tool, which is then asked about when it is listed.
    ///
    /// # Errors
    /// When it is gone, still refuses something, or could not be removed.
    pub async fn row_remove(&self, name: RowRef) -> Result<(), Problem> {
        match name.table {
            RowTable::Rule => {
                if !self.0.gate.rules().remove_quarantined(&name).await? {
                    return Err(gone());
                }
            }
            RowTable::Server => self.remove_faulty_server(name).await?,
            RowTable::Tool => self.forget_faulty_tool(name).await?,
        }
        self.find_rows().await?;
        Ok(())
    }

    /// Looks which rows do not count, and tells the window where that changed.
    pub(super) async fn find_rows(&self) -> Result<(), Problem> {
        let look = async {
            let findings = self.findings().await?;
            let mut rows = self.0.rows.lock().unwrap_or_else(PoisonError::into_inner);
            if rows.findings == findings {
                return Ok(None);
            }
            rows.findings = findings;
            Ok(Some(HostEvent::Rows { rows: rows.clone() }))
        };
        self.0.row_events.tell(look).await
    }

    /// Writes to the ledger what was found at the start, once for each row.
    pub(super) async fn note_faulty_rows(&self) -> Result<(), Problem> {
        let rules = self.0.gate.rules().quarantined();
        let rules = rules.into_iter().map(|found| (found.name, found.fault));
        let servers = self.0.store.checked_servers().await?;
        let tools = self.0.store.checked_tools(None).await?;
        let found: Vec<(RowRef, RowFault)> = rules
            .chain(servers.into_iter().filter_map(faulty))
            .chain(tools.into_iter().filter_map(faulty))
            .filter(|(_, fault)| *fault != RowFault::Unchecked)
            .collect();
        Ok(rows::note_findings(&self.0.store, &found).await?)
    }

    /// Remembers each new generation of the list of rows in the keychain, and looks again at rows that did not count.
    pub(super) fn watch_over_rows(&self) {
        let host = self.clone();
        let closing = self.0.servers.closing();
        let mut generation = self.0.store.row_generation();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = closing.cancelled() => return,
                    changed = generation.changed() => if changed.is_err() { return },
                }
                host.remember_rows().await;
                if !host.rows().findings.is_empty()
                    && let Err(problem) = host.find_rows().await
                {
                    tracing::warn!(%problem, "rows that were changed from outside could not be looked for");
                }
            }
        });
    }

    /// Remembers the newest generation of the list of rows.
    pub(super) async fn remember_rows(&self) {
        let generation = *self.0.store.row_generation().borrow();
        if generation > 0
            && let Err(error) = rows::remember_generation(&*self.0.secrets, generation).await
        {
            tracing::warn!(%error, "the newest generation of signed rows could not be remembered");
        }
    }

    /// Whether the row of a server does not count, or could not be signed after a change.
    pub(super) async fn is_faulty(&self, server: ServerId) -> Result<bool, StoreError> {
        if matches!(self.rows().protection, RowsProtection::Unchecked { .. }) {
            return Ok(true);
        }
        let servers = self.0.store.checked_servers().await?;
        let id = server.to_string();
        Ok(servers
            .iter()
            .any(|checked| checked.name.id == id && checked.fault.is_some()))
    }

    fn keep_rule(&self, name: RowRef) -> Result<(), Problem> {
        let found = self
            .0
            .gate
            .rules()
            .quarantined()
            .into_iter()
            .find(|found| found.name == name);
        let found = found.ok_or_else(gone)?;
        let server = found.server().ok_or_else(gone)?;
        let handle = self.0.servers.get(server)?;
        let host = self.clone();
        self.0.tasks.spawn(async move {
            if let Err(error) = host.review_rule(&handle, &found).await {
                tracing::error!(%error, "a reviewed rule could not be kept");
            }
            host.tool_rules_changed(server);
            if let Err(problem) = host.find_rows().await {
                tracing::warn!(%problem, "rows that were changed from outside could not be looked for");
            }
        });
        Ok(())
    }

    /// Lets a rule hold again, after a card that shows what it is bound to where it permits something.
    async fn review_rule(&self, server: &ServerHandle, found: &QuarantinedRule) -> Result<bool, StoreError> {
        let tools = self.0.store.approved_tools(server.id()).await?;
        let opens = found.reviewed().is_some_and(|rule| rule.action.opens_server());
        let opening = if opens { server.opening().await } else { None };
        let binding = |rule: &Rule| binding_of(rule, &tools, opening.as_ref());
        let rules = self.0.gate.rules();
        rules
            .review_quarantined(server.face(), &found.name, binding, |_| {})
            .await
    }

    async fn faulty_server(&self, name: &RowRef) -> Result<CheckedRow<ServerRecord>, Problem> {
        let servers = self.0.store.checked_servers().await?;
        let found = servers
            .into_iter()
            .find(|checked| checked.name == *name && checked.fault.is_some());
        found.ok_or_else(gone)
    }

    async fn remove_faulty_server(&self, name: RowRef) -> Result<(), Problem> {
        let found = self.faulty_server(&name).await?;
        self.note_row("rows.remove", &name, found.fault).await?;
        match name.id.parse::<ServerId>() {
            Ok(server) if self.0.servers.get(server).is_ok() => self.server_remove(server).await,
            Ok(server) => {
                self.0.store.remove_server(server).await?;
                self.0.gate.server_removed(server);
                Ok(())
            }
            Err(_) => Ok(self.0.store.delete_row(name).await?),
        }
    }

    /// Puts a definition that no tool has in the place of the record, so that whatever the server lists is asked about.
    async fn forget_faulty_tool(&self, name: RowRef) -> Result<(), Problem> {
        let tools = self.0.store.checked_tools(None).await?;
        let found = tools
            .into_iter()
            .find(|checked| checked.name == name)
            .ok_or_else(gone)?;
        let fault = found.fault.ok_or_else(gone)?;
        self.note_row("rows.remove", &name, Some(fault)).await?;
        let tool = name
            .as_tool()
            .and_then(|(server, tool)| Some((server.parse::<ServerId>().ok()?, tool)));
        match tool {
            Some((server, tool)) if self.0.servers.get(server).is_ok() => {
                let nothing = ApprovedTool {
                    server,
                    name: tool.to_owned(),
                    digest: String::new(),
                    definition: Value::Null,
                    approved: Timestamp::now(),
                };
                Ok(self.0.store.approve_tool(&nothing).await?)
            }
            _ => Ok(self.0.store.delete_row(name).await?),
        }
    }

    async fn note_row(&self, action: &str, name: &RowRef, fault: Option<RowFault>) -> Result<(), Problem> {
        let note = LedgerDraft {
            kind: LedgerKind::Config,
            server: None,
            chat: None,
            action: action.to_owned(),
            object: name.id.clone(),
            decision: None,
            because: Value::Null,
            body: serde_json::json!({ "table": name.table.as_str(), "found": fault.map(RowFault::as_str) }),
        };
        self.0.store.append(note).await?;
        Ok(())
    }

    async fn findings(&self) -> Result<Vec<RowFinding>, Problem> {
        let servers = self.0.store.checked_servers().await?;
        let mut findings: Vec<RowFinding> = servers
            .iter()
            .filter_map(|server| self.of_server(server))
            .collect();
        let rules = self.0.gate.rules().quarantined();
        findings.extend(rules.iter().filter_map(|rule| self.of_rule(rule)));
        let tools = self.0.store.checked_tools(None).await?;
        findings.extend(tools.iter().filter_map(|tool| self.of_tool(tool)));
        findings.truncate(rows::MOST_FOUND);
        Ok(findings)
    }

    fn of_server(&self, checked: &CheckedRow<ServerRecord>) -> Option<RowFinding> {
        let named = checked.row.as_ref().map(|record| record.name.as_str());
        Some(RowFinding {
            row: checked.name.clone(),
            fault: checked.fault?,
            server: checked.name.id.parse().ok(),
            server_name: named.or(checked.kept_name()).unwrap_or_default().to_owned(),
            tool: None,
            rule: None,
            kept: None,
            can_keep: checked.row.is_some(),
            can_remove: true,
        })
    }

    /// Rules of a server that is missing are not listed: they go with it.
    fn of_rule(&self, found: &QuarantinedRule) -> Option<RowFinding> {
        if found.fault == RowFault::Unchecked {
            return None;
        }
        let server = found.server();
        let name = server.map(|server| Some(self.0.servers.get(server).ok()?.name()));
        let server_name = match name {
            Some(name) => name?,
            None => String::new(),
        };
        let view = |rule: &Rule| -> RuleView { view(rule, server_name.clone(), None) };
        let refuses = found.refusals().next().is_some();
        Some(RowFinding {
            row: found.name.clone(),
            fault: found.fault,
            server,
            tool: None,
            rule: found.rule.as_ref().map(view),
            kept: found.kept.as_ref().map(view),
            can_keep: found
                .reviewed()
                .is_some_and(|rule| refuses || rule.decision == Decision::Allow),
            can_remove: !refuses,
            server_name,
        })
    }

    fn of_tool(&self, checked: &CheckedRow<ApprovedTool>) -> Option<RowFinding> {
        let fault = checked.fault?;
        let (server, tool) = checked.name.as_tool()?;
        let server: ServerId = server.parse().ok()?;
        Some(RowFinding {
            row: checked.name.clone(),
            fault,
            server: Some(server),
            server_name: self.0.servers.get(server).ok()?.name(),
            tool: Some(tool.to_owned()),
            rule: None,
            kept: None,
            can_keep: false,
            can_remove: true,
        })
    }
}

fn faulty<T>(checked: CheckedRow<T>) -> Option<(RowRef, RowFault)> {
    checked.fault.map(|fault| (checked.name, fault))
}
