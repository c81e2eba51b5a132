//! A world to sign in to, over real loopback HTTP: a protected server, its authorization server, and a third
//! party that must get nothing. Every request to any of them is recorded; every answer can be changed.

mod issuer;
mod people;
mod plan;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response};
use secrecy::SecretString;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use url::Url;
use vestibule_auth::*;
use vestibule_egress::{Egress, NetworkReach};
use vestibule_transport::Challenge;
use vestibule_transport::http::Authorization;

pub(crate) use issuer::{Issued, ours};
pub(crate) use people::{Keychain, Visitor};

/// Only a bound against hanging; nothing waits this long when all is well.
pub(crate) const BOUND: Duration = Duration::from_secs(20);
/// How long a sign-in waits for an answer. `Reply::Silence` moves the clock of the test by this time.
const ANSWER: Duration = Duration::from_secs(2);
/// Part of every secret the world hands out.
pub(crate) const CANARY: &str = "canary";

/// Who is who in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Party {
    Server,
    Issuer,
    Other,
}

/// A request that reached somebody.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) party: Party,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Record {
    /// A field of the form it carries.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let mut fields = url::form_urlencoded::parse(self.body.as_bytes());
        fields
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.into_owned())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Json(u16, Value),
    Text(u16, &'static str, String),
    Redirect(u16, String),
    /// Begins and never ends.
    Endless,
    /// Begins, and then nothing more comes.
    Stalled,
    /// Says that it is compressed.
    Packed,
    Silence,
}

/// What the world answers; tests change it before and during a sign-in.
pub(crate) struct Plan {
    /// `WWW-Authenticate` of a refusal for lack of a token, and its status.
    pub(crate) challenge: Option<(u16, String)>,
    /// Answers by party and path, before anything else.
    pub(crate) documents: HashMap<(Party, String), Reply>,
    /// What the browser is sent back with.
    pub(crate) callback: Vec<(String, String)>,
    /// What the token endpoint gives where it is content.
    pub(crate) token: Value,
    /// What it answers in place of that, once for each.
    pub(crate) token_replies: Vec<Reply>,
    /// What the revocation endpoint answers, once for each.
    pub(crate) revoke_replies: Vec<Reply>,
    /// What the next answer of the token endpoint waits for.
    pub(crate) token_waits: Option<Arc<Notify>>,
    /// Tokens the server accepts.
    pub(crate) accepted: Vec<String>,
    pub(crate) issued: Issued,
}

pub(crate) struct World {
    pub(crate) server: Url,
    pub(crate) issuer: String,
    pub(crate) other: String,
    pub(crate) plan: Arc<Mutex<Plan>>,
    pub(crate) records: Arc<Mutex<Vec<Record>>>,
    pub(crate) visitor: Arc<Visitor>,
    pub(crate) keychain: Arc<Keychain>,
    pub(crate) clock: Arc<Mutex<SystemTime>>,
}

#[derive(Clone)]
struct Door {
    party: Party,
    own: String,
    plan: Arc<Mutex<Plan>>,
    records: Arc<Mutex<Vec<Record>>>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let listeners = [bound().await, bound().await, bound().await];
        let [server, issuer, other] = listeners
            .each_ref()
            .map(|listener| format!("http://{}", listener.local_addr().unwrap()));
        let plan = Arc::new(Mutex::new(Plan::new(&server, &issuer)));
        let records = Arc::new(Mutex::new(Vec::new()));
        let doors = [
            (Party::Server, server.clone()),
            (Party::Issuer, issuer.clone()),
            (Party::Other, other.clone()),
        ];
        for (listener, (party, own)) in listeners.into_iter().zip(doors) {
            let door = Door {
                party,
                own,
                plan: plan.clone(),
                records: records.clone(),
            };
            let router = Router::new().fallback(enter).with_state(door);
            tokio::spawn(async move { axum::serve(listener, router).await });
        }
        Self {
            server: format!("{server}/mcp").parse().unwrap(),
            issuer,
            other,
            plan,
            records,
            visitor: Arc::default(),
            keychain: Arc::default(),
            clock: Arc::new(Mutex::new(SystemTime::now())),
        }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.plan.lock().unwrap());
    }

    /// Changes the authorization server's document.
    pub(crate) fn change_metadata(&self, change: impl FnOnce(&mut Value)) {
        self.change_document(Party::Issuer, "/.well-known/oauth-authorization-server", change);
    }

    /// Changes the server's document.
    pub(crate) fn change_resource(&self, change: impl FnOnce(&mut Value)) {
        self.change_document(Party::Server, "/.well-known/oauth-protected-resource/mcp", change);
    }

    fn change_document(&self, party: Party, path: &str, change: impl FnOnce(&mut Value)) {
        let mut plan = self.plan.lock().unwrap();
        match plan.documents.get_mut(&(party, path.to_owned())) {
            Some(Reply::Json(_, document)) => change(document),
            other => panic!("no document there: {other:?}"),
        }
    }

    pub(crate) fn settings(&self) -> AuthSettings {
        let application = Application {
            name: "Vestibule".into(),
            document: None,
        };
        let clock = self.clock.clone();
        AuthSettings {
            clock: Arc::new(move || *clock.lock().unwrap()),
            possession: Possession::Off,
            limits: AuthLimits {
                answer: ANSWER,
                person: BOUND,
                ..AuthLimits::default()
            },
            ..AuthSettings::new(self.server.clone(), "server-1", application)
        }
    }

    pub(crate) fn authorizer(&self) -> Authorizer {
        self.authorizer_with(self.settings())
    }

    pub(crate) fn authorizer_with(&self, settings: AuthSettings) -> Authorizer {
        Authorizer::new(settings, self.visitor.clone(), self.keychain.clone())
    }

    pub(crate) fn later(&self, seconds: u64) {
        *self.clock.lock().unwrap() += Duration::from_secs(seconds);
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap().clone()
    }

    /// The requests to a party at a path.
    pub(crate) fn at(&self, party: Party, path: &str) -> Vec<Record> {
        let all = self.records();
        all.into_iter()
            .filter(|it| it.party == party && it.path == path)
            .collect()
    }

    /// Sends a request to the server as a transport would; the refusal, if it is one.
    pub(crate) async fn send(&self, authorizer: &Authorizer) -> Option<Challenge> {
        self.send_to(authorizer, &self.server).await
    }

    pub(crate) async fn send_to(&self, authorizer: &Authorizer, address: &Url) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        match authorizer.authorization() {
            Authorization::Held(held) => {
                if let Some(value) = held.borrow().as_ref() {
                    use secrecy::ExposeSecret;
                    headers.insert("authorization", value.expose_secret().parse().unwrap());
                }
            }
            Authorization::Signed(signer) => headers = signer.sign(&Method::POST, address, b"{}"),
        }
        let egress = Egress::new(address, NetworkReach::Local).unwrap();
        let answer = egress
            .send(Method::POST, address, headers, Some(b"{}".to_vec()), BOUND)
            .await
            .unwrap();
        if let Authorization::Signed(signer) = authorizer.authorization() {
            signer.answered(answer.headers());
        }
        let status = answer.status().as_u16();
        let values = answer.headers().get_all("www-authenticate").iter();
        (status >= 400).then(|| Challenge {
            status,
            www_authenticate: values.map(|value| value.to_str().unwrap().to_owned()).collect(),
        })
    }

    /// Does a request the way the documentation says, signing in where that is needed.
    pub(crate) async fn call(&self, authorizer: &Authorizer) -> Result<(), AuthError> {
        tokio::time::timeout(BOUND, async {
            let mut attempt = authorizer.ready().await?;
            while let Some(challenge) = self.send(authorizer).await {
                match authorizer.on_challenge(&mut attempt, &challenge).await {
                    ChallengeOutcome::Retry => {}
                    ChallengeOutcome::SignInNeeded { .. } => authorizer.sign_in().await?,
                    ChallengeOutcome::GiveUp(error) => return Err(error),
                }
            }
            Ok(())
        })
        .await
        .expect("done in time")
    }

    /// No secret reached anybody it is not for.
    pub(crate) fn assert_nothing_leaked(&self, name: &str) {
        let consented = self.visitor.consented();
        for record in self.records() {
            let all = format!("{record:?}");
            match record.party {
                Party::Other => {
                    assert_eq!(record.method, Method::GET, "{name}: {all}");
                    assert!(record.headers.get("authorization").is_none(), "{name}: {all}");
                    assert!(!all.contains(CANARY), "{name}: {all}");
                    assert!(!record.query.contains_key("code_challenge"), "{name}: {all}");
                }
                Party::Issuer => {
                    assert!(
                        consented || record.path.contains("/.well-known/"),
                        "{name}: {all}"
                    );
                    assert!(consented || record.method == Method::GET, "{name}: {all}");
                    assert!(!all.contains("other-secret"), "{name}: {all}");
                }
                Party::Server => {
                    let token_only = all
                        .replace("Bearer access-canary", "")
                        .replace("DPoP access-canary", "");
                    assert!(!token_only.contains(CANARY), "{name}: {all}");
                    assert!(!all.contains("code_verifier"), "{name}: {all}");
                }
            }
            for value in record.query.values() {
                assert!(
                    !value.contains("access-canary"),
                    "{name}: a token in an address: {all}"
                );
            }
        }
    }
}

async fn bound() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

async fn enter(State(door): State<Door>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let query = parts.uri.query().unwrap_or_default();
    let record = Record {
        party: door.party,
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: url::form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect(),
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    door.records.lock().unwrap().push(record.clone());
    let ((reply, headers), waits) = {
        let mut plan = door.plan.lock().unwrap();
        let written = plan.documents.get(&(door.party, record.path.clone())).cloned();
        let answer = match written {
            Some(reply) => (reply, Vec::new()),
            None => issuer::answer(&mut plan, &door.own, &record),
        };
        let waits = plan.token_waits.take_if(|_| record.path == "/token");
        (answer, waits)
    };
    if let Some(waits) = waits {
        waits.notified().await;
    }
    respond(reply, headers).await
}

async fn respond(reply: Reply, headers: Vec<(&'static str, String)>) -> Response<Body> {
    let mut response = Response::builder();
    for (name, value) in headers {
        response = response.header(name, value);
    }
    match reply {
        Reply::Json(status, value) => {
            let response = response.status(status).header("content-type", "application/json");
            response.body(Body::from(value.to_string())).unwrap()
        }
        Reply::Text(status, kind, text) => {
            let response = response.status(status).header("content-type", kind);
            response.body(Body::from(text)).unwrap()
        }
        Reply::Redirect(status, to) => {
            let response = response.status(status).header("location", to);
            response.body(Body::empty()).unwrap()
        }
        Reply::Endless => {
            let piece = Ok::<_, std::convert::Infallible>(Bytes::from(vec![b' '; 64 * 1024]));
            let stream = futures::stream::repeat_with(move || piece.clone());
            let response = response.header("content-type", "application/json");
            response.body(Body::from_stream(stream)).unwrap()
        }
        Reply::Stalled => {
            let piece = Ok::<_, std::convert::Infallible>(Bytes::from_static(b"{"));
            let begun = futures::stream::iter([piece]);
            let stream = futures::StreamExt::chain(begun, futures::stream::pending());
            let response = response.header("content-type", "application/json");
            response.body(Body::from_stream(stream)).unwrap()
        }
        Reply::Packed => {
            let response = response.header("content-encoding", "gzip");
            let response = response.header("content-type", "application/json");
            response.body(Body::from("{}")).unwrap()
        }
        Reply::Silence => {
            tokio::time::pause();
            tokio::time::advance(ANSWER).await;
            tokio::time::resume();
            std::future::pending().await
        }
    }
}

/// A client id as somebody enters it.
pub(crate) fn entered(issuer: &str, secret: Option<&str>) -> EnteredClient {
    EnteredClient {
        issuer: issuer.to_owned(),
        id: "entered-id".to_owned(),
        secret: secret.map(SecretString::from),
        port: None,
    }
}
