//! URL elicitation: the user sees the whole address of a page, and only their approval opens it, in their own browser. The
//! address is never fetched, logged or sent to a model. Then a second card waits until the user or the server reports that
//! the visit is over, or the request is withdrawn.

use vestibule_consent::{
    Cause, Denied, EffectEnd, OpenPage, Page, PageRequest, PageSource, Permit, Relation, ServerSummary,
    Visit, VisitReply,
};
use vestibule_policy::inspect::{
    KnownDomains, UrlContext, UrlInspection, UrlSource, UrlWarning, WELL_KNOWN, inspect,
};
use vestibule_protocol::elicitation::{ElicitAction, ElicitResult, ElicitUrl};
use vestibule_session::RequiredPage;

use super::visits::Expected;
use crate::{AcceptedRequest, ClientFeatures, INTERNAL, NOT_KEPT, Wanted, call_over};
use vestibule_servers::{PageVisits, ServerHandle};

/// How a visit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The user visited the page, as they or the server report.
    Visited,
    /// They said no before it was opened.
    Declined,
    /// They put it away or gave it up.
    Cancelled,
    /// The decision could not be written down.
    Failed,
}

/// A page in the host's hands.
struct PageToVisit {
    request: PageRequest,
    /// The server's name for the visit.
    visit: Option<String>,
}

impl PageToVisit {
    fn new(server: ServerSummary, cause: Option<Cause>, wanted: ElicitUrl, servers: &[String]) -> Self {
        let (address, relation) = judge(&server, &wanted.url, servers);
        let page = Page {
            message: wanted.message,
            address,
            source: PageSource::Server { relation },
        };
        Self {
            request: PageRequest { server, cause, page },
            visit: wanted.elicitation_id,
        }
    }
}

/// Answers `elicitation/create` for a page. A server whose request is open on the wire gets the approval at once, and
/// the card stays for the user. A server whose call is repeated with the answer gets it when the visit is over, so
/// that the call is not repeated too early.
pub(crate) async fn page(features: &ClientFeatures, asking: AcceptedRequest, wanted: ElicitUrl) {
    let cause = asking.cause();
    let servers = features.0.servers.hosts();
    let page = PageToVisit::new(asking.face.clone(), cause, wanted, &servers);
    let announced = expect(features, &page);
    let held = asking.reply.origin().call.is_some();
    let not_opened = match features.while_wanted(&asking, open(features, &page)).await {
        Wanted::Done(Ok(not_opened)) => not_opened,
        Wanted::Done(Err(ended)) => return answer(asking.reply, ended),
        Wanted::Over | Wanted::Withdrawn => return answer(asking.reply, Ended::Cancelled),
    };
    if !held && not_opened.is_none() {
        return answer_at_once(features, asking, &page, &announced).await;
    }
    let visited = visit(features, &page, &announced, not_opened, true);
    match features.while_wanted(&asking, visited).await {
        Wanted::Done(ended) => answer(asking.reply, ended),
        Wanted::Over | Wanted::Withdrawn => answer(asking.reply, Ended::Cancelled),
    }
}

/// Answers, and keeps the second card until the visit is over or the card has no occasion any more.
async fn answer_at_once(
    features: &ClientFeatures,
    asking: AcceptedRequest,
    page: &PageToVisit,
    announced: &Expected<'_>,
) {
    answer(asking.reply, Ended::Visited);
    // The request has its answer already, so this only closes the card.
    tokio::select! {
        _ = visit(features, page, announced, None, false) => {}
        () = asking.session_over.cancelled() => {}
        () = call_over(asking.context.as_ref()) => {}
        () = features.0.closing.cancelled() => {}
    }
}

/// Has the user visit pages, one after the other, for a call that is sent again afterwards. Stops when the call does
/// not wait any more or the session is over.
pub(crate) async fn visit_all(features: &ClientFeatures, server: &ServerHandle, wanted: PageVisits) {
    let PageVisits {
        pages,
        cause,
        session_over,
        mut visited,
    } = wanted;
    let are_visited = tokio::select! {
        are_visited = visit_each(features, server, pages, cause.as_ref()) => are_visited,
        () = visited.closed() => return,
        () = session_over.cancelled() => false,
    };
    // The call was dropped in this moment where this fails.
    let _ = visited.send(are_visited);
}

/// Whether all of the pages were visited. Stops at the first that was not.
async fn visit_each(
    features: &ClientFeatures,
    server: &ServerHandle,
    pages: Vec<RequiredPage>,
    cause: Option<&Cause>,
) -> bool {
    for page in pages {
        let wanted = ElicitUrl {
            message: page.message,
            url: page.url,
            elicitation_id: Some(page.elicitation_id),
        };
        let page = PageToVisit::new(server.face(), cause.cloned(), wanted, &features.0.servers.hosts());
        if visit_first(features, &page).await != Ended::Visited {
            return false;
        }
    }
    true
}

/// Asks, opens, and waits until the visit is over.
async fn visit_first(features: &ClientFeatures, page: &PageToVisit) -> Ended {
    let announced = expect(features, page);
    match open(features, page).await {
        Ok(not_opened) => visit(features, page, &announced, not_opened, true).await,
        Err(ended) => ended,
    }
}

fn expect<'a>(features: &'a ClientFeatures, page: &PageToVisit) -> Expected<'a> {
    features
        .0
        .visits
        .expect(page.request.server.id, page.visit.as_deref())
}

/// Asks and opens. Gives back why the browser did not start, where it did not.
async fn open(features: &ClientFeatures, page: &PageToVisit) -> Result<Option<String>, Ended> {
    let permit = page.request.approve(&features.0.gate, |_| {}).await.map_err(no)?;
    Ok(spend(features, permit).await)
}

/// Waits until the user or the server reports that the visit is over.
async fn visit(
    features: &ClientFeatures,
    page: &PageToVisit,
    announced: &Expected<'_>,
    not_opened: Option<String>,
    held: bool,
) -> Ended {
    tokio::select! {
        ended = ask_if_visited(features, page, not_opened, held) => ended,
        () = announced.over() => Ended::Visited,
    }
}

/// Asks whether the visit is over, and opens the page again as often as the user wants it.
async fn ask_if_visited(
    features: &ClientFeatures,
    page: &PageToVisit,
    mut not_opened: Option<String>,
    held: bool,
) -> Ended {
    loop {
        let visit = Visit {
            page: page.request.page.clone(),
            not_opened: not_opened.take(),
            held,
        };
        match page.request.await_visit(&features.0.gate, visit, |_| {}).await {
            Ok(VisitReply::Done) => return Ended::Visited,
            Ok(VisitReply::Again(permit)) => not_opened = spend(features, permit).await,
            // Giving up is no answer to the page but the end of waiting for it.
            Err(Denied::ByUser { .. }) => return Ended::Cancelled,
            Err(other) => return no(other),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that spends a permit to open a page"
)]
pub(crate) async fn spend(features: &ClientFeatures, permit: Permit<OpenPage>) -> Option<String> {
    let effect = permit.begin();
    let failure = features.0.browser.open(&effect.what().url).await.err();
    let end = match failure {
        Some(_) => EffectEnd::NotOpened,
        None => EffectEnd::Opened,
    };
    let bytes = effect.what().url.len();
    effect.finish_of_size(end, bytes).await;
    failure.map(|failure| failure.0)
}

fn no(no: Denied) -> Ended {
    match no {
        Denied::ByUser { .. } | Denied::Muted => Ended::Declined,
        Denied::Dismissed | Denied::NotAsked | Denied::ByRule(_) | Denied::DefinitionChanged => {
            Ended::Cancelled
        }
        Denied::LedgerFailed(error) => {
            tracing::error!(%error, "failed to record the answer to a URL request in the ledger");
            Ended::Failed
        }
    }
}

fn answer(reply: vestibule_session::Responder, ended: Ended) {
    let action = match ended {
        Ended::Visited => ElicitAction::Accept,
        Ended::Declined => ElicitAction::Decline,
        Ended::Cancelled => ElicitAction::Cancel,
        Ended::Failed => return reply.refuse(INTERNAL, NOT_KEPT),
    };
    reply.reply(&ElicitResult::bare(action));
}

/// What an address really is, and whose. It is compared with the hosts of the user's servers, too. A server that is reached
/// at an address is compared with it.
fn judge(server: &ServerSummary, url: &str, servers: &[String]) -> (UrlInspection, Relation) {
    let known = KnownDomains::new(WELL_KNOWN).with_servers(servers);
    let at = url::Url::parse(&server.provenance)
        .ok()
        .filter(|at| matches!(at.scheme(), "http" | "https"));
    let look = |url: &str, place| {
        let context = UrlContext {
            asking: at.as_ref().and_then(url::Url::host_str),
            ..UrlContext::new(place, &known)
        };
        inspect(url, &context)
    };
    let Some(at) = &at else {
        return (look(url, UrlSource::LocalServer), Relation::LocalServer);
    };
    let own = look(at.as_str(), UrlSource::RemoteServer);
    let mut address = look(url, UrlSource::RemoteServer);
    if is_own_place(&own, &address) {
        address = look(url, UrlSource::LocalServer);
    }
    let relation = relation(&own, &address);
    (address, relation)
}

/// Whether a page is on the host of the server, or both are on this computer. The user entered the address of the server, so
/// a page there leads to nothing near that the user does not have there already.
fn is_own_place(own: &UrlInspection, address: &UrlInspection) -> bool {
    let is_here = |place: &UrlInspection| place.warnings.contains(&UrlWarning::Loopback);
    let is_same = own.ascii_host.is_some() && own.ascii_host == address.ascii_host;
    is_same || (is_here(own) && is_here(address))
}

/// How an address stands to the server's own.
fn relation(own: &UrlInspection, address: &UrlInspection) -> Relation {
    let same = own.registrable_domain.is_some() && own.registrable_domain == address.registrable_domain;
    if same || own.ascii_host == address.ascii_host {
        Relation::SameSite
    } else {
        Relation::Unrelated
    }
}

#[cfg(test)]
mod tests {
    use vestibule_policy::inspect::UrlVerdict;
    use vestibule_protocol::ServerId;

    use super::*;

    /// Whether a page that a server with this address asks for can be opened, and how it stands to the server.
    fn judged(server: &str, page: &str) -> (bool, Relation) {
        let server = ServerSummary {
            id: ServerId::new(),
            name: "notes".into(),
            provenance: server.into(),
        };
        let (address, relation) = judge(&server, page, &[]);
        (address.verdict != UrlVerdict::Block, relation)
    }

    #[test]
    fn a_server_nearby_can_ask_for_a_page_of_its_own() {
        for (server, page) in [
            ("http://127.0.0.1:8080/mcp", "http://127.0.0.1:8080/connect"),
            ("http://127.0.0.1:8080/mcp", "http://127.0.0.1:9000/connect"),
            ("http://localhost:8080/mcp", "http://localhost:8080/connect"),
            ("http://192.168.1.20/mcp", "http://192.168.1.20:8443/connect"),
            ("https://notes.home.arpa/mcp", "https://notes.home.arpa/connect"),
        ] {
            let own = (true, Relation::SameSite);
            assert_eq!(judged(server, page), own, "{page} of {server}");
        }
        let other_name = judged("http://localhost:8080/mcp", "http://[::1]:8080/connect");
        assert_eq!(other_name, (true, Relation::Unrelated));
        let program = judged("npx notes", "http://127.0.0.1:8080/connect");
        assert_eq!(program, (true, Relation::LocalServer));
    }

    #[test]
    fn a_page_on_another_host_nearby_is_blocked() {
        for (server, page) in [
            ("http://127.0.0.1:8080/mcp", "http://192.168.1.1/reboot"),
            ("http://192.168.1.20/mcp", "http://192.168.1.1/reboot"),
            ("http://192.168.1.20/mcp", "http://127.0.0.1:8080/"),
            ("https://notes.home.arpa/mcp", "https://router.home.arpa/reboot"),
            ("https://notes.home.arpa/mcp", "http://localhost:8080/"),
            ("https://example.org/mcp", "http://127.0.0.1:8080/"),
            ("https://example.org/mcp", "http://192.168.1.1/"),
        ] {
            let other = (false, Relation::Unrelated);
            assert_eq!(judged(server, page), other, "{page} of {server}");
        }
        let deceptive = judged("http://127.0.0.1:8080/mcp", "http://2130706433:8080/connect");
        assert!(!deceptive.0, "another way to write its address");
    }
}
