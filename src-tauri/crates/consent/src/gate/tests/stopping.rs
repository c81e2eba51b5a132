//! "Stop everything" takes back the permissions that were given since a moment.

use super::rules::below;
use super::*;
use vestibule_protocol::RuleId;

#[tokio::test(start_paused = true)]
async fn stopping_everything_takes_back_what_was_allowed_since_then() {
    let scene = scene().await;
    let early = scene.holds(scene.permission()).await;
    pass(Duration::from_secs(60));
    let since = clock();
    let refusal = scene.holds(scene.refusal()).await;
    for server in [scene.server.id, ServerId::new()] {
        let rule = Rule {
            server,
            ..scene.permission()
        };
        let record = server_record(server);
        scene.store.put_server(&record).await.unwrap();
        scene.holds(rule).await;
    }
    assert_eq!(scene.gate.rules().take_back_since(since).await.unwrap(), 2);
    assert_eq!(scene.gate.rules().all(), [early, refusal]);
    let written = scene.ledger().await;
    assert_eq!(written.len(), 2, "for each server");
    assert!(
        written
            .iter()
            .all(|one| one.kind == LedgerKind::Revoke && one.action == "everything.stop")
    );
    assert_eq!(scene.gate.rules().take_back_since(since).await.unwrap(), 0);
}

/// A permission that was given before then, and widened since, was given since in its wider form.
#[tokio::test(start_paused = true)]
async fn stopping_everything_takes_back_a_permission_that_was_widened_since_then() {
    let scene = scene().await;
    let in_folder = |scene: &Scene| Rule {
        when: vec![below("/home/ada")],
        ..scene.permission()
    };
    let (widened, narrowed) = (in_folder(&scene), in_folder(&scene));
    scene.holds(widened.clone()).await;
    scene.holds(narrowed.clone()).await;
    pass(Duration::from_secs(60));
    let since = clock();
    let wider = Rule {
        when: vec![],
        ..widened
    };
    assert!(scene.change(&wider, scene.person(yes(Scope::Always))).await);
    let narrower = Rule {
        when: vec![below("/home/ada/notes"), below("/home/ada")],
        ..narrowed
    };
    assert!(scene.change(&narrower, nobody).await);
    let ids = [narrower.id, wider.id];
    let held: Vec<RuleId> = scene.gate.rules().all().iter().map(|rule| rule.id).collect();
    assert_eq!(held, ids, "oldest first, as on disk");
    assert_eq!(scene.kept_ids().await, ids);
    assert_eq!(scene.gate.rules().take_back_since(since).await.unwrap(), 1);
    assert_eq!(scene.gate.rules().all(), [narrower]);
}
