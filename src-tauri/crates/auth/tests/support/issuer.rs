//! The authorization server and the protected server where nothing was changed: strict, so that a client that
//! forgets something fails here.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{CANARY, Party, Plan, Record, Reply};

type Answer = (Reply, Vec<(&'static str, String)>);

/// What was handed out so far.
#[derive(Default)]
pub(crate) struct Issued {
    /// Codes, with what the page was asked with.
    codes: HashMap<String, HashMap<String, String>>,
    refresh: Vec<String>,
    pages: usize,
    clients: usize,
    tokens: usize,
    /// The nonce proofs have to carry, at the token endpoint and at the server.
    pub(crate) nonce: Option<String>,
    /// What the token endpoint says to every client id it does not know.
    pub(crate) forgotten: Vec<String>,
    /// Where a registration is looked after, and the token for it.
    pub(crate) management: Option<(String, String)>,
}

pub(crate) fn answer(plan: &mut Plan, own: &str, record: &Record) -> Answer {
    match (record.party, record.path.as_str()) {
        (Party::Server, "/mcp") => server(plan, record),
        // The revision of 2025-03-26 lets the server sign people in by itself.
        (Party::Issuer | Party::Server, "/authorize") => authorize(plan, record),
        (Party::Issuer | Party::Server, "/register") => register(plan, record),
        (Party::Issuer | Party::Server, "/token") => token(plan, own, record),
        (Party::Issuer, "/revoke") if !plan.revoke_replies.is_empty() => {
            (plan.revoke_replies.remove(0), Vec::new())
        }
        (Party::Issuer, "/revoke") => plain(200, json!({})),
        _ => plain(404, json!({"error": "not_found"})),
    }
}

fn plain(status: u16, value: Value) -> Answer {
    (Reply::Json(status, value), Vec::new())
}

fn refuse(code: &str) -> Answer {
    plain(400, json!({"error": code, "error_description": "because"}))
}

fn server(plan: &mut Plan, record: &Record) -> Answer {
    let token = record
        .header("authorization")
        .and_then(|value| value.split_once(' '));
    let proven = |nonce: &String| ours(record).is_some_and(|claims| claims["nonce"] == **nonce);
    if let (Some(("DPoP", _)), Some(nonce)) = (token, &plan.issued.nonce)
        && !proven(nonce)
    {
        let headers = vec![
            ("dpop-nonce", nonce.clone()),
            ("www-authenticate", "DPoP error=\"use_dpop_nonce\"".to_owned()),
        ];
        return (Reply::Json(401, json!({})), headers);
    }
    let known = token.is_some_and(|(_, token)| plan.accepted.iter().any(|it| it == token));
    match &plan.challenge {
        Some((status, challenge)) if !known || *status == 403 => {
            let headers = vec![("www-authenticate", challenge.clone())];
            (Reply::Json(if known { *status } else { 401 }, json!({})), headers)
        }
        _ => plain(200, json!({})),
    }
}

fn authorize(plan: &mut Plan, record: &Record) -> Answer {
    let query = &record.query;
    let right = query.get("response_type").is_some_and(|it| it == "code")
        && query.get("code_challenge_method").is_some_and(|it| it == "S256")
        && ["client_id", "redirect_uri", "state", "code_challenge", "resource"]
            .iter()
            .all(|name| query.get(*name).is_some_and(|value| !value.is_empty()));
    if !right {
        return plain(400, json!({"error": "invalid_request"}));
    }
    plan.issued.pages += 1;
    let code = format!("code-{CANARY}-{}", plan.issued.pages);
    plan.issued.codes.insert(code.clone(), query.clone());
    let parameters = plan.callback.iter().map(|(name, value)| {
        let value = value.replace("{code}", &code).replace("{state}", &query["state"]);
        (name.clone(), value)
    });
    let answer = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    (
        Reply::Redirect(302, format!("{}?{answer}", query["redirect_uri"])),
        Vec::new(),
    )
}

fn register(plan: &mut Plan, record: &Record) -> Answer {
    let wanted: Value = serde_json::from_str(&record.body).unwrap();
    let loopback = wanted["redirect_uris"][0]
        .as_str()
        .is_some_and(|uri| uri.starts_with("http://127.0.0.1:"));
    if wanted["application_type"] != "native" || !loopback {
        return refuse("invalid_client_metadata");
    }
    plan.issued.clients += 1;
    let mut answer = wanted.clone();
    answer["client_id"] = json!(format!("registered-{}", plan.issued.clients));
    if wanted["token_endpoint_auth_method"] != "none" {
        answer["client_secret"] = json!(format!("secret-{CANARY}"));
    }
    if let Some((address, token)) = &plan.issued.management {
        answer["registration_client_uri"] = json!(address);
        answer["registration_access_token"] = json!(token);
    }
    plain(201, answer)
}

fn token(plan: &mut Plan, own: &str, record: &Record) -> Answer {
    if let Some(nonce) = plan.issued.nonce.clone()
        && record.header("dpop").is_some()
        && ours(record).is_none_or(|claims| claims["nonce"] != nonce)
    {
        let reply = Reply::Json(400, json!({"error": "use_dpop_nonce"}));
        return (reply, vec![("dpop-nonce", nonce)]);
    }
    if !plan.token_replies.is_empty() {
        return (plan.token_replies.remove(0), Vec::new());
    }
    let field = |name: &str| record.field(name).unwrap_or_default();
    if plan.issued.forgotten.contains(&field("client_id")) {
        return plain(401, json!({"error": "invalid_client"}));
    }
    let mut answer = plan.token.clone();
    match field("grant_type").as_str() {
        "authorization_code" => {
            let Some(asked) = plan.issued.codes.remove(&field("code")) else {
                return refuse("invalid_grant");
            };
            let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
            let right = proof == asked["code_challenge"]
                && field("redirect_uri") == asked["redirect_uri"]
                && field("resource") == asked["resource"];
            if !right {
                return refuse("invalid_grant");
            }
            if let Some(scope) = asked.get("scope") {
                answer["scope"] = json!(scope);
            }
        }
        "refresh_token" => {
            let given = field("refresh_token");
            if !plan.issued.refresh.contains(&given) {
                return refuse("invalid_grant");
            }
            plan.issued.refresh.retain(|own| *own != given);
        }
        "urn:ietf:params:oauth:grant-type:token-exchange" => {
            return plain(
                200,
                json!({
                    "access_token": format!("id-jag for {}", field("audience")).replace(' ', "-"),
                    "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
                    "token_type": "N_A",
                }),
            );
        }
        "client_credentials" | "urn:ietf:params:oauth:grant-type:jwt-bearer" => {}
        _ => return refuse("unsupported_grant_type"),
    }
    plan.issued.tokens += 1;
    let (access, refresh) = (
        format!("access-{CANARY}-{}", plan.issued.tokens),
        format!("refresh-{CANARY}-{}", plan.issued.tokens),
    );
    // A new token ends the ones before.
    plan.accepted = vec![access.clone()];
    let named = |name: &str| plan.token.get(name).is_some();
    if !named("access_token") {
        answer["access_token"] = json!(access);
    }
    if !named("refresh_token") && !field("grant_type").contains("client") {
        answer["refresh_token"] = json!(refresh);
        plan.issued.refresh.push(refresh);
    }
    if record.header("dpop").is_some()
        && ours(record).is_some_and(|claims| claims["htu"] == format!("{own}/token"))
    {
        answer["token_type"] = json!("DPoP");
    }
    plain(200, answer)
}

/// The claims of the proof a request carries, if its signature is by the key that stands in it.
pub(crate) fn ours(record: &Record) -> Option<Value> {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    let proof = record.header("dpop")?;
    let (signed, signature) = proof.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let header: Value = serde_json::from_slice(&decoded(header)?).ok()?;
    if header["typ"] != "dpop+jwt" || header["alg"] != "ES256" || header["jwk"].get("d").is_some() {
        return None;
    }
    let coordinate = |name: &str| decoded(header["jwk"][name].as_str()?);
    let point = [vec![4], coordinate("x")?, coordinate("y")?].concat();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    key.verify(signed.as_bytes(), &decoded(signature)?).ok()?;
    serde_json::from_slice(&decoded(claims)?).ok()
}
