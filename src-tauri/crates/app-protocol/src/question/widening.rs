//! A change the user began in the main window that lets more happen, or sends more, than today. The main window cannot
//! answer questions, so such a change is asked in the consent window: its card shows what holds now and what would.

use serde::Serialize;
use vestibule_policy::inspect::UrlInspection;

use super::RuleSummary;
use crate::{Budget, BudgetScope, CostBudget, Currency, UsedBudget};

#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "widening", rename_all = "snake_case")]
pub enum Widening {
    /// Refusals of one server would no longer hold.
    DropRefusals {
        /// Every one of them.
        rules: Vec<RuleSummary>,
    },
    /// Chats would move to another workspace.
    MoveChats(MoveChats),
    /// A server could spend more of the user's models.
    RaiseBudget {
        /// What it may spend now.
        before: Budget,
        /// What it could spend.
        after: Budget,
    },
    /// The user's models could cost more before they are not asked any more.
    RaiseCostBudget {
        scope: BudgetScope,
        /// The title of the chat it is for; empty where that has none, and for a day or month.
        chat: String,
        before: CostBudget,
        /// `None` where there would be no budget.
        after: Option<CostBudget>,
    },
    /// Less of what models cost would be counted, while a budget stops models by what is counted.
    LowerPrices {
        /// Every model that it is so for.
        models: Vec<PriceChange>,
    },
    /// One message of a chat would be answered although budgets are used up.
    GoOnOnce {
        /// The chat's title; empty where it has none.
        chat: String,
        /// Every one of them that would not stop this message.
        used: Vec<UsedBudget>,
    },
    /// A ledger that is not the one the keychain remembers would count as whole.
    AcceptLedger(LedgerDoubt),
    /// Chats with models would go to an address that nothing went to before, or with other headers.
    SaveConnection {
        /// The connection as it would be.
        connection: ConnectionSummary,
        /// Whether it is a new one.
        new: bool,
        /// The address it had, where it moves.
        before: Option<String>,
        /// Whether a key for it is sent there as well.
        key: bool,
        /// Its models that less would be counted of. Empty where no budget stops models.
        prices: Vec<PriceChange>,
    },
    /// Everything said in a chat so far would go to another address.
    ChatModel {
        /// The chat's title; empty where it has none.
        chat: String,
        /// The model it talks to now; `None` where that is the rehearsal, which sends nothing.
        from: Option<ModelSummary>,
        /// The model it would talk to.
        to: ModelSummary,
    },
    /// A server would start from another version of its downloaded package.
    UpdatePackage(PackageUpdate),
}

/// The prices that a model's cost is counted by, and those it would be counted by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PriceChange {
    /// The user's name for the model.
    pub model: String,
    /// `None` where no price is known, so that nothing is counted, and for a model that would be added.
    pub before: Option<PriceSummary>,
    /// `None` where nothing would be counted.
    pub after: Option<PriceSummary>,
}

/// What a million tokens cost, in millionths of the currency; `None` where that price is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PriceSummary {
    pub input: Option<u32>,
    pub output: Option<u32>,
    /// Read from the vendor's cache.
    pub cached: Option<u32>,
    pub currency: Currency,
}

/// What another version of a downloaded package would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PackageUpdate {
    pub package: String,
    /// The exact version it starts from now.
    pub before: String,
    /// The exact version it would start from.
    pub after: String,
    /// Every package that would be added, removed or have another version, by name.
    pub changes: Vec<PackageChange>,
    /// The packages of the new version that run scripts while they are installed. With any of these the package is left
    /// to `npx`.
    pub scripts: Vec<String>,
    /// Who may publish the new version, as the registry lists them; empty where it does not say.
    pub maintainers: Vec<String>,
    /// Those among them who could not publish the version before, where the registry says who could.
    pub new_maintainers: Vec<String>,
}

/// A package of the dependencies that would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PackageChange {
    pub name: String,
    /// Its versions now; empty where it would be added.
    pub before: String,
    /// Its versions then; empty where it would be removed.
    pub after: String,
}

/// Chats that would move to another workspace.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct MoveChats {
    /// Their titles; empty where one has none.
    pub chats: Vec<String>,
    pub from: WorkspaceSummary,
    /// Where they would be.
    pub to: WorkspaceSummary,
    /// Whether they move because their workspace is removed.
    pub removes: bool,
    /// Permissions that hold there and not here.
    pub allowed: Vec<ServerRule>,
    /// Refusals that hold here and not there.
    pub refused: Vec<ServerRule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct WorkspaceSummary {
    /// The user's name for it; empty for the one every chat begins in.
    pub name: String,
    pub folders: Vec<String>,
}

/// A rule with the server it speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ServerRule {
    /// The user's name for the server.
    pub server: String,
    pub rule: RuleSummary,
}

/// How a ledger differs from what the keychain remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "doubt", rename_all = "snake_case")]
pub enum LedgerDoubt {
    /// It ends before the record that is remembered.
    Older {
        /// The number of the remembered record.
        #[ts(type = "number")]
        remembered: i64,
        /// The number of the last record that is there.
        #[ts(type = "number")]
        found: i64,
    },
    /// The remembered record is another one.
    Rewritten {
        #[ts(type = "number")]
        seq: i64,
    },
}

/// A way to models.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ConnectionSummary {
    /// The user's name for it.
    pub label: String,
    /// The models that are added with it, by their names at the address.
    pub models: Vec<String>,
    /// The names of the headers that go along. Their values are never shown.
    pub headers: Vec<String>,
    pub address: UrlInspection,
    /// The proxy everything goes through, where there is one.
    pub proxy: Option<String>,
}

/// A model at an address.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct ModelSummary {
    /// The user's name for it.
    pub label: String,
    /// Its name at the address.
    pub model: String,
    pub address: UrlInspection,
    /// The proxy everything goes through, where there is one.
    pub proxy: Option<String>,
}

impl Widening {
    /// The address that would be sent to.
    #[must_use]
    pub fn address(&self) -> Option<&UrlInspection> {
        match self {
            Self::SaveConnection { connection, .. } => Some(&connection.address),
            Self::ChatModel { to, .. } => Some(&to.address),
            _ => None,
        }
    }
}
