//! Rules that come from a file.

use super::*;

/// Shows HO-006.
#[tokio::test]
async fn permissions_of_a_file_are_asked_and_refusals_hold_at_once() {
    let (scene, server, _puppet, _stage, _, _) = mail().await;
    let mut file: Value = serde_json::from_str(&scene.host.rules_export()).unwrap();
    let held = file["rules"].as_array_mut().unwrap();
    held.retain(|rule| rule["action"]["tool"] == json!("send"));
    let mut refusal = held[0].clone();
    refusal["decision"] = json!("deny");
    refusal["action"]["tool"] = json!("burn");
    refusal["bound_to"] = Value::Null;
    held.push(refusal);
    scene.host.rule_take_back(rule_of(&scene).await.id).await.unwrap();
    let taken = scene.host.rules_import(&file.to_string()).await.unwrap();
    assert_eq!((taken.refusals, taken.permissions, taken.left_out), (1, 1, 0));
    let question = scene.person.asked().await;
    let QuestionBody::KeepRules(set) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!((question.server.id, set.rules.len()), (server, 1));
    let tools = |rules: Vec<vestibule_host::view::RuleView>| -> Vec<String> {
        let mut names: Vec<String> = rules.iter().map(|rule| rule.action.object().to_owned()).collect();
        names.retain(|name| !name.is_empty());
        names.sort();
        names
    };
    assert_eq!(tools(scene.host.rules().await.unwrap()), ["burn"]);
    scene.person.say(&question, yes(Scope::Always)).await;
    eventually("the rules of the file", async || {
        tools(scene.host.rules().await.unwrap()) == ["burn", "send"]
    })
    .await;
    let foreign = scene.host.rules_import("{}").await;
    assert!(
        matches!(foreign, Err(Problem::Input(InputProblem::RulesUnreadable { .. }))),
        "{foreign:?}"
    );
    scene.close().await;
}

/// L-1: a permission of a file for another definition than the accepted one is left out, and the card shows the definition
/// that the others are bound to and an end.
#[tokio::test]
async fn a_permission_of_a_file_is_for_the_definition_that_is_accepted() {
    let (scene, _server, _puppet, _stage, _, _) = mail().await;
    let mut file: Value = serde_json::from_str(&scene.host.rules_export()).unwrap();
    let held = file["rules"].as_array_mut().unwrap();
    held.retain(|rule| rule["action"]["tool"] == json!("send"));
    held[0]["expires"] = Value::Null;
    let mut foreign = held[0].clone();
    foreign["bound_to"] = json!(vestibule_policy::Digest::of_tool(&json!({ "name": "send" })));
    held.push(foreign);
    scene.host.rule_take_back(rule_of(&scene).await.id).await.unwrap();
    let taken = scene.host.rules_import(&file.to_string()).await.unwrap();
    assert_eq!((taken.permissions, taken.outdated), (1, 1));
    let question = scene.person.asked().await;
    let QuestionBody::KeepRules(set) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!(set.rules.len(), 1);
    assert!(
        set.rules[0].expires_ms.is_some(),
        "no permission of a file is without an end"
    );
    let binding = set.rules[0].binding.as_ref().unwrap();
    assert!(
        matches!(binding, vestibule_consent::RuleBinding::Definition { definition } if definition["name"] == "send"),
        "{binding:?}"
    );
    scene.close().await;
}
