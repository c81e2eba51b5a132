//! Permission to open a page in the user's browser, and what they say when they come back from it. Each opening is
//! asked for, also the second of the same page.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, Denied, Gate};
use crate::permit::{OpenPage, Permit};
use crate::{About, Answer, Cause, Page, ServerFace, Visit};

/// A page a server wants opened.
#[derive(Clone)]
pub struct PageRequest {
    pub server: ServerFace,
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

impl Gate {
    /// Shows a page before it is opened. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`] is the user's no, [`Denied::Dismissed`] none at all.
    pub async fn open_page(
        &self,
        request: &PageRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<OpenPage>, Denied> {
        let about = About::OpenPage(request.page.clone());
        let (server, cause) = (request.server.clone(), request.cause.clone());
        let (answer, shown) = self
            .ask_user(&effect_record(request), server, cause, about, &mut asked)
            .await?;
        self.approve_page(request, answer, shown).await
    }

    /// Waits until the user is done with a page. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// [`Denied::ByUser`] and [`Denied::Dismissed`] where they gave it up.
    pub async fn visit_page(
        &self,
        request: &PageRequest,
        visit: Visit,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<VisitReply, Denied> {
        let about = About::VisitPage(visit);
        let (server, cause) = (request.server.clone(), request.cause.clone());
        match self
            .ask_user(&effect_record(request), server, cause, about, &mut asked)
            .await?
        {
            (Answer::Done, _) => Ok(VisitReply::Done),
            (answer, shown) => self
                .approve_page(request, answer, shown)
                .await
                .map(VisitReply::Again),
        }
    }

    async fn approve_page(
        &self,
        request: &PageRequest,
        answer: Answer,
        shown: Digest,
    ) -> Result<Permit<OpenPage>, Denied> {
        let address = &request.page.address;
        let effect = effect_record(request);
        let (Answer::Open, Some(url)) = (&answer, address.to_open()) else {
            return Err(self
                .deny_by_answer(
                    &effect,
                    answer,
                    LedgerBody::from(json!({})).with_digest("question", shown),
                )
                .await);
        };
        let details = json!({ "warnings": address.warnings, "verdict": address.verdict });
        let details = LedgerBody::from(details).with_digest("url", Digest::of_arguments(&json!(url)));
        let approval = Approval::once(shown);
        let what = OpenPage {
            server: request.server.id,
            url: url.to_owned(),
        };
        let intent = self.record_intent(effect, &approval, details).await?;
        Ok(Permit::mint(what, approval.because, intent))
    }
}

fn effect_record(request: &PageRequest) -> EffectRecord {
    let chat = request.cause.as_ref().map(|cause| cause.chat);
    // The rest of an address may hold what works once, so the ledger keeps its digest.
    let host = request.page.address.ascii_host.clone().unwrap_or_default();
    EffectRecord::new(request.server.id, chat, "page.open", host)
}
