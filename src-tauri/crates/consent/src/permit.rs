//! A permit is the proof that an effect was agreed to and that the agreement is on disk. Only the gate of this
//! crate makes one, it can not be copied, and whoever wants the effect must give it up.

use vestibule_policy::{Because, Digest};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::LedgerReceipt;

/// Leave to do `T` once. There is no public way to make one.
///
/// It is neither `Clone` nor `Copy`, so one agreement can not be used twice.
#[derive(Debug)]
#[must_use = "an agreement that is not used should be dropped on purpose"]
pub struct Permit<T> {
    what: T,
    because: Vec<Because>,
    receipt: Receipt,
}

/// Where the agreement stands in the ledger; the outcome is written beside it.
#[derive(Debug)]
pub struct Receipt {
    pub(crate) intent: LedgerReceipt,
    pub(crate) server: ServerId,
    pub(crate) chat: Option<ChatId>,
    pub(crate) action: &'static str,
    pub(crate) object: String,
}

impl<T> Permit<T> {
    pub(crate) fn mint(what: T, because: Vec<Because>, receipt: Receipt) -> Self {
        Self {
            what,
            because,
            receipt,
        }
    }

    /// What was agreed to, to look at before it is done.
    pub fn what(&self) -> &T {
        &self.what
    }

    /// Why it was agreed to.
    pub fn because(&self) -> &[Because] {
        &self.because
    }

    /// Gives up the permit for what it permits, and for the place to write the outcome to.
    pub fn spend(self) -> (T, Receipt) {
        (self.what, self.receipt)
    }
}

/// Starting a server's program.
#[derive(Debug)]
pub struct StartServer {
    /// Whose.
    pub server: ServerId,
    /// Exactly this launch and no other.
    pub launch: Digest,
}

/// Calling a tool.
#[derive(Debug)]
pub struct CallTool {
    /// Whose.
    pub server: ServerId,
    /// The exact name.
    pub tool: String,
    /// Under exactly this definition.
    pub definition: Digest,
    /// Exactly these arguments: the ones that were shown, as the person left them.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}
