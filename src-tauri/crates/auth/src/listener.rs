//! Where the browser comes back to: a socket on this computer's own loopback address that takes one answer and
//! is gone. Every page and every program on this computer can connect, so nothing counts but the state that no other program
//! knows; whatever else comes is refused plainly, told nothing, and changes nothing. What the browser
//! shows afterwards is a fixed text.

use std::fmt;
use std::io;
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::callback::Parameters;
use crate::error::{AuthError, Reason, Step};
use crate::random::same;

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 32 * 1024;
/// How long one visitor may take.
const VISIT: Duration = Duration::from_secs(10);
/// How many visitors at once are listened to.
const MAX_VISITORS: usize = 16;
/// The path the browser comes back to.
const PATH: &str = "/callback";

/// The style of the page, in the colours of the user's system.
const STYLE: &str = "html{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}\
     body{display:grid;place-content:center;min-height:80vh;margin:0 2rem;text-align:center}\
     h1{margin:0 0 .5rem;font-size:1.25rem;font-weight:600}p{margin:0}";

/// What the browser shows when it has come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackPage {
    /// The language of the text, as in the `lang` attribute.
    pub language: String,
    /// The title of the page.
    pub title: String,
    /// The text, such as that the page may be closed.
    pub text: String,
}

impl Default for CallbackPage {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            title: "Vestibule".to_owned(),
            text: "You may close this page and go back to Vestibule.".to_owned(),
        }
    }
}

impl fmt::Display for CallbackPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [language, title, text] = [&self.language, &self.title, &self.text].map(|text| escaped(text));
        write!(
            f,
            "<!doctype html><html lang=\"{language}\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style><h1>{title}</h1>\
             <p>{text}</p></html>"
        )
    }
}

/// A socket that waits for one browser. Dropping it closes it.
pub(crate) struct Listener {
    socket: TcpListener,
    host: String,
}

impl Listener {
    /// On this port, or on any.
    pub(crate) async fn bind(port: Option<u16>) -> Result<Self, AuthError> {
        let bound = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await;
        let failed = |error: io::Error| {
            let why = match port {
                Some(port) => format!("port {port} of this computer cannot be used ({error})"),
                None => format!("no port of this computer can be used ({error})"),
            };
            AuthError::new(Step::Listener, Reason::Local(why))
        };
        let socket = bound.map_err(failed)?;
        let host = socket.local_addr().map_err(failed)?.to_string();
        Ok(Self { socket, host })
    }

    /// Where the browser is sent to.
    pub(crate) fn redirect_uri(&self) -> String {
        format!("http://{}{PATH}", self.host)
    }

    /// Waits for the answer with this state, then closes the socket.
    pub(crate) async fn wait(
        self,
        state: &str,
        page: &CallbackPage,
        patience: Duration,
    ) -> Result<Parameters, AuthError> {
        let (sender, mut answers) = mpsc::channel(1);
        let answer = timeout(patience, async {
            tokio::select! {
                () = self.admit_visitors(state, page, &sender) => None,
                answer = answers.recv() => answer,
            }
        });
        answer
            .await
            .ok()
            .flatten()
            .ok_or_else(|| AuthError::new(Step::Listener, Reason::TimedOut(patience.as_secs())))
    }

    /// Takes visitors until it is dropped, a limited number at once, and hands over the answer of the right one.
    async fn admit_visitors(&self, state: &str, page: &CallbackPage, sender: &mpsc::Sender<Parameters>) {
        let mut visitors = JoinSet::new();
        loop {
            let Ok((stream, _)) = self.socket.accept().await else {
                // The visitor left before being let in.
                tokio::task::yield_now().await;
                continue;
            };
            while visitors.len() >= MAX_VISITORS {
                visitors.join_next().await;
            }
            let visit = CallbackVisit {
                host: self.host.clone(),
                state: state.to_owned(),
                page: page.to_string(),
            };
            visitors.spawn(visit.hand_over(stream, sender.clone()));
        }
    }
}

struct CallbackVisit {
    host: String,
    state: String,
    page: String,
}

impl CallbackVisit {
    /// A visitor that takes too long or goes away is no answer; others may still come.
    async fn hand_over(self, stream: TcpStream, sender: mpsc::Sender<Parameters>) {
        if let Ok(Ok(Some(answer))) = timeout(VISIT, self.receive(stream)).await {
            let _ = sender.try_send(answer);
        }
    }

    /// The answer, when this is the visitor that was waited for.
    async fn receive(self, mut stream: TcpStream) -> io::Result<Option<Parameters>> {
        let head = read_head(&mut stream).await?;
        let found = head.as_deref().and_then(|head| self.judge(head));
        let (status, body) = match &found {
            Some(_) => ("200 OK", self.page.as_str()),
            None => ("400 Bad Request", "<!doctype html><title>400</title><p>400</p>"),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
             Content-Security-Policy: default-src 'none'; style-src '{}'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n\
             Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
            body.len(),
            style_source(),
        );
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        Ok(found)
    }

    /// Whether the request names this socket as its host, and nothing else.
    fn is_addressed(&self, headers: &[httparse::Header<'_>]) -> bool {
        let mut hosts = headers
            .iter()
            .filter(|header| header.name.eq_ignore_ascii_case("host"));
        let is_own = hosts
            .next()
            .is_some_and(|host| host.value == self.host.as_bytes());
        is_own && hosts.next().is_none()
    }

    fn judge(&self, head: &[u8]) -> Option<Parameters> {
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut request = httparse::Request::new(&mut headers);
        request.parse(head).ok()?.is_complete().then_some(())?;
        if request.method != Some("GET") {
            return None;
        }
        if !self.is_addressed(request.headers) {
            return None;
        }
        let (path, query) = request.path?.split_once('?')?;
        if path != PATH {
            return None;
        }
        let parameters = Parameters::parse(query)?;
        same(&parameters.state, &self.state).then_some(parameters)
    }
}

/// The head of a request; `None` when it is too long.
async fn read_head(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await?;
        if read == 0 || head.len() + read > MAX_HEAD {
            return Ok(None);
        }
        head.extend_from_slice(&piece[..read]);
    }
    Ok(Some(head))
}

/// The style of the page as a source of its Content-Security-Policy, which allows nothing else.
fn style_source() -> String {
    format!("sha256-{}", STANDARD.encode(digest(&SHA256, STYLE.as_bytes())))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
