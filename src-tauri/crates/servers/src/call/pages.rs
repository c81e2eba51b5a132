//! Pages that a server wants visited before it answers a request (error -32042 of 2025-11-25). The user is shown each
//! page, and the request is sent again after the visits.

use tokio::sync::oneshot;
use vestibule_consent::Cause;
use vestibule_session::{CallError, RequiredPage};

use crate::requests::{ClientRequestBody, PageVisits};
use crate::server::handle::ServerHandle;
use crate::server::state::ActiveSession;

/// How many times one request is sent again after pages were visited.
const VISITS: usize = 3;

/// Sends a request, and sends it again each time after pages that the server wanted visited first. It is the same request
/// that was approved, because none before it was carried out.
pub(super) async fn send_after_visits<T, F, V>(
    send: impl Fn() -> F,
    visit: impl Fn(Vec<RequiredPage>) -> V,
) -> Result<T, CallError>
where
    F: Future<Output = Result<T, CallError>>,
    V: Future<Output = bool>,
{
    let mut visits = 0;
    loop {
        match send().await {
            Err(CallError::PagesRequired { pages, error }) => {
                visits += 1;
                if visits > VISITS || !visit(pages.clone()).await {
                    return Err(CallError::PagesRequired { pages, error });
                }
            }
            outcome => return outcome,
        }
    }
}

/// Whether the user visited all of these pages. The reader of the stream of requests asks, and stops asking when this is
/// dropped.
pub(super) async fn visit_all(
    server: &ServerHandle,
    active: &ActiveSession,
    cause: Option<Cause>,
    pages: Vec<RequiredPage>,
) -> bool {
    let (visited, are_visited) = oneshot::channel();
    server.request(ClientRequestBody::VisitPages(PageVisits {
        pages,
        cause,
        session_over: active.over.clone(),
        visited,
    }));
    are_visited.await.unwrap_or(false)
}
