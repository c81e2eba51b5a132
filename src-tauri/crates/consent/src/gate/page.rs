//! Leave to open a page in the person's browser, and what they say when they come back from it. Each opening is
//! asked for, also the second of the same page.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::details::Details;
use super::written::Deed;
use super::{Gate, NoPermit, Yes};
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

/// What the person says of a visit.
pub enum Visited {
    /// They are done with it.
    Done,
    /// They want it opened once more.
    Again(Permit<OpenPage>),
}

impl Gate {
    /// Shows a page before it is opened. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`NoPermit::Refused`] is the person's no, [`NoPermit::NotNow`] none at all.
    pub async fn open_page(
        &self,
        request: &PageRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<OpenPage>, NoPermit> {
        let about = About::OpenPage(request.page.clone());
        let (server, cause) = (request.server.clone(), request.cause.clone());
        let (answer, shown) = self
            .ask_person(&deed(request), server, cause, about, &mut asked)
            .await?;
        self.leave_to_open(request, answer, shown).await
    }

    /// Waits until the person is done with a page. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// [`NoPermit::Refused`] and [`NoPermit::NotNow`] where they gave it up.
    pub async fn visit_page(
        &self,
        request: &PageRequest,
        visit: Visit,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Visited, NoPermit> {
        let about = About::VisitPage(visit);
        let (server, cause) = (request.server.clone(), request.cause.clone());
        match self
            .ask_person(&deed(request), server, cause, about, &mut asked)
            .await?
        {
            (Answer::Done, _) => Ok(Visited::Done),
            (answer, shown) => self
                .leave_to_open(request, answer, shown)
                .await
                .map(Visited::Again),
        }
    }

    async fn leave_to_open(
        &self,
        request: &PageRequest,
        answer: Answer,
        shown: Digest,
    ) -> Result<Permit<OpenPage>, NoPermit> {
        let address = &request.page.address;
        let deed = deed(request);
        let (Answer::Open, Some(url)) = (&answer, address.to_open()) else {
            return Err(self
                .no(&deed, answer, Details::from(json!({})).said("question", shown))
                .await);
        };
        let details = json!({ "warnings": address.warnings, "verdict": address.verdict });
        let details = Details::from(details).said("url", Digest::of_arguments(&json!(url)));
        let yes = Yes::once(shown);
        let what = OpenPage {
            server: request.server.id,
            url: url.to_owned(),
        };
        let receipt = self.intend(deed, &yes, details).await?;
        Ok(Permit::mint(what, yes.because, receipt))
    }
}

fn deed(request: &PageRequest) -> Deed {
    let chat = request.cause.as_ref().map(|cause| cause.chat);
    // The rest of an address may hold what works once, so the ledger keeps its digest.
    let host = request.page.address.ascii_host.clone().unwrap_or_default();
    Deed::new(request.server.id, chat, "page.open", host)
}
