//! A model at an address without TLS: the key is sent where it cannot be read on the way, or not at all (L-10, attack N5).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use vestibule_host::view::{ConnectionDraft, HeaderDraft, ModelProblem, Problem};
use vestibule_tests::{Opening, connection_draft};

const KEY: &str = "sk-canary";

#[tokio::test]
async fn a_key_is_sent_over_plain_http_only_to_a_near_address_that_was_entered() {
    // Everything without TLS goes through here, so that anything that is sent is noticed.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap().to_string();
    let reached = Arc::new(AtomicUsize::new(0));
    let count = reached.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let scene = Opening::default().behind(&[("http_proxy", &proxy)]).open().await;
    for address in [
        "http://models.example:8080/v1",
        "http://box.local/v1",
        "http://192.168.1.20/v1",
    ] {
        let refused = |problem: &Problem| matches!(problem, Problem::Model(ModelProblem::ModelKeyOverHttp { endpoint }) if address.contains(endpoint));
        let keyed = connection_draft(address, Some(KEY), &["m"]);
        let problem = scene.host.connection_save(keyed).await.unwrap_err();
        assert!(refused(&problem), "{address}: {problem:?}");
        // The value of a header is as secret as a key.
        let with_header = ConnectionDraft {
            headers: vec![HeaderDraft {
                name: "X-Gateway-Key".to_owned(),
                value: Some(KEY.to_owned()),
            }],
            ..connection_draft(address, None, &["m"])
        };
        let problem = scene.host.connection_save(with_header).await.unwrap_err();
        assert!(refused(&problem), "{address}: {problem:?}");
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0, "nothing was sent");
    // Directly to this computer it goes as before.
    let model = scene.add_model("http://127.0.0.1:4009/v1", Some(KEY)).await;
    let connection = scene.connection_of(model).await;
    let here = scene.host.connection_models(connection).await.unwrap_err();
    assert!(
        matches!(here, Problem::Model(ModelProblem::ModelUnreachable { .. })),
        "{here:?}"
    );
    scene.close().await;
}
