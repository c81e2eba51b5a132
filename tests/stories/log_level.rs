//! The level that a user sets for the log of a server, over the end of a session.

use serde_json::json;
use vestibule_host::view::{OffersView, ServerState};
use vestibule_protocol::mcp::LogLevel;
use vestibule_tests::Scene;

use crate::offers::library;

/// LG-002: the wish is kept for the next session.
#[tokio::test]
async fn the_level_of_a_servers_log_is_the_persons_and_is_kept() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = library(&scene).await;
    let setting = scene.host.server_log_level(server, LogLevel::Warning);
    let serve = async {
        let asked = puppet.hear("logging/setLevel").await;
        assert_eq!(asked["params"]["level"], "warning");
        puppet.answer(&asked, json!({})).await;
    };
    tokio::join!(setting, serve).0.unwrap();
    let shown = |offers: &OffersView| offers.log_level == Some(LogLevel::Warning);
    assert!(shown(&scene.host.server_offers(server).unwrap()));
    puppet.exit(0).await;
    scene.lets_servers_start();
    scene
        .server(server, "a lost server", |view| {
            !matches!(view.state, ServerState::Ready { .. })
        })
        .await;
    scene.host.server_start(server).await.unwrap();
    let mut puppet = stage.puppet().await;
    puppet.open_with(json!({ "tools": {}, "logging": {} })).await;
    let tools = puppet.hear("tools/list").await;
    puppet.answer(&tools, json!({ "tools": [] })).await;
    let asked = puppet.hear("logging/setLevel").await;
    assert_eq!(asked["params"]["level"], "warning");
    puppet.answer(&asked, json!({})).await;
    scene.close().await;
}
