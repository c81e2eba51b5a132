//! Messages that are well formed and wrong: answers to nothing, twice, late, of another shape; questions nobody agreed
//! to.

use serde_json::{Value, json};
use vestibule_host::view::{CallProblem, CallState, Problem};
use vestibule_tests::text_result;

use crate::Street;

#[tokio::test]
async fn answers_to_nothing_are_noted_and_the_right_one_counts() {
    let mut street = Street::new().await;
    let call = street.call().await;
    for id in [
        json!(999_999),
        json!("one"),
        json!(-1),
        json!(1.5),
        Value::Null,
        call["id"].to_string().into(),
    ] {
        let stranger = json!({ "jsonrpc": "2.0", "id": id, "result": text_result("not yours") });
        street.puppet.say(stranger).await;
    }
    street.puppet.answer(&call, text_result("the right one")).await;
    street.puppet.answer(&call, text_result("the same again")).await;
    let error = json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": 1, "message": "no, wait" } });
    street.puppet.say(error).await;
    let shown = street.told().await;
    let CallState::Answered { result, .. } = &shown.state else {
        panic!("{shown:?}")
    };
    assert!(format!("{result:?}").contains("the right one"), "{result:?}");
    street.logged("which waits for none").await;
    street.logged("which was never sent").await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

#[tokio::test]
async fn unknown_notifications_and_stray_progress_change_nothing() {
    let mut street = Street::new().await;
    let call = street.call().await;
    street
        .puppet
        .notify("notifications/weather", json!({ "sun": true }))
        .await;
    street
        .puppet
        .notify(
            "notifications/progress",
            json!({ "progressToken": 4711, "progress": 1 }),
        )
        .await;
    street
        .puppet
        .notify(
            "notifications/progress",
            json!({ "progressToken": {}, "progress": "much" }),
        )
        .await;
    street
        .puppet
        .notify("notifications/cancelled", json!({ "requestId": call["id"] }))
        .await;
    street
        .puppet
        .notify("notifications/message", json!({ "level": "loud" }))
        .await;
    street.puppet.answer(&call, text_result("ok")).await;
    let shown = street.told().await;
    assert!(matches!(shown.state, CallState::Answered { .. }), "{shown:?}");
    street
        .logged("an unknown notification \"notifications/weather\"")
        .await;
    street.others_are_unharmed().await;
    street.close().await;
}

/// A malformed result is reported as malformed, to the user and to the model.
#[tokio::test]
async fn a_result_of_another_shape_is_told_as_not_understood() {
    let mut street = Street::new().await;
    for result in [
        json!({ "content": "not a list" }),
        json!({ "content": [{ "type": "text" }] }),
        json!([]),
        json!("ok"),
        Value::Null,
    ] {
        let call = street.call().await;
        street.puppet.answer(&call, result.clone()).await;
        let shown = street.told().await;
        assert!(
            matches!(
                &shown.state,
                CallState::Failed {
                    problem: Problem::Call(CallProblem::MalformedReply { .. })
                }
            ) || matches!(&shown.state, CallState::Answered { result, .. } if result.content.iter().all(|part| {
                matches!(part, vestibule_host::view::ContentView::Other { .. })
            })),
            "{result}: {shown:?}"
        );
    }
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// What cannot be understood or was not offered is refused at once and asks the user nothing; folders are asked
/// for and none is shared.
#[tokio::test]
async fn what_can_not_be_meant_is_refused_without_a_question() {
    let mut street = Street::new().await;
    let shown = street.scene.person.shown().len();
    let nested = json!({ "type": "object", "properties": { "a": { "type": "object" } } });
    for (method, params, code) in [
        (
            "sampling/createMessage",
            json!({ "messages": [], "maxTokens": 1 }),
            -32602,
        ),
        (
            "elicitation/create",
            json!({ "message": "Password?", "requestedSchema": nested }),
            -32602,
        ),
        ("tools/call", json!({ "name": "read" }), -32601),
        ("no/such/method", json!({}), -32601),
    ] {
        let request = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        street.puppet.say(request).await;
        let answer = street.puppet.hear_answer(&json!(method)).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    street
        .puppet
        .say(json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" }))
        .await;
    assert_eq!(
        street.puppet.hear_answer(&json!("r")).await["result"],
        json!({ "roots": [] })
    );
    street
        .puppet
        .say(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
        .await;
    assert_eq!(street.puppet.hear_answer(&json!("p")).await["result"], json!({}));
    assert_eq!(street.scene.person.shown().len(), shown);
    street.others_are_unharmed().await;
    street.close().await;
}
