//! A world in which nothing is wrong.

use std::collections::HashMap;

use serde_json::json;

use super::{Issued, Party, Plan, Reply};

impl Plan {
    pub(super) fn new(server: &str, issuer: &str) -> Self {
        let resource = json!({
            "resource": format!("{server}/mcp"),
            "authorization_servers": [issuer],
            "scopes_supported": ["mcp:basic", "mcp:read"],
        });
        let metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "registration_endpoint": format!("{issuer}/register"),
            "revocation_endpoint": format!("{issuer}/revoke"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "authorization_response_iss_parameter_supported": true,
        });
        let documents = HashMap::from([
            (
                (
                    Party::Server,
                    "/.well-known/oauth-protected-resource/mcp".to_owned(),
                ),
                Reply::Json(200, resource),
            ),
            (
                (
                    Party::Issuer,
                    "/.well-known/oauth-authorization-server".to_owned(),
                ),
                Reply::Json(200, metadata),
            ),
        ]);
        let description = format!("{server}/.well-known/oauth-protected-resource/mcp");
        Self {
            challenge: Some((
                401,
                format!("Bearer resource_metadata=\"{description}\", scope=\"mcp:basic\""),
            )),
            documents,
            callback: vec![
                ("code".into(), "{code}".into()),
                ("state".into(), "{state}".into()),
                ("iss".into(), issuer.into()),
            ],
            token: json!({"token_type": "Bearer", "expires_in": 3600}),
            token_replies: Vec::new(),
            revoke_replies: Vec::new(),
            token_waits: None,
            accepted: Vec::new(),
            issued: Issued::default(),
        }
    }
}
