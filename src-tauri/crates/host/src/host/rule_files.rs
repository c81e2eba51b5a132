//! Rules carried to a file and taken from one. Refusals of a file hold at once; its permissions are asked.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;
use vestibule_policy::{Action, Decision, Digest, Reach, Rule, export_rules, import_rules};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::ApprovedTool;

use super::Host;
use super::rules::is_bound_to;
use crate::view::{InputProblem, Problem, RuleBinding, RulesImported};

/// The largest file of rules, in bytes.
const FILE: usize = 8 * 1024 * 1024;

impl Host {
    /// All rules as a file's text, except those that end with a temporary chat.
    #[must_use]
    pub fn rules_export(&self) -> String {
        let mut rules = self.0.gate.rules().all();
        rules.retain(|rule| !matches!(rule.reach, Reach::Chat(chat) if chat.is_temporary()));
        format!("{:#}", export_rules(&rules))
    }

    /// Takes the rules of a file: refusals hold at once, about permissions the consent window asks, a card a server.
    ///
    /// # Errors
    /// When the file is not one of rules for servers that are here.
    pub async fn rules_import(&self, text: &str) -> Result<RulesImported, Problem> {
        let broken = |detail: String| Problem::Input(InputProblem::RulesUnreadable { detail });
        if text.len() > FILE {
            return Err(broken(format!("it is larger than {} MB", FILE / 1024 / 1024)));
        }
        let file: Value = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        let is_here = |server| self.0.servers.get(server).is_ok();
        let rules =
            import_rules(&file, is_here, Timestamp::now()).map_err(|error| broken(error.to_string()))?;
        let chats = self.0.store.chats().await?.into_iter().map(|chat| chat.id);
        let chats: HashSet<ChatId> = chats.filter(|chat| !chat.is_temporary()).collect();
        let all = rules.len();
        let rules: Vec<Rule> = rules
            .into_iter()
            .filter(|rule| !matches!(rule.reach, Reach::Chat(chat) if !chats.contains(&chat)))
            .collect();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let for_chats = rules.len();
        let mut definitions = BTreeMap::new();
        for server in rules.iter().map(|rule| rule.server).collect::<HashSet<_>>() {
            definitions.insert(server, self.0.store.approved_tools(server).await?);
        }
        let rules: Vec<Rule> = rules
            .into_iter()
            .filter(|rule| is_current(rule, &definitions))
            .collect();
        let refusals = rules
            .iter()
            .filter(|rule| rule.decision == Decision::Deny)
            .count();
        let imported = RulesImported {
            refusals: count(refusals),
            permissions: count(rules.len() - refusals),
            left_out: count(all - for_chats),
            outdated: count(for_chats - rules.len()),
        };
        let (refusals, permissions) = rules
            .into_iter()
            .partition(|rule| rule.decision == Decision::Deny);
        self.keep_refusals(refusals).await?;
        self.ask_for_imported(permissions, definitions)?;
        Ok(imported)
    }

    /// Lets imported refusals hold. They wait for nothing, so the next start or call of a server is refused.
    async fn keep_refusals(&self, refusals: Vec<Rule>) -> Result<(), Problem> {
        for (server, refusals) in by_server(refusals) {
            let face = self.0.servers.get(server)?.face();
            let imported = self.0.gate.rules().import(face, refusals, |_| None, |_| {});
            imported.await?;
            self.tool_rules_changed(server);
        }
        Ok(())
    }

    /// Lets imported permissions hold, each server's after its own question.
    fn ask_for_imported(
        &self,
        permissions: Vec<Rule>,
        mut definitions: BTreeMap<ServerId, Vec<ApprovedTool>>,
    ) -> Result<(), Problem> {
        for (server, rules) in by_server(permissions) {
            let handle = self.0.servers.get(server)?;
            let tools = definitions.remove(&server).unwrap_or_default();
            let host = self.clone();
            self.0.tasks.spawn(async move {
                let opening = handle.opening().await;
                let binding = |rule: &Rule| binding_of(rule, &tools, opening.as_ref());
                let imported = host.0.gate.rules().import(handle.face(), rules, binding, |_| {});
                if let Err(error) = imported.await {
                    tracing::error!(%error, "failed to persist imported rules");
                }
                host.tool_rules_changed(server);
            });
        }
        Ok(())
    }
}

fn by_server(rules: Vec<Rule>) -> BTreeMap<ServerId, Vec<Rule>> {
    let mut by_server: BTreeMap<ServerId, Vec<Rule>> = BTreeMap::new();
    for rule in rules {
        by_server.entry(rule.server).or_default().push(rule);
    }
    by_server
}

/// Whether a rule of a file is no permission for another definition of a tool than the accepted one.
fn is_current(rule: &Rule, definitions: &BTreeMap<ServerId, Vec<ApprovedTool>>) -> bool {
    let Action::CallTool { tool } = &rule.action else {
        return true;
    };
    let accepted = definitions.get(&rule.server).into_iter().flatten();
    let mut same = accepted.filter(|accepted| accepted.name == *tool);
    rule.decision != Decision::Allow || same.any(|accepted| is_bound_to(rule, accepted))
}

/// What a permission of a file is bound to, as its card shows it.
pub(super) fn binding_of(
    rule: &Rule,
    tools: &[ApprovedTool],
    opening: Option<&(Action, Digest)>,
) -> Option<RuleBinding> {
    if let Action::CallTool { tool } = &rule.action {
        let mut accepted = tools.iter().filter(|accepted| accepted.name == *tool);
        return Some(match accepted.find(|accepted| is_bound_to(rule, accepted)) {
            Some(accepted) => RuleBinding::Definition {
                definition: accepted.definition.clone(),
            },
            None => RuleBinding::OtherDefinition,
        });
    }
    if !rule.action.opens_server() {
        return None;
    }
    let is_today = opening.is_some_and(|(_, digest)| rule.bound_to == Some(*digest));
    Some(if is_today {
        RuleBinding::Opening
    } else {
        RuleBinding::OtherOpening
    })
}
