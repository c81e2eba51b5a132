//! Where each request is proven by itself, somebody else writes the headers and hears the answers.

use std::sync::{Arc, Mutex};

use vestibule_transport::http::{Authorization, Signer};

use super::*;

#[derive(Default)]
struct Counting(Mutex<(usize, Vec<String>)>);

impl Signer for Counting {
    fn sign(&self, method: &Method, address: &url::Url, body: &[u8]) -> HeaderMap {
        let mut seen = self.0.lock().unwrap();
        seen.0 += 1;
        let proof = format!("{} {method} {} {}", seen.0, address.path(), body.len());
        HeaderMap::from_iter([("dpop".parse().unwrap(), proof.parse().unwrap())])
    }

    fn answered(&self, headers: &HeaderMap) {
        let nonce = headers
            .get("dpop-nonce")
            .map(|nonce| nonce.to_str().unwrap().to_owned());
        self.0.lock().unwrap().1.extend(nonce);
    }
}

/// AX-030.
#[tokio::test]
async fn each_request_is_signed_for_itself_and_its_answer_is_heard() {
    let mut server = Server::start().await;
    let signer = Arc::new(Counting::default());
    let address: url::Url = format!("{}/mcp", server.address).parse().unwrap();
    let egress = Egress::new(&address, NetworkReach::for_server(&address)).unwrap();
    let options = HttpOptions {
        address,
        headers: Vec::new(),
        authorization: Some(Authorization::Signed(signer.clone())),
        shape: HttpVariant::Streamable,
        limits: limits(),
    };
    let mut client = HttpTransport::new(options, egress).unwrap();
    for turn in 1..=2 {
        client.send(opening(turn)).unwrap();
        let asked = alongside(&mut client, server.expect_post("initialize")).await;
        let proof = format!("{turn} POST /mcp {}", asked.body.len());
        assert_eq!(asked.header("dpop"), Some(proof.as_str()));
        asked.answer(
            status(401)
                .header("dpop-nonce", format!("n{turn}"))
                .body(Body::empty())
                .unwrap(),
        );
        failure(&mut client, turn).await;
    }
    assert_eq!(signer.0.lock().unwrap().1, ["n1", "n2"]);
}
