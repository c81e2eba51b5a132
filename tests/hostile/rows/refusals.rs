//! Deny rules deleted or edited in the file, with and without their signatures.

use super::*;

#[tokio::test]
async fn a_refusal_that_was_deleted_still_refuses() {
    let delete = "DELETE FROM rules WHERE body ->> '$.decision' = 'deny'";
    let mut house = House::new().await.attacked(run(delete)).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Missing)]);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    let (chat, model) = house.scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__burn", json!({})));
    model.will(Turn::words("Then not."));
    house.scene.say(chat, "Go.").await;
    let call = Scene::calls(&house.scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Failed { .. }), "{call:?}");
    assert!(!house.is_asked("read", json!({})).await, "the others hold");

    let row = house.found().remove(0).row;
    assert!(
        house.scene.host.row_remove(row.clone()).await.is_err(),
        "a refusal is not lifted here"
    );
    house.scene.host.row_keep(row).await.unwrap();
    house
        .scene
        .window
        .until("no findings", |seen| seen.rows.findings.is_empty())
        .await;
    let house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    house.close().await;
}

/// A refusal turned into a permission is neither.
#[tokio::test]
async fn a_refusal_that_was_edited_still_refuses() {
    let edit = "UPDATE rules SET body = json_set(body, '$.decision', 'allow', '$.bound_to',
        (SELECT digest FROM approved_tools WHERE name = 'burn')) WHERE body ->> '$.decision' = 'deny'";
    let house = House::new().await.attacked(run(edit)).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Changed)]);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    house.close().await;
}

/// Deleting the signature with the row does not hide it: the whole list is signed.
#[tokio::test]
async fn a_refusal_deleted_with_its_signature_leaves_no_permission_in_force() {
    let delete = "DELETE FROM row_macs WHERE kind = 'rule'
            AND id = (SELECT id FROM rules WHERE body ->> '$.decision' = 'deny');
        DELETE FROM rules WHERE body ->> '$.decision' = 'deny';";
    let mut house = House::new().await.attacked(run(delete)).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Stale)]);
    assert!(house.is_asked("read", json!({})).await);
    assert!(house.is_asked("burn", json!({})).await, "asked, not called");
    assert!(house.scene.host.rows().list_changed);
    // The finding stays, also after other rows were signed.
    house
        .scene
        .host
        .tool_rule(house.server, "send", ToolRule::Never)
        .await
        .unwrap();
    let mut house = house.attacked(|_| {}).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Stale)]);
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("send"), ToolRule::Never);
    house.close().await;
}
