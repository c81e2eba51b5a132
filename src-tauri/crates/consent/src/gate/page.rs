//! Permission to open a page in the user's browser, and what they say when they come back from it. Each opening is
//! asked for, also the second of the same page.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate, GateResult};
use crate::permit::{OpenPage, Permit};
use crate::{Answer, Cause, Page, PageSource, QuestionBody, ServerSummary, Visit};

/// A page that a server wants opened, or that a model linked to. For a link `server` is Vestibule itself.
#[derive(Clone)]
pub struct PageRequest {
    pub server: ServerSummary,
    /// What caused it, where something in a chat did.
    pub cause: Option<Cause>,
    pub page: Page,
}

/// What the user says of a visit.
pub enum VisitReply {
    /// They are done with it.
    Done,
    /// They want it opened once more.
    Again(Permit<OpenPage>),
}

impl PageRequest {
    /// Shows the page before it is opened. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`] is the user's no, [`Denied::Dismissed`] none at all.
    pub async fn approve(&self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<OpenPage> {
        let about = QuestionBody::OpenPage(self.page.clone());
        let (answer, shown) = self.ask(gate, about, asked).await?;
        self.approve_answer(gate, answer, shown).await
    }

    /// Waits until the user is done with the page. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// [`Denied::ByUser`] and [`Denied::Dismissed`] where they gave it up.
    pub async fn await_visit(
        &self,
        gate: &Gate,
        visit: Visit,
        asked: impl FnMut(QuestionId),
    ) -> Result<VisitReply, Denied> {
        match self.ask(gate, QuestionBody::VisitPage(visit), asked).await? {
            (Answer::Done, _) => Ok(VisitReply::Done),
            (answer, shown) => {
                let again = self.approve_answer(gate, answer, shown).await?;
                Ok(VisitReply::Again(again))
            }
        }
    }

    async fn ask(
        &self,
        gate: &Gate,
        about: QuestionBody,
        asked: impl FnMut(QuestionId),
    ) -> Result<(Answer, Digest), Denied> {
        let draft = gate
            .questions
            .draft_without_yes(self.server.clone(), self.cause.clone(), about);
        gate.questions.ask_user(&self.effect_record(), draft, asked).await
    }

    async fn approve_answer(&self, gate: &Gate, answer: Answer, shown: Digest) -> GateResult<OpenPage> {
        let (address, effect) = (&self.page.address, self.effect_record());
        let (Answer::Open, Some(url)) = (&answer, address.to_open()) else {
            let details = LedgerBody::shown(shown);
            return Err(gate.questions.deny_by_answer(&effect, answer, details).await);
        };
        let details = json!({ "warnings": address.warnings, "verdict": address.verdict });
        let details = LedgerBody::from(details).with_digest("url", Digest::of_arguments(&json!(url)));
        let what = OpenPage {
            server: self.server.id,
            url: url.to_owned(),
        };
        let approval = Approval::once(shown);
        Ok(gate.ledger.mint(effect, approval, details, what).await?)
    }

    fn effect_record(&self) -> EffectRecord {
        let chat = self.cause.as_ref().map(|cause| cause.chat);
        // The rest of an address may hold what works once, so the ledger keeps its digest.
        let host = self.page.address.ascii_host.clone().unwrap_or_default();
        let server = match self.page.source {
            PageSource::Server { .. } => Some(self.server.id),
            PageSource::Answer { .. } => None,
        };
        EffectRecord::new(server, chat, "page.open", host)
    }
}
