//! The Rules screen: every standing permission and refusal, taken back, changed, tried on the past, carried to a file
//! and back. What widens is asked in the consent window; everything here that acts at once only narrows.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use vestibule_consent::Denied;
use vestibule_policy::{
    Action, Decision, DefinitionState, Digest, Reach, Request, Rule, Scope, Unenforceable, export_rules,
    import_rules,
};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};
use vestibule_store::{ApprovedTool, ChatRecord, LedgerFilter, LedgerKind};

use super::Host;
use super::widen::refused;
use crate::view::{
    CallBody, ChangeEnd, ChangeOutcome, EntryBody, HostEvent, InputProblem, Problem, RuleBinding, RuleChange,
    RuleDraft, RuleTrial, RuleView, RulesImported, TrialRequest,
};
use vestibule_servers::gone;

/// How many past calls a draft is tried on at most.
const PAST: u32 = 5000;
/// How many of them are shown one by one.
const SHOWN: usize = 200;
/// The largest file of rules, in bytes.
const FILE: usize = 8 * 1024 * 1024;

impl Host {
    /// Every rule, newest first.
    ///
    /// # Errors
    /// When the accepted tools cannot be read.
    pub async fn rules(&self) -> Result<Vec<RuleView>, Problem> {
        let mut accepted: HashMap<ServerId, BTreeMap<String, String>> = HashMap::new();
        let mut views = vec![];
        for rule in self.0.gate.rules().all().into_iter().rev() {
            let Ok(server) = self.0.servers.get(rule.server) else {
                continue;
            };
            let tools = match accepted.entry(rule.server) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let tools = self.0.store.approved_tools(rule.server).await?;
                    unknown.insert(tools.into_iter().map(|tool| (tool.name, tool.digest)).collect())
                }
            };
            let today = tools.get(rule.action.object());
            views.push(view(&rule, server.name(), today));
        }
        Ok(views)
    }

    /// Takes a rule back: what it decided is asked again. A permission is gone at once; before a refusal is, the
    /// consent window asks.
    ///
    /// # Errors
    /// When the rule is gone, or that could not be kept; a permission is gone for this run all the same.
    pub async fn rule_take_back(&self, rule: RuleId) -> Result<ChangeOutcome, Problem> {
        let held = self.0.gate.rules().all().into_iter().find(|held| held.id == rule);
        let server = held.ok_or_else(gone)?.server;
        let face = self.0.servers.get(server)?.face();
        let host = self.clone();
        self.change_or_ask(move |asking| async move {
            let gate = &host.0.gate;
            let end = taken_back(gate.rules().take_back(face, rule, |id| asking.asked(id)).await);
            host.tool_rules_changed(server);
            end
        })
        .await
    }

    /// Lets a tool be asked again. Permissions for it are gone at once; before a refusal is, the consent window asks.
    pub(super) async fn tool_ask_again(
        &self,
        server: ServerId,
        tool: &str,
    ) -> Result<ChangeOutcome, Problem> {
        let face = self.0.servers.get(server)?.face();
        let (host, tool) = (self.clone(), tool.to_owned());
        self.change_or_ask(move |asking| async move {
            let gate = &host.0.gate;
            let end = taken_back(gate.rules().ask_again(face, &tool, |id| asking.asked(id)).await);
            host.tool_rules_changed(server);
            end
        })
        .await
    }

    /// Gives a rule other conditions: at once where that only narrows, else after a question in the consent window.
    ///
    /// # Errors
    /// When the rule is gone, it cannot be enforced, or it could not be stored.
    pub async fn rule_change(&self, draft: RuleDraft) -> Result<RuleChange, Problem> {
        let changed = self.drafted(&draft).await?;
        let server = changed.server;
        let face = self.0.servers.get(server)?.face();
        let (tell, told) = tokio::sync::oneshot::channel();
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let mut tell = Some(tell);
            let asked = |_| {
                if let Some(tell) = tell.take() {
                    // The window that asked may be gone; the question stands all the same.
                    let _ = tell.send(RuleChange::Asked);
                }
            };
            let changed = host.0.gate.rules().change(face, changed, asked).await;
            if let Err(error) = &changed {
                tracing::error!(%error, "failed to persist a changed rule");
            }
            host.tool_rules_changed(server);
            if let Some(tell) = tell {
                let _ = tell.send(RuleChange::Holds);
            }
            changed
        });
        told.await.map_err(|_| gone())
    }

    /// Says what a draft would have done to the calls there were, newest first.
    ///
    /// # Errors
    /// When the rule is gone or no rule about a tool, the draft cannot be enforced, or the past cannot be read.
    pub async fn rule_try(&self, draft: RuleDraft) -> Result<RuleTrial, Problem> {
        let rule = self.drafted(&draft).await?;
        let Action::CallTool { tool } = &rule.action else {
            return Err(Problem::Input(InputProblem::RuleUnkeepable {
                detail: "only rules about tools can be tried".into(),
            }));
        };
        let past = self.past_calls(&rule, tool).await?;
        let (requests, titles): (Vec<Request>, Vec<Option<String>>) = past.into_iter().unzip();
        let replay = self.0.gate.rules().try_rule(&rule, &requests);
        let without = requests.iter().filter(|past| past.arguments.is_none()).count();
        let shown = requests.iter().zip(titles).zip(&replay.requests).take(SHOWN);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(RuleTrial {
            allowed: count(replay.allowed),
            asked: count(replay.asked),
            denied: count(replay.denied),
            without_arguments: count(without),
            requests: shown
                .map(|((request, chat_title), replayed)| TrialRequest {
                    at_ms: request.now.as_millisecond(),
                    chat_title,
                    arguments: request.arguments.as_deref().and_then(Value::as_object).cloned(),
                    before: replayed.before.decision,
                    after: replayed.after.decision,
                })
                .collect(),
        })
    }

    /// All rules as a file's text.
    #[must_use]
    pub fn rules_export(&self) -> String {
        format!("{:#}", export_rules(&self.0.gate.rules().all()))
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
        let chats: HashSet<ChatId> = self.0.store.chats().await?.iter().map(|chat| chat.id).collect();
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
        self.keep_imported(rules, definitions)?;
        Ok(imported)
    }

    /// Lets imported rules hold, each server's after its own question.
    fn keep_imported(
        &self,
        rules: Vec<Rule>,
        mut definitions: BTreeMap<ServerId, Vec<ApprovedTool>>,
    ) -> Result<(), Problem> {
        let mut by_server: BTreeMap<ServerId, Vec<Rule>> = BTreeMap::new();
        for rule in rules {
            by_server.entry(rule.server).or_default().push(rule);
        }
        for (server, rules) in by_server {
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

    /// Tells the main window whenever the rules change.
    pub(super) fn tell_of_rules(&self) {
        let host = self.clone();
        let mut changes = self.0.gate.rules().changes();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            while let Some(Ok(())) = closing.run_until_cancelled(changes.changed()).await {
                host.0.events.tell(HostEvent::Rules);
            }
        });
    }

    /// The rule as the draft would have it. What the draft does not speak of stays.
    async fn drafted(&self, draft: &RuleDraft) -> Result<Rule, Problem> {
        let held = self
            .0
            .gate
            .rules()
            .all()
            .into_iter()
            .find(|held| held.id == draft.rule);
        let held = held.ok_or_else(gone)?;
        let reach = draft.reach.unwrap_or(held.reach);
        let rule = Rule {
            when: draft.when.clone(),
            reach,
            expires: new_end(&held, reach, draft.expires_ms, Timestamp::now()),
            ..held
        };
        let unkeepable = |detail: String| Problem::Input(InputProblem::RuleUnkeepable { detail });
        rule.check().map_err(|error| unkeepable(error.to_string()))?;
        if rule.decision == Decision::Allow && rule.reach.scope() > self.widest(&rule).await? {
            return Err(unkeepable(Unenforceable::TooWide.to_string()));
        }
        Ok(rule)
    }

    /// How far a permission for what the rule speaks of may reach: what claims to destroy, no further than a chat.
    async fn widest(&self, rule: &Rule) -> Result<Scope, Problem> {
        let Action::CallTool { tool } = &rule.action else {
            return Ok(rule.action.widest());
        };
        let accepted = self.0.store.approved_tools(rule.server).await?;
        let destructive = accepted
            .iter()
            .any(|accepted| accepted.name == *tool && claims_destructive(accepted));
        Ok(if destructive {
            Scope::Chat
        } else {
            rule.action.widest()
        })
    }

    /// The calls of a tool there were, newest first, with the titles of their chats: those the chats still hold, and
    /// those the ledger alone remembers.
    async fn past_calls(&self, rule: &Rule, tool: &str) -> Result<Vec<(Request, Option<String>)>, Problem> {
        let accepted = self.0.store.approved_tools(rule.server).await?;
        let accepted = accepted.into_iter().find(|accepted| accepted.name == tool);
        let digest = accepted
            .as_ref()
            .and_then(|accepted| accepted.digest.parse::<Digest>().ok());
        let Some(digest) = digest.or(rule.bound_to) else {
            return Ok(vec![]);
        };
        let destructive = accepted.as_ref().is_some_and(claims_destructive);
        let chats: HashMap<ChatId, ChatRecord> = self
            .0
            .store
            .chats()
            .await?
            .into_iter()
            .map(|chat| (chat.id, chat))
            .collect();
        let request = |chat: Option<ChatId>, arguments, now| Request {
            claims_destructive: destructive,
            arguments,
            workspace: chat
                .and_then(|chat| chats.get(&chat))
                .map_or_else(WorkspaceId::home, |chat| chat.workspace),
            chat,
            ..Request::new(
                rule.server,
                rule.action.clone(),
                DefinitionState::Accepted(digest),
                now,
            )
        };
        let mut past = vec![];
        for entry in self.0.store.calls_of(rule.server, tool, PAST).await? {
            let Ok(EntryBody::Call(CallBody { arguments, .. })) = serde_json::from_value(entry.body) else {
                continue;
            };
            let arguments = Some(Arc::new(Value::Object(arguments)));
            let title = chats.get(&entry.chat).map(|chat| chat.title.clone());
            past.push((request(Some(entry.chat), arguments, entry.at), title));
        }
        for record in self.0.store.ledger(calls_of(rule, tool)).await? {
            if record.chat.is_none_or(|chat| !chats.contains_key(&chat)) {
                past.push((request(record.chat, None, record.at), None));
            }
        }
        past.sort_by_key(|(request, _)| std::cmp::Reverse(request.now));
        self.look_for_places(rule.server, &mut past).await;
        Ok(past)
    }

    /// Where the paths in past calls lead now: where one led at the time is not known any more.
    async fn look_for_places(&self, server: ServerId, past: &mut [(Request, Option<String>)]) {
        let arguments = past
            .iter()
            .map(|(request, _)| request.arguments.clone().unwrap_or_default());
        let server = self.0.servers.get(server).ok();
        let working = server.and_then(|server| server.working_folder());
        let folders = &self.0.folders;
        let places = folders.places(working, arguments.collect()).await;
        for ((request, _), places) in past.iter_mut().zip(places) {
            request.places = places;
        }
    }
}

/// What the ledger says of calls of a tool.
fn calls_of(rule: &Rule, tool: &str) -> LedgerFilter {
    LedgerFilter {
        server: Some(rule.server),
        action: Some(rule.action.name().to_owned()),
        object: Some(tool.to_owned()),
        kinds: vec![LedgerKind::Intent, LedgerKind::Decision],
        limit: 1000,
        ..LedgerFilter::default()
    }
}

fn taken_back(done: Result<bool, Denied>) -> ChangeEnd {
    match done {
        Ok(true) => ChangeEnd::Done,
        Ok(false) => ChangeEnd::Outdated,
        Err(no) => refused(no),
    }
}

fn claims_destructive(accepted: &ApprovedTool) -> bool {
    accepted.definition["annotations"]["destructiveHint"] == json!(true)
}

/// When a changed permission ends: when the draft says, and never later than one that is given now. A refusal has no
/// end.
fn new_end(held: &Rule, reach: Reach, wanted_ms: Option<i64>, now: Timestamp) -> Option<Timestamp> {
    if held.decision != Decision::Allow {
        return held.expires;
    }
    let wanted = wanted_ms.and_then(|end| Timestamp::from_millisecond(end).ok());
    let kept = wanted.or(held.expires.filter(|_| reach.scope() <= held.reach.scope()));
    let latest = Rule::latest_end(&held.action, reach, now);
    kept.into_iter().chain(latest).min()
}

pub(super) fn view(rule: &Rule, server_name: String, accepted: Option<&String>) -> RuleView {
    let ms = Timestamp::as_millisecond;
    let is_tool = matches!(rule.action, Action::CallTool { .. });
    RuleView {
        id: rule.id,
        server: rule.server,
        server_name,
        action: rule.action.clone(),
        decision: rule.decision,
        when: rule.when.clone(),
        reach: rule.reach,
        scope: rule.reach.scope(),
        chat: match rule.reach {
            Reach::Chat(chat) => Some(chat),
            Reach::Workspace(_) | Reach::Everywhere => None,
        },
        made_in: rule.made_in,
        made_ms: ms(rule.made),
        expires_ms: rule.expires.map(ms),
        last_used_ms: rule.last_used.map(ms),
        ended: !rule.holds_at(Timestamp::now()),
        outdated: is_tool
            && rule.decision == Decision::Allow
            && accepted.map(String::as_str) != rule.bound_to.map(|digest| digest.to_string()).as_deref(),
    }
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

fn is_bound_to(rule: &Rule, accepted: &ApprovedTool) -> bool {
    rule.bound_to
        .is_some_and(|digest| digest.to_string() == accepted.digest)
}

/// What a permission of a file is bound to, as its card shows it.
fn binding_of(
    rule: &Rule,
    tools: &[ApprovedTool],
    opening: Option<&(Action, Digest)>,
) -> Option<RuleBinding> {
    if let Action::CallTool { tool } = &rule.action {
        let accepted = tools.iter().find(|accepted| accepted.name == *tool)?;
        return Some(RuleBinding::Definition {
            definition: accepted.definition.clone(),
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
