//! A model at an address without TLS: the key is sent where it cannot be read on the way, or not at all (L-10, attack N5).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use vestibule_host::view::{ModelDraft, ModelProblem, Problem};
use vestibule_tests::Opening;

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
        let draft = ModelDraft {
            id: None,
            label: String::new(),
            base_url: address.to_owned(),
            model: "m".to_owned(),
            key: Some(KEY.to_owned()),
            price_in: None,
            price_out: None,
            price_cached: None,
            context: None,
            wire: None,
        };
        let refused = |problem: &Problem| matches!(problem, Problem::Model(ModelProblem::ModelKeyOverHttp { endpoint }) if address.contains(endpoint));
        let saved = scene.host.model_save(draft).await.unwrap_err();
        assert!(refused(&saved), "{address}: {saved:?}");
        let listed = scene
            .host
            .model_list(address, Some(KEY.to_owned()), None, None)
            .await;
        let listed = listed.unwrap_err();
        assert!(refused(&listed), "{address}: {listed:?}");
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0, "nothing was sent");
    // Directly to this computer it goes as before.
    let here = scene
        .host
        .model_list("http://127.0.0.1:9/v1", Some(KEY.to_owned()), None, None)
        .await;
    let here = here.unwrap_err();
    assert!(
        matches!(here, Problem::Model(ModelProblem::ModelUnreachable { .. })),
        "{here:?}"
    );
    scene.close().await;
}
