//! The answers of a protected server that a test plays, to a client that is signed in.

use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};

use crate::Reached;

/// An answer of a protected server that a test plays.
pub enum Played {
    /// The result of the request.
    Result(Value),
    /// A stream of events that ends after these.
    Stream(String),
    /// Nothing but a status.
    Status(u16),
    /// The token is refused, as one that has ended.
    Refused,
}

/// Says what is answered to a request with this message; `None` for what the server answers by itself.
pub(crate) type Script = Box<dyn FnMut(&Reached, &Value) -> Option<Played> + Send>;

impl Played {
    /// The answer to this message; a refusal of the token demands this.
    pub(crate) fn into_response(self, message: &Value, demand: &str) -> Response<Body> {
        let response = Response::builder();
        let built = match self {
            Self::Result(result) => {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                let response = response.header("content-type", "application/json");
                response.body(Body::from(answer.to_string()))
            }
            Self::Stream(events) => {
                let response = response.header("content-type", "text/event-stream");
                response.body(Body::from(events))
            }
            Self::Status(status) => response.status(status).body(Body::empty()),
            Self::Refused => {
                let response = response.status(401).header("www-authenticate", demand);
                response.body(Body::empty())
            }
        };
        built.unwrap()
    }
}
