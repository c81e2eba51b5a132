//! Rules whose row in the database does not match its signature.

use vestibule_policy::{Decision, Rule};
use vestibule_protocol::ServerId;
use vestibule_store::{RowFault, RowRef};

/// A rule that does not count as made in Vestibule. It allows nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct QuarantinedRule {
    pub name: RowRef,
    /// What is wrong with the row.
    pub fault: RowFault,
    /// The rule as the file has it; `None` where it is missing or cannot be read.
    pub rule: Option<Rule>,
    /// The rule as it was signed, where that is known.
    pub kept: Option<Rule>,
}

impl QuarantinedRule {
    /// The server it is about.
    #[must_use]
    pub fn server(&self) -> Option<ServerId> {
        self.kept.as_ref().or(self.rule.as_ref()).map(|rule| rule.server)
    }

    /// What still refuses: the refusal that was signed, and the one in the file.
    pub fn refusals(&self) -> impl Iterator<Item = &Rule> {
        let file = self.rule.as_ref().filter(|rule| self.kept.as_ref() != Some(rule));
        self.kept
            .iter()
            .chain(file)
            .filter(|rule| rule.decision == Decision::Deny)
    }

    /// What a review is about: a refusal if there is one, else the permission that was signed, else the one in the
    /// file.
    #[must_use]
    pub fn reviewed(&self) -> Option<&Rule> {
        self.refusals()
            .next()
            .or(self.kept.as_ref())
            .or(self.rule.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::cards::noon;
    use vestibule_policy::{Action, Digest, Scope};
    use vestibule_protocol::WorkspaceId;
    use vestibule_store::RowTable;

    fn found(kept: Option<&Rule>, rule: Option<&Rule>) -> QuarantinedRule {
        QuarantinedRule {
            name: RowRef {
                table: RowTable::Rule,
                id: String::new(),
            },
            fault: RowFault::Changed,
            rule: rule.cloned(),
            kept: kept.cloned(),
        }
    }

    #[test]
    fn what_refuses_comes_first_and_what_was_signed_before_what_is_in_the_file() {
        let (server, home) = (ServerId::new(), WorkspaceId::home());
        let action = || Action::CallTool { tool: "burn".into() };
        let permission = || {
            let digest = Digest::of_tool(&serde_json::json!({}));
            Rule::permission(server, action(), digest, Scope::Always, None, home, noon()).unwrap()
        };
        let (allow, other) = (permission(), permission());
        let deny = Rule::refusal(server, action(), noon());
        for (kept, rule, refusals, reviewed) in [
            (Some(&deny), Some(&allow), vec![&deny], Some(&deny)),
            (Some(&allow), Some(&deny), vec![&deny], Some(&deny)),
            (Some(&deny), Some(&deny), vec![&deny], Some(&deny)),
            (Some(&allow), Some(&other), vec![], Some(&allow)),
            (None, Some(&other), vec![], Some(&other)),
            (Some(&allow), None, vec![], Some(&allow)),
            (None, None, vec![], None),
        ] {
            let found = found(kept, rule);
            assert_eq!(
                found.refusals().collect::<Vec<_>>(),
                refusals,
                "{kept:?} {rule:?}"
            );
            assert_eq!(found.reviewed(), reviewed, "{kept:?} {rule:?}");
            assert_eq!(found.server(), reviewed.map(|_| server));
        }
    }
}
