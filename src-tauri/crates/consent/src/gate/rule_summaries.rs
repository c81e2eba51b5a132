//! Rules as a card shows them, with the name of the chat or workspace that each holds in.

use vestibule_policy::{Reach, Rule};
use vestibule_store::{ChatRecord, Store, StoreError, WorkspaceRecord};

use crate::{RuleBinding, RuleSet, RuleSummary};

/// What these rules say, in their order.
pub(super) async fn summaries(store: &Store, rules: &[Rule]) -> Result<Vec<RuleSummary>, StoreError> {
    let holds_in = |is: fn(&Reach) -> bool| rules.iter().any(|rule| is(&rule.reach));
    let places = RulePlaces {
        chats: match holds_in(|reach| matches!(reach, Reach::Chat(_))) {
            true => store.chats().await?,
            false => vec![],
        },
        workspaces: match holds_in(|reach| matches!(reach, Reach::Workspace(_))) {
            true => store.workspaces().await?,
            false => vec![],
        },
    };
    let summary = |rule: &Rule| RuleSummary {
        place: places.name(rule.reach),
        ..RuleSummary::from(rule)
    };
    Ok(rules.iter().map(summary).collect())
}

/// Rules of a file with what each is bound to.
pub(super) async fn bound_rules(
    store: &Store,
    rules: &[Rule],
    binding: impl Fn(&Rule) -> Option<RuleBinding>,
) -> Result<RuleSet, StoreError> {
    let mut summaries = summaries(store, rules).await?;
    for (summary, rule) in summaries.iter_mut().zip(rules) {
        summary.binding = binding(rule);
    }
    Ok(RuleSet {
        rules: summaries,
        before: None,
        outside: false,
    })
}

/// The chats and workspaces that rules can hold in.
struct RulePlaces {
    chats: Vec<ChatRecord>,
    workspaces: Vec<WorkspaceRecord>,
}

impl RulePlaces {
    fn name(&self, reach: Reach) -> Option<String> {
        match reach {
            Reach::Chat(id) => Some(self.chats.iter().find(|chat| chat.id == id)?.title.clone()),
            Reach::Workspace(id) => {
                let found = self.workspaces.iter().find(|workspace| workspace.id == id)?;
                Some(found.name.clone())
            }
            Reach::Everywhere => None,
        }
    }
}
