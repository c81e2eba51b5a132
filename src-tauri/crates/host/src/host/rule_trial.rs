//! A draft of a rule tried on the calls that there were.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use vestibule_policy::{Action, DefinitionState, Digest, Request, Rule};
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};
use vestibule_store::{ApprovedTool, ChatRecord, LedgerFilter, LedgerKind};

use super::Host;
use crate::view::{CallBody, EntryBody, InputProblem, Problem, RuleDraft, RuleTrial, TrialRequest};

/// How many past calls a draft is tried on at most.
const PAST: u32 = 5000;
/// How many of them are shown one by one.
const SHOWN: usize = 200;

impl Host {
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

pub(super) fn claims_destructive(accepted: &ApprovedTool) -> bool {
    accepted.definition["annotations"]["destructiveHint"] == json!(true)
}
