use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_protocol::mcp::ContentBlock;
use vestibule_session::{CallError, CallOptions};

use super::{opened, text};

/// What the server does about one call.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Answered,
    Refused,
    AnsweredTwice,
    Lost,
    Withdrawn,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Answered),
        Just(Fate::Refused),
        Just(Fate::AnsweredTwice),
        Just(Fate::Lost),
        Just(Fate::Withdrawn)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_call_gets_its_own_answer_in_any_order_and_with_any_loss(
        fates in proptest::collection::vec(fate(), 1..20).prop_shuffle(),
        order in any::<prop::sample::Index>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(check(fates, order));
    }
}

async fn check(fates: Vec<Fate>, order: prop::sample::Index) {
    let (handle, mut server, _events) = opened().await;
    let mut ids: Vec<Value> = vec![Value::Null; fates.len()];
    let mut calls = BTreeMap::new();
    for (number, _) in fates.iter().enumerate() {
        let handle = handle.clone();
        calls.insert(
            number,
            tokio::spawn(async move {
                let arguments = json!({"number": number}).as_object().unwrap().clone();
                handle.call_tool("t", arguments, CallOptions::default()).await
            }),
        );
    }
    for _ in &fates {
        let (id, params) = server.expect("tools/call").await;
        ids[usize::try_from(params["arguments"]["number"].as_u64().unwrap()).unwrap()] = id;
    }
    let start = order.index(fates.len());
    for number in (start..fates.len()).chain(0..start).rev() {
        let id = &ids[number];
        match fates[number] {
            Fate::Answered => server.answer(id, text(&number.to_string())).await,
            Fate::AnsweredTwice => {
                server.answer(id, text(&number.to_string())).await;
                server.answer(id, text("again")).await;
            }
            Fate::Refused => {
                let error = json!({"code": number, "message": "no"});
                server
                    .say(json!({"jsonrpc": "2.0", "id": id, "error": error}))
                    .await;
            }
            Fate::Lost => {}
            Fate::Withdrawn => {
                calls[&number].abort();
                let (_, params) = server.expect("notifications/cancelled").await;
                assert_eq!(&params["requestId"], id);
                server.answer(id, text("too late")).await;
            }
        }
    }
    for (number, call) in calls {
        let outcome = call.await;
        match (fates[number], outcome) {
            (Fate::Answered | Fate::AnsweredTwice, Ok(Ok(result))) => {
                assert!(
                    matches!(&result.content[..], [ContentBlock::Text { text, .. }] if *text == number.to_string())
                );
            }
            (Fate::Refused, Ok(Err(CallError::Rpc(error)))) => {
                assert_eq!(error.code, i64::try_from(number).unwrap())
            }
            (Fate::Lost, Ok(Err(CallError::TimedOut { .. }))) => {}
            (Fate::Withdrawn, Err(error)) => assert!(error.is_cancelled()),
            (fate, outcome) => panic!("{fate:?} gave {outcome:?}"),
        }
    }
}
