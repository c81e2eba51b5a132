//! A rule is a decision the user made once and meant for longer. It is bound to the digest of what was shown,
//! reaches as far as the user said, and ends: a permission that is not used expires.

use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};

use crate::{Action, Condition, Decision, Digest, NoCondition};

/// How far an answer reaches, as the card offers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This time only; writes no rule.
    Once,
    /// As long as this chat exists.
    Chat,
    /// Every chat of this workspace, for seven days.
    Workspace,
    /// This server, for thirty days (a start or connection: 180 days).
    Always,
}

/// Where a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case", tag = "reach", content = "in", deny_unknown_fields)]
pub enum Reach {
    Chat(ChatId),
    /// In every chat of one workspace.
    Workspace(WorkspaceId),
    Everywhere,
}

impl Reach {
    /// The scope a user picked to get this reach.
    #[must_use]
    pub fn scope(self) -> Scope {
        match self {
            Self::Chat(_) => Scope::Chat,
            Self::Workspace(_) => Scope::Workspace,
            Self::Everywhere => Scope::Always,
        }
    }
}

/// A standing permission or refusal for one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Our name for it.
    pub id: RuleId,
    /// The one server it speaks of. No rule speaks of all servers.
    pub server: ServerId,
    /// What it speaks of.
    pub action: Action,
    pub decision: Decision,
    /// What has to hold for the arguments as well; all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// The launch record or definition that was approved. A permission needs one; a refusal holds for any.
    pub bound_to: Option<Digest>,
    pub reach: Reach,
    /// The chat in which the user was asked, if it was in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_in: Option<ChatId>,
    /// When it was made.
    pub made: Timestamp,
    /// When it ends at the latest.
    pub expires: Option<Timestamp>,
    /// When it last decided something.
    pub last_used: Option<Timestamp>,
}

/// A rule that could not be kept to is refused when it is loaded, never skipped in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unenforceable {
    /// A permission that names no definition would survive a change of it.
    #[error("a permission must name the exact definition it was given for")]
    Unbound,
    /// "Ask" is what happens without a rule; a rule that says so for a reach could only confuse.
    #[error("a rule allows or denies")]
    Asks,
    /// What is asked each time would be asked whatever a rule says.
    #[error("opening a page and asking a model are asked each time, and no rule decides them")]
    AlwaysAsked,
    /// What cannot be taken back is not allowed beyond one chat.
    #[error("a permission for this reaches no further than one chat")]
    TooWide,
    /// One of its conditions cannot be kept to.
    #[error(transparent)]
    Condition(#[from] NoCondition),
    /// It has more conditions than a user can oversee.
    #[error("a rule has at most {} conditions", crate::condition::MOST)]
    TooManyConditions,
}

/// Days until a permission that is never used ends.
const UNUSED_DAYS: i64 = 90;

impl Rule {
    /// A permission for exactly `definition`, with the end that its scope brings.
    ///
    /// Returns `None` for [`Scope::Once`], which writes no rule, for a chat scope without a chat, and for a scope
    /// wider than the action allows.
    #[must_use]
    pub fn permission(
        server: ServerId,
        action: Action,
        definition: Digest,
        scope: Scope,
        chat: Option<ChatId>,
        workspace: WorkspaceId,
        now: Timestamp,
    ) -> Option<Self> {
        if scope > action.widest() {
            return None;
        }
        let reach = match scope {
            Scope::Once => return None,
            Scope::Chat => Reach::Chat(chat?),
            Scope::Workspace => Reach::Workspace(workspace),
            Scope::Always => Reach::Everywhere,
        };
        let expires = Self::latest_end(&action, reach, now);
        Some(Self {
            id: RuleId::new(),
            server,
            action,
            decision: Decision::Allow,
            when: vec![],
            bound_to: Some(definition),
            reach,
            made_in: chat,
            made: now,
            expires,
            last_used: None,
        })
    }

    /// When a permission that is given at `from` ends at the latest; one for a chat ends with its chat.
    #[must_use]
    pub fn latest_end(action: &Action, reach: Reach, from: Timestamp) -> Option<Timestamp> {
        let days = match reach {
            Reach::Chat(_) => return None,
            Reach::Workspace(_) => 7,
            Reach::Everywhere if action.opens_server() => 180,
            Reach::Everywhere => 30,
        };
        days_after(from, days)
    }

    /// When it ends where it is given again at `from`: as it says, and a permission no later than a new one.
    #[must_use]
    pub fn end_if_given(&self, from: Timestamp) -> Option<Timestamp> {
        if self.decision != Decision::Allow {
            return self.expires;
        }
        let latest = Self::latest_end(&self.action, self.reach, from);
        self.expires.into_iter().chain(latest).min()
    }

    /// Whether nothing is let through with `self` that `before` would not have let through: a permission that keeps
    /// every condition, ends no later and reaches no further; a refusal that has no new condition and reaches as far.
    #[must_use]
    pub fn narrows(&self, before: &Self) -> bool {
        let same = self.decision == before.decision
            && (self.server, &self.action, self.bound_to) == (before.server, &before.action, before.bound_to);
        let (kept, among, inner, outer) = match before.decision {
            Decision::Deny => (&self.when, &before.when, before.reach, self.reach),
            Decision::Ask | Decision::Allow => (&before.when, &self.when, self.reach, before.reach),
        };
        let end = |rule: &Self| rule.expires.unwrap_or(Timestamp::MAX);
        same && kept.iter().all(|condition| among.contains(condition))
            && (inner == outer || outer == Reach::Everywhere)
            && (before.decision == Decision::Deny || end(self) <= end(before))
    }

    /// A refusal that holds everywhere and for any definition, until the user takes it back.
    #[must_use]
    pub fn refusal(server: ServerId, action: Action, now: Timestamp) -> Self {
        Self {
            id: RuleId::new(),
            server,
            action,
            decision: Decision::Deny,
            when: vec![],
            bound_to: None,
            reach: Reach::Everywhere,
            made_in: None,
            made: now,
            expires: None,
            last_used: None,
        }
    }

    /// Whether it ends when another program or another address takes the place of its server. A refusal stays. A
    /// permission to start or to connect is bound to one program or address, and says nothing of another.
    #[must_use]
    pub fn ends_with_place(&self) -> bool {
        self.decision == Decision::Allow && !self.action.opens_server()
    }

    /// Whether the engine can keep to this rule.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn check(&self) -> Result<(), Unenforceable> {
        if self.when.len() > crate::condition::MOST {
            return Err(Unenforceable::TooManyConditions);
        }
        self.when.iter().try_for_each(Condition::check)?;
        if self.action.is_always_asked() {
            return Err(Unenforceable::AlwaysAsked);
        }
        match self.decision {
            Decision::Ask => Err(Unenforceable::Asks),
            Decision::Allow if self.bound_to.is_none() => Err(Unenforceable::Unbound),
            Decision::Allow | Decision::Deny => Ok(()),
        }
    }

    /// Whether the rule still holds. A refusal has no end; a permission ends at its date, or unused for three months
    /// (a permission to start or connect: only at its date).
    #[must_use]
    pub fn holds_at(&self, now: Timestamp) -> bool {
        if self.decision == Decision::Deny {
            return true;
        }
        let unused = (!self.action.opens_server())
            .then(|| days_after(self.last_used.unwrap_or(self.made), UNUSED_DAYS))
            .flatten();
        // A clock that was set back must not make a permission valid that was not yet given.
        now >= self.made && [self.expires, unused].into_iter().flatten().all(|end| now < end)
    }
}

fn days_after(start: Timestamp, days: i64) -> Option<Timestamp> {
    start.checked_add((days * 24).hours()).ok()
}

#[cfg(test)]
mod tests;
