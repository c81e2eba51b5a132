//! Links that models write in answers. A click shows the same card as a server's request for a page; only its yes opens the
//! browser, once.

use vestibule_consent::{Cause, Denied, Page, PageRequest, PageSource, ServerSummary};
use vestibule_policy::inspect::{KnownDomains, UrlContext, UrlSource, WELL_KNOWN, inspect};
use vestibule_protocol::QuestionId;

use crate::ClientFeatures;
use crate::elicitation::url;

/// A link in an answer that the user clicked.
pub struct LinkRequest {
    /// The answer it is in.
    pub cause: Cause,
    /// The model that wrote it.
    pub model: String,
    pub address: String,
}

impl ClientFeatures {
    /// Shows the address, and opens it on a yes. Gives back why the browser did not start, where it did not.
    ///
    /// # Errors
    /// The refusal; nothing was opened then.
    pub async fn open_link(
        &self,
        link: LinkRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Option<String>, Denied> {
        let servers = self.0.servers.hosts();
        let known = KnownDomains::new(WELL_KNOWN).with_servers(&servers);
        let page = Page {
            message: String::new(),
            address: inspect(&link.address, &UrlContext::new(UrlSource::RemoteServer, &known)),
            source: PageSource::Answer { model: link.model },
        };
        let request = PageRequest {
            server: ServerSummary::vestibule(),
            cause: Some(link.cause),
            page,
        };
        let permit = request.approve(&self.0.gate, asked).await?;
        Ok(url::spend(self, permit).await)
    }
}
