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
