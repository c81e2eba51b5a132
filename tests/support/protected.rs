//! A server at an address that wants a sign-in, and the authorization server that gives it: both on loopback, strict
//! about what a client has to prove, and keeping a record of everything that reached them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use url::Url;
use vestibule_egress::{Egress, NetworkReach};

use crate::played::Script;
use crate::{Played, canaries, soon};

/// Stands in every token, code and secret that is handed out.
pub const CANARY: &str = "canary";

/// The grant of a token that another program keeps in a file.
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// A protected server with its authorization server.
#[derive(Clone)]
pub struct Protected {
    /// The address of the server.
    pub url: String,
    /// Who signs people in for it.
    pub issuer: String,
    desk: Arc<Mutex<Desk>>,
}

/// Something that reached one of them.
#[derive(Clone, Debug)]
pub struct Reached {
    /// Whether it was the authorization server.
    pub issuer: bool,
    pub method: String,
    pub path: String,
    /// The header of that name.
    pub authorization: Option<String>,
    pub body: String,
}

#[derive(Default)]
struct Desk {
    reached: Vec<Reached>,
    /// Access tokens that count, with what they are good for.
    access: HashMap<String, String>,
    refresh: HashMap<String, String>,
    codes: HashMap<String, HashMap<String, String>>,
    made: usize,
    /// What the methods that begin so need on top of `basic`.
    wants: Option<(&'static str, String)>,
    forgets_refresh: bool,
    /// Whether the token endpoint is out of order.
    no_tokens: bool,
    /// What the server says about itself in place of the truth.
    described: Option<Value>,
    /// What is answered to a client that withdraws its registration; `None` where none can.
    withdrawal: Option<u16>,
    /// What the server answers in place of what it does by itself.
    script: Option<Script>,
}

#[derive(Clone)]
struct Door {
    issuer: bool,
    world: Protected,
}

impl Protected {
    pub async fn start() -> Self {
        let (server, issuer) = (listener().await, listener().await);
        let at = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
        let world = Self {
            url: format!("{}/mcp", at(&server)),
            issuer: at(&issuer),
            desk: Arc::default(),
        };
        for (listener, issuer) in [(server, false), (issuer, true)] {
            let door = Door {
                issuer,
                world: world.clone(),
            };
            let router = Router::new().fallback(enter).with_state(door);
            tokio::spawn(async move { axum::serve(listener, router).await });
        }
        world
    }

    /// Everything that reached them so far.
    #[must_use]
    pub fn reached(&self) -> Vec<Reached> {
        self.desk().reached.clone()
    }

    /// How many forms of this grant reached the token endpoint.
    #[must_use]
    pub fn grants(&self, grant: &str) -> usize {
        let wanted = format!("grant_type={grant}");
        let all = self.reached();
        all.iter()
            .filter(|it| it.path == "/token" && it.body.contains(&wanted))
            .count()
    }

    /// From now on no access token that was given counts.
    pub fn expire(&self) {
        self.desk().access.clear();
    }

    /// From now on no refresh token counts either.
    pub fn forget(&self) {
        self.expire();
        self.desk().forgets_refresh = true;
    }

    /// From now on the token endpoint answers with status 503, or works again.
    pub fn gives_no_tokens(&self, outage: bool) {
        self.desk().no_tokens = outage;
    }

    /// From now on the server says that it is at this address and that these sign people in for it.
    pub fn describes(&self, server: &str, issuers: &[&str]) {
        self.desk().described = Some(json!({ "resource": server, "authorization_servers": issuers }));
    }

    /// From now on calls need this scope on top.
    pub fn want(&self, scope: &str) {
        self.want_for("tools/call", scope);
    }

    /// From now on the methods that begin so need this scope on top.
    pub fn want_for(&self, methods: &'static str, scope: &str) {
        self.desk().wants = Some((methods, scope.to_owned()));
    }

    /// From now on clients that register are told how to withdraw that, and are answered with this status.
    pub fn lets_withdraw(&self, status: u16) {
        self.desk().withdrawal = Some(status);
    }

    /// From now on `script` answers a client that is signed in, and the server itself where `script` gives no answer.
    pub fn plays(&self, script: impl FnMut(&Reached, &Value) -> Option<Played> + Send + 'static) {
        self.desk().script = Some(Box::new(script));
    }

    /// Signs in on the page as a user in a browser would, and comes back.
    ///
    /// # Panics
    /// When the page or the way back is not there.
    pub async fn visit(&self, page: &str) {
        let answer = get(page).await;
        let back = answer.headers().get("location").expect("the page sends back");
        let back = back.to_str().unwrap().to_owned();
        assert!(back.starts_with("http://127.0.0.1:"), "{back}");
        assert!(get(&back).await.status().is_success());
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap()
    }
}

async fn get(address: &str) -> vestibule_egress::HttpAnswer {
    let address: Url = address.parse().unwrap();
    let egress = Egress::new(&address, NetworkReach::Local).unwrap();
    #[expect(clippy::disallowed_methods, reason = "plays the browser")]
    let sent = egress.send(
        Method::GET,
        &address,
        HeaderMap::new(),
        None,
        Duration::from_secs(20),
    );
    soon("a page", sent).await.unwrap()
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

fn pairs(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

fn answer(status: u16, value: &Value) -> Response<Body> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

async fn enter(State(door): State<Door>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let header = |name: &str| {
        parts
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    let reached = Reached {
        issuer: door.issuer,
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        authorization: header("authorization"),
        body,
    };
    let own = if door.issuer {
        &door.world.issuer
    } else {
        &door.world.url
    };
    let head = format!("{} {} {:?}", parts.method, parts.uri, parts.headers);
    canaries::requested(own, head.as_bytes(), reached.body.as_bytes());
    let mut desk = door.world.desk();
    desk.reached.push(reached.clone());
    let query = pairs(parts.uri.query().unwrap_or_default());
    let world = &door.world;
    match (door.issuer, reached.path.as_str()) {
        (false, "/mcp") => desk.serve(world, &reached),
        (false, "/.well-known/oauth-protected-resource/mcp") => {
            let truth = json!({ "resource": world.url, "authorization_servers": [world.issuer] });
            answer(200, desk.described.as_ref().unwrap_or(&truth))
        }
        (true, "/.well-known/oauth-authorization-server") => answer(200, &metadata(&world.issuer)),
        (true, "/register") => desk.register(&world.issuer, &reached.body),
        (true, "/authorize") => desk.authorize(&world.issuer, query),
        (true, "/token") if desk.no_tokens => answer(503, &json!({})),
        (true, "/token") => desk.token(&pairs(&reached.body)),
        (true, "/revoke") => answer(200, &json!({})),
        (true, path) if path.starts_with("/register/") => answer(desk.withdrawal.unwrap_or(404), &json!({})),
        _ => answer(404, &json!({})),
    }
}

fn metadata(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": format!("{issuer}/register"),
        "revocation_endpoint": format!("{issuer}/revoke"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token", JWT_BEARER],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        "authorization_response_iss_parameter_supported": true,
        "prompt_values_supported": ["none", "login"],
    })
}

impl Desk {
    /// The protected server: one tool, for a client with a token that is good for it.
    fn serve(&mut self, world: &Protected, reached: &Reached) -> Response<Body> {
        let origin = world.url.trim_end_matches("/mcp");
        let described = format!("resource_metadata=\"{origin}/.well-known/oauth-protected-resource/mcp\"");
        let token = reached
            .authorization
            .as_deref()
            .and_then(|it| it.strip_prefix("Bearer "));
        let refuse = |status: u16, words: String| {
            let response = Response::builder()
                .status(status)
                .header("www-authenticate", words);
            response.body(Body::empty()).unwrap()
        };
        let Some(good_for) = token.and_then(|token| self.access.get(token)) else {
            if self.described.is_some() {
                return refuse(401, "Bearer".to_owned());
            }
            return refuse(401, format!("Bearer {described}, scope=\"basic\""));
        };
        let message: Value = serde_json::from_str(&reached.body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        if let Some((_, scope)) = self
            .wants
            .as_ref()
            .filter(|(methods, _)| method.starts_with(methods))
            && !good_for.split(' ').any(|own| own == scope)
        {
            let words = format!("Bearer error=\"insufficient_scope\", {described}, scope=\"{scope}\"");
            return refuse(403, words);
        }
        if let Some(script) = &mut self.script
            && let Some(played) = script(reached, &message)
        {
            return played.into_response(&message, &format!("Bearer error=\"invalid_token\", {described}"));
        }
        let result = match message["method"].as_str() {
            Some("server/discover") => json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "protected", "version": "1" } },
            }),
            Some("tools/list") => json!({
                "resultType": "complete",
                "tools": [{ "name": "read", "inputSchema": { "type": "object" } }],
            }),
            Some("tools/call") => json!({
                "resultType": "complete",
                "content": [{ "type": "text", "text": "what only members read" }],
            }),
            _ => {
                let error = json!({ "code": -32601, "message": "not here" });
                return answer(
                    200,
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }),
                );
            }
        };
        answer(
            200,
            &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
        )
    }

    fn register(&mut self, issuer: &str, body: &str) -> Response<Body> {
        let mut client: Value = serde_json::from_str(body).unwrap();
        self.made += 1;
        let id = format!("client-{}", self.made);
        if self.withdrawal.is_some() {
            client["registration_client_uri"] = json!(format!("{issuer}/register/{id}"));
            client["registration_access_token"] = json!(format!("registration-{CANARY}"));
        }
        client["client_id"] = json!(id);
        answer(201, &client)
    }

    fn authorize(&mut self, issuer: &str, asked: HashMap<String, String>) -> Response<Body> {
        self.made += 1;
        let code = format!("code-{CANARY}-{}", self.made);
        let back = [
            ("code", code.as_str()),
            ("state", &asked["state"]),
            ("iss", issuer),
        ];
        let back = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(back)
            .finish();
        let back = format!("{}?{back}", asked["redirect_uri"]);
        self.codes.insert(code, asked);
        let response = Response::builder().status(302).header("location", back);
        response.body(Body::empty()).unwrap()
    }

    fn token(&mut self, form: &HashMap<String, String>) -> Response<Body> {
        let refuse = || answer(400, &json!({ "error": "invalid_grant" }));
        let scopes = if form["grant_type"] == "refresh_token" {
            let known = self.refresh.remove(&form["refresh_token"]);
            known.filter(|_| !self.forgets_refresh)
        } else if form["grant_type"] == JWT_BEARER {
            form.contains_key("assertion")
                .then(|| form.get("scope").cloned().unwrap_or_default())
        } else {
            let asked = self.codes.remove(&form["code"]);
            let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
            let right = |asked: &HashMap<String, String>| {
                asked["code_challenge"] == proof && asked["redirect_uri"] == form["redirect_uri"]
            };
            let asked = asked.filter(right);
            self.forgets_refresh = false;
            asked.map(|asked| asked.get("scope").cloned().unwrap_or_default())
        };
        let Some(scopes) = scopes else { return refuse() };
        self.made += 1;
        let (access, refresh) = (
            format!("access-{CANARY}-{}", self.made),
            format!("refresh-{CANARY}-{}", self.made),
        );
        self.access.insert(access.clone(), scopes.clone());
        self.refresh.insert(refresh.clone(), scopes.clone());
        let token = json!({
            "access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh,
            "scope": scopes,
        });
        answer(200, &token)
    }
}
