//! Permissions edited in the file: widened, inserted, moved to another server, or put back.

use std::path::PathBuf;

use vestibule_consent::RuleBinding;

use super::*;

/// Attack L2: a permission for one folder becomes one for everything.
#[tokio::test]
async fn a_permission_that_was_widened_in_the_file_allows_nothing_and_is_shown() {
    let mut house = House::new().await;
    house
        .scene
        .host
        .tool_rule(house.server, "read", ToolRule::Ask)
        .await
        .unwrap();
    let (chat, model) = house.scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({ "page": 1 })));
    model.will(Turn::words("I see."));
    house.scene.say(chat, "Go.").await;
    let question = house.scene.person.asked().await;
    let first_page = Condition {
        at: "/page".into(),
        is: Test::Equals(json!(1)),
    };
    let narrow = Answer::Accept {
        scope: Scope::Always,
        arguments: None,
        when: vec![first_page],
    };
    house.scene.person.say(&question, narrow).await;
    let call = house.puppet().hear("tools/call").await;
    house.puppet().answer(&call, text_result("done")).await;
    house.scene.finished(chat).await;
    assert!(!house.is_asked("read", json!({ "page": 1 })).await);
    assert!(house.is_asked("read", json!({ "page": 2 })).await);

    let widen = "UPDATE rules SET body = json_remove(body, '$.when') WHERE body ->> '$.decision' = 'allow'";
    let mut house = house.attacked(run(widen)).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Changed)]);
    let found = house.found().remove(0);
    assert_eq!(found.rule.unwrap().when, []);
    assert_eq!(found.kept.unwrap().when.len(), 1);
    assert!(house.is_asked("read", json!({ "page": 2 })).await);
    assert!(
        house.is_asked("read", json!({ "page": 1 })).await,
        "nothing of it is believed"
    );
    assert_eq!(house.noted().await, 1);

    let RowsCheck::Checked(faulty) = check(&house).await else {
        panic!("no check")
    };
    assert_eq!(faulty.len(), 1);
    let house = house.attacked(|_| {}).await;
    assert_eq!(
        house.faults(),
        [(RowTable::Rule, RowFault::Changed)],
        "it is shown until it is decided"
    );
    assert_eq!(house.noted().await, 1, "it is written once");
    house.close().await;
}

/// What was signed is asked about again, and holds again after a yes.
#[tokio::test]
async fn a_reviewed_permission_holds_as_it_was_signed() {
    let widen = "UPDATE rules SET body = json_set(body, '$.action.object', 'send') WHERE body ->> '$.decision' = 'allow'";
    let house = House::new().await;
    // The order of the rules in the file is not part of the promise.
    let rules = house.scene.store.rules().await.unwrap();
    let allowed = rules.into_iter().find(|rule| rule.body["decision"] == "allow");
    let body = allowed.expect("a permission").body;
    assert!(body["action"].to_string().contains("read"), "{body}");
    let widen = widen.replace("$.action.object", &pointer_of(&body["action"], "read"));
    let mut house = house.attacked(run(&widen)).await;
    assert!(house.is_asked("send", json!({})).await);
    let row = house.found().remove(0).row;
    house.scene.host.row_keep(row).await.unwrap();
    let question = house.scene.person.asked().await;
    let QuestionBody::KeepRules(set) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!(set.rules[0].action.object(), "read");
    let binding = &set.rules[0].binding;
    assert!(
        matches!(binding, Some(RuleBinding::Definition { .. })),
        "{binding:?}"
    );
    house.scene.person.say(&question, yes(Scope::Always)).await;
    house.until_rule("read", ToolRule::Allow).await;
    let mut house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert!(!house.is_asked("read", json!({})).await);
    assert!(house.is_asked("send", json!({})).await);
    house.close().await;
}

/// The path of the member of `action` that holds this text, for SQLite.
fn pointer_of(action: &Value, text: &str) -> String {
    let members = action.as_object().unwrap();
    let (name, _) = members.iter().find(|(_, value)| *value == text).unwrap();
    format!("$.action.{name}")
}

#[tokio::test]
async fn a_permission_that_was_inserted_allows_nothing_until_it_is_removed() {
    let house = House::new().await;
    let insert = "INSERT INTO rules (id, server, chat, body, created, last_used, expires)
        SELECT '00000000-0000-4000-8000-000000000001', server, chat,
               json_set(replace(body, '\"read\"', '\"send\"'), '$.id', '00000000-0000-4000-8000-000000000001'),
               created, last_used, expires
        FROM rules WHERE body ->> '$.decision' = 'allow'";
    let bound = "UPDATE rules SET body = json_set(body, '$.bound_to',
        (SELECT digest FROM approved_tools WHERE name = 'send')) WHERE id LIKE '00000000%'";
    let mut house = house.attacked(run(&format!("{insert}; {bound};"))).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Unsigned)]);
    assert!(house.is_asked("send", json!({})).await);
    assert!(!house.is_asked("read", json!({})).await, "the others hold");
    let row = house.found().remove(0).row;
    house.scene.host.row_remove(row).await.unwrap();
    assert_eq!(house.found(), []);
    let mut house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert!(house.is_asked("send", json!({})).await);
    house.close().await;
}

#[tokio::test]
async fn a_permission_moved_to_another_server_allows_nothing() {
    let house = House::new().await;
    let (other, _puppet, other_stage) = house.scene.puppet("other", &tools()).await;
    let from = house.server;
    let movement = format!(
        "UPDATE rules SET server = '{other}', body = replace(body, '{from}', '{other}') WHERE body ->> '$.decision' = 'allow'"
    );
    let mut house = house.attacked(run(&movement)).await;
    assert_eq!(house.faults(), [(RowTable::Rule, RowFault::Changed)]);
    let _other = begin(&house.scene, other, &other_stage, &tools()).await;
    let allowed = house
        .scene
        .host
        .server_tools(other)
        .into_iter()
        .find(|tool| tool.rule == ToolRule::Allow);
    assert!(allowed.is_none(), "{allowed:?}");
    assert!(house.is_asked("read", json!({})).await);
    house.close().await;
}

/// Rules, signatures and their head, all as they were before the user took a permission back.
#[tokio::test]
async fn a_permission_put_back_after_it_was_taken_back_allows_nothing() {
    let house = House::new().await;
    let mut copy = PathBuf::new();
    let house = house
        .reopened(async |opening| {
            copy = opening.folder().join("copy.db");
            std::fs::copy(opening.database(), &copy).unwrap();
        })
        .await;
    let rules = house.scene.host.rules().await.unwrap();
    let rule = rules.into_iter().find(|rule| rule.action.object() == "read");
    house.scene.host.rule_take_back(rule.unwrap().id).await.unwrap();
    let put_back = format!(
        "ATTACH '{}' AS old;
         DELETE FROM main.rules; INSERT INTO main.rules SELECT * FROM old.rules;
         DELETE FROM main.row_macs; INSERT INTO main.row_macs SELECT * FROM old.row_macs;
         DELETE FROM main.row_macs_head; INSERT INTO main.row_macs_head SELECT * FROM old.row_macs_head;
         DETACH old;",
        copy.display()
    );
    let mut house = house.attacked(run(&put_back)).await;
    let stale = (RowTable::Rule, RowFault::Stale);
    assert_eq!(house.faults(), [stale, stale]);
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    house.close().await;
}
