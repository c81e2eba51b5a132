//! Stored pictures of results for the main window: `vestibule-media://localhost/<entry>/<number>`. Nothing else is answered,
//! and no other window. What a page asks for is looked up by the host, which gives pictures of known kinds alone.

use tauri::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS,
};
use tauri::http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use tauri::{Manager, Runtime, UriSchemeContext, UriSchemeResponder};
use vestibule_host::Host;
use vestibule_protocol::EntryId;

use crate::windows::MAIN;

/// The scheme. The content security policy allows it for pictures.
pub(crate) const SCHEME: &str = "vestibule-media";
/// Headers of every answer: the bytes are what their type says, are kept nowhere, and may load nothing.
const HEADERS: [(HeaderName, &str); 3] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
];

/// Answers a request of a page.
pub(crate) fn serve<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let host = context.app_handle().try_state::<Host>();
    let host = host.map(|host| host.inner().clone());
    let label = context.webview_label().to_owned();
    tauri::async_runtime::spawn(async move {
        let answer = match host {
            Some(host) => answer(&host, &label, request.method(), request.uri()).await,
            None => empty(StatusCode::NOT_FOUND),
        };
        responder.respond(answer);
    });
}

/// The answer to a window with this label.
async fn answer(host: &Host, label: &str, method: &Method, uri: &Uri) -> Response<Vec<u8>> {
    if label != MAIN {
        return empty(StatusCode::FORBIDDEN);
    }
    let Some((entry, number)) = place(uri).filter(|_| method == Method::GET) else {
        return empty(StatusCode::NOT_FOUND);
    };
    match host.stored_picture(entry, number).await {
        Ok(Some(picture)) => {
            let mut answer = with_headers(Response::new(picture.bytes));
            let mime = HeaderValue::from_static(picture.mime);
            answer.headers_mut().insert(CONTENT_TYPE, mime);
            answer
        }
        Ok(None) => empty(StatusCode::NOT_FOUND),
        Err(problem) => {
            tracing::error!(%entry, %problem, "failed to read a stored picture");
            empty(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// What an address names. Each picture has one address.
fn place(uri: &Uri) -> Option<(EntryId, u32)> {
    let (entry, number) = uri.path().strip_prefix('/')?.split_once('/')?;
    let place: (EntryId, u32) = (entry.parse().ok()?, number.parse().ok()?);
    let address = format!("{SCHEME}://localhost/{}/{}", place.0, place.1);
    (*uri == *address).then_some(place)
}

fn empty(status: StatusCode) -> Response<Vec<u8>> {
    let mut answer = with_headers(Response::new(vec![]));
    *answer.status_mut() = status;
    answer
}

fn with_headers(mut answer: Response<Vec<u8>>) -> Response<Vec<u8>> {
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests;
