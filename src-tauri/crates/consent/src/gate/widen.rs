//! Permits for changes of the main window that let more happen than today. No rule answers these: each is the user's,
//! and the permit covers exactly the change that was shown.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::{ChatId, QuestionId};

use super::ask::Questions;
use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Gate, GateResult};
use crate::permit::Widen;
use crate::{QuestionBody, ServerSummary, Widening};

/// A change that is wanted.
pub struct WidenRequest {
    /// The server it is about; `None` where it is about none.
    pub server: Option<ServerSummary>,
    /// The chat it is about.
    pub chat: Option<ChatId>,
    pub widening: Widening,
}

impl WidenRequest {
    /// A change that is about no server and no chat.
    #[must_use]
    pub fn new(widening: Widening) -> Self {
        Self {
            server: None,
            chat: None,
            widening,
        }
    }

    /// Asks whether to make this change. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal; nothing may then be changed.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<Widen> {
        self.ask(&gate.questions, asked).await
    }

    pub(super) async fn ask(self, questions: &Questions, asked: impl FnMut(QuestionId)) -> GateResult<Widen> {
        let Self {
            server,
            chat,
            widening,
        } = self;
        let id = server.as_ref().map(|server| server.id);
        let mut effect = EffectRecord::new(id, chat, action(&widening), object(&widening));
        if let Some(address) = widening.address() {
            effect = effect.with_mentions(&json!(address.canonical));
        }
        let facts = LedgerBody::from(json!({})).with_digest("shown", Digest::of_arguments(&json!(widening)));
        let server = server.unwrap_or_else(ServerSummary::vestibule);
        let draft = questions.draft(server, None, QuestionBody::Widen(widening.clone()));
        let what = Widen { widening };
        questions.approve_once(effect, draft, facts, what, asked).await
    }
}

/// What is done, as the ledger names it.
fn action(widening: &Widening) -> &'static str {
    match widening {
        Widening::DropRefusals { .. } => "rule.take_back",
        Widening::MoveChats(_) => "chat.move",
        Widening::RaiseBudget { .. } => "sampling.budget",
        Widening::RaiseCostBudget { .. } => "model.budget",
        Widening::LowerPrices { .. } => "model.prices",
        Widening::GoOnOnce { .. } => "model.over_budget",
        Widening::AcceptLedger(_) => "ledger.accept",
        Widening::SaveConnection { .. } => "connection.save",
        Widening::ChatModel { .. } => "chat.model",
        Widening::UpdatePackage(_) => "server.update",
    }
}

/// What the change is about, as the ledger names it. Titles and names stay in the chat and the card.
fn object(widening: &Widening) -> String {
    match widening {
        Widening::DropRefusals { rules } => rules
            .first()
            .map(|rule| rule.action.object().to_owned())
            .unwrap_or_default(),
        Widening::SaveConnection { .. } | Widening::ChatModel { .. } => widening
            .address()
            .and_then(|address| address.ascii_host.clone())
            .unwrap_or_default(),
        Widening::UpdatePackage(update) => format!("{} {}", update.package, update.after),
        Widening::MoveChats(_)
        | Widening::RaiseBudget { .. }
        | Widening::RaiseCostBudget { .. }
        | Widening::LowerPrices { .. }
        | Widening::GoOnOnce { .. }
        | Widening::AcceptLedger(_) => String::new(),
    }
}
