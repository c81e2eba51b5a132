//! The tools of servers, and what the user wants of each: never, ask or allow.

use jiff::Timestamp;
use vestibule_policy::{Action, Decision, Rule, Scope};
use vestibule_protocol::{ServerId, WorkspaceId};
use vestibule_servers::gone;

use super::Host;
use crate::view::{CallProblem, Problem, ToolList, ToolRule, ToolView};

impl Host {
    /// The tools of a server.
    #[must_use]
    pub fn server_tools(&self, server: ServerId) -> Vec<ToolView> {
        let server = self.0.servers.get(server);
        server.map(|server| server.tools()).unwrap_or_default()
    }

    /// The tools of a server, or those it listed last while it is not connected.
    ///
    /// # Errors
    /// When the server is gone, or they cannot be read.
    pub async fn server_tool_list(&self, server: ServerId) -> Result<ToolList, Problem> {
        self.0.servers.get(server)?.tool_list().await
    }

    /// Lists the tools of a connected server again; a `tools` event reports them.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn server_list_again(&self, server: ServerId) -> Result<(), Problem> {
        self.0.servers.get(server)?.list_again();
        Ok(())
    }

    /// What the user wants of a tool. Refusing acts at once, and so does asking where the tool was allowed; allowing,
    /// and asking again what was refused, is a question of its own, because it widens what may happen.
    ///
    /// # Errors
    /// When the tool is gone, or the decision could not be kept.
    pub async fn tool_rule(&self, server: ServerId, tool: &str, rule: ToolRule) -> Result<(), Problem> {
        match rule {
            ToolRule::Ask => return self.tool_ask_again(server, tool).await.map(drop),
            ToolRule::Never => self.0.gate.rules().refuse_tool(server, tool).await?,
            ToolRule::Allow => {
                let server = self.0.servers.get(server)?;
                let listed = server.tool(tool).ok_or_else(gone)?;
                if listed.held.is_some() {
                    return Err(Problem::Call(CallProblem::ToolHeld {
                        tool: tool.to_owned(),
                    }));
                }
                let gate = self.0.gate.clone();
                self.0.tasks.spawn(async move {
                    let asked = gate
                        .rules()
                        .allow_tool(server.face(), listed.face(), listed.digest, |_| {})
                        .await;
                    if let Err(error) = asked {
                        tracing::error!(%error, "failed to persist a permission");
                    }
                    server.tools_changed();
                });
                return Ok(());
            }
        }
        self.tool_rules_changed(server);
        Ok(())
    }

    /// Asks once whether several tools may be used without a request in every chat. Only tools that are listed now,
    /// were not changed and claim to read are asked about; the others stay as they are.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn tools_allow(&self, server: ServerId, tools: Vec<String>) -> Result<(), Problem> {
        let server = self.0.servers.get(server)?;
        let gate = self.0.gate.clone();
        let now = Timestamp::now();
        let rules: Vec<Rule> = tools
            .iter()
            .filter_map(|name| server.tool(name))
            .filter(|tool| tool.held.is_none() && tool.claims().read_only == Some(true))
            .filter(|tool| {
                gate.rules()
                    .tool_decision(server.id(), &tool.tool.name, tool.digest)
                    == Decision::Ask
            })
            .filter_map(|tool| {
                let action = Action::CallTool { tool: tool.tool.name };
                let home = WorkspaceId::home();
                Rule::permission(server.id(), action, tool.digest, Scope::Always, None, home, now)
            })
            .collect();
        if rules.is_empty() {
            return Ok(());
        }
        self.0.tasks.spawn(async move {
            if let Err(error) = gate.rules().import(server.face(), rules, |_| None, |_| {}).await {
                tracing::error!(%error, "failed to persist permissions for several tools");
            }
            server.tools_changed();
        });
        Ok(())
    }

    /// Shows the user again what is held of a server: a tool, or its instructions.
    pub fn tool_review(&self, server: ServerId, tool: Option<String>) {
        if let Ok(server) = self.0.servers.get(server) {
            server.review(tool);
        }
    }

    /// The rules for the tools of a server changed.
    pub(super) fn tool_rules_changed(&self, server: ServerId) {
        if let Ok(server) = self.0.servers.get(server) {
            server.tools_changed();
        }
    }
}
