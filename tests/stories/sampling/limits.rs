//! What ends a server's use of a model: rounds, budgets, the server itself, and a flood.

use super::*;
use crate::cost_budgets::dollars;

/// Shows SA-024: a conversation that went through ten rounds of tools ends, without a card and without a model.
#[tokio::test]
async fn a_loop_of_tools_ends_by_itself() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    let conversation = |rounds: usize| {
        let round = |number| {
            let uses = json!([{ "type": "tool_use", "id": number, "name": "wx", "input": {} }]);
            let result = json!([{ "type": "tool_result", "toolUseId": number, "content": [] }]);
            [
                json!({ "role": "assistant", "content": uses }),
                json!({ "role": "user", "content": result }),
            ]
        };
        let turns = (0..rounds).flat_map(|number| round(number.to_string()));
        let messages: Vec<Value> = std::iter::once(text("user", "Weather?")).chain(turns).collect();
        json!({ "maxTokens": 9, "messages": messages })
    };
    wish(&mut puppet, "s1", conversation(10)).await;
    let error = puppet.hear_answer(&json!("s1")).await["error"].clone();
    assert_eq!(error["code"], -1);
    assert!(error["message"].as_str().unwrap().contains("rounds"), "{error}");
    assert_eq!(scene.person.shown().len(), 1, "only the start was asked");

    wish(&mut puppet, "s2", conversation(9)).await;
    let card = scene.person.asked().await;
    assert_eq!((prompt(&card).round, prompt(&card).most_rounds), (9, 10));
    model.will(Turn::words("Rain."));
    scene.person.say(&card, yes(Scope::Once)).await;
    assert_eq!(model.asked().await["messages"].as_array().unwrap().len(), 19);
    scene.close().await;
}

/// Shows SA-023: what a budget does not reach for is lowered, and refused without a card once nothing is left.
#[tokio::test]
async fn a_budget_ends_what_a_server_may_spend() {
    let (scene, server, mut puppet, _stage, model) = scene().await;
    let budget = Budget {
        tokens_hour: 60,
        tokens_day: 1000,
        cost_hour: None,
        cost_day: None,
        currency: Currency::DOLLAR,
    };
    scene.host.sampling_budget_save(server, budget).await.unwrap();
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    let shown = prompt(&card).clone();
    assert!(
        shown.max_tokens < shown.asked_tokens && shown.max_tokens > 0,
        "{shown:?}"
    );
    let more =
        json!({ "system": null, "model": shown.picked, "max_tokens": 100, "messages": shown.messages });
    let refused = vestibule_tests::give(&scene.host, &card, changed(more)).await;
    assert!(refused.is_err(), "the ceiling cannot be raised on the card");
    model.will(Turn::words(&"word ".repeat(60)));
    scene.person.say(&card, yes(Scope::Once)).await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    puppet.hear_answer(&json!("s1")).await;
    let spent = scene.host.sampling_budget(server).await.unwrap();
    assert!(spent.spent_hour > 60, "{spent:?}");

    let cards = scene.person.shown().len();
    wish(&mut puppet, "s2", plain()).await;
    let error = puppet.hear_answer(&json!("s2")).await["error"].clone();
    assert_eq!(error["code"], -1);
    assert!(error["message"].as_str().unwrap().contains("budget"), "{error}");
    assert_eq!(scene.person.shown().len(), cards, "nobody was asked");
    scene.logged(server, &["sampling refused: the budget"]).await;
    scene.close().await;
}

/// What the user's own prices are for chats, those of a server or the catalogue are for sampling as well; what a reply
/// costs counts for the month, and a month that is used up ends it.
#[tokio::test]
async fn a_reply_to_a_server_counts_for_the_month() {
    let (scene, _, mut puppet, _stage, model) = scene().await;
    let mut record = scene.store.models().await.unwrap().pop().unwrap();
    record.reported = Some(json!({ "price_in": 1_000_000, "price_out": 2_000_000 }));
    scene.store.put_model(&record).await.unwrap();
    let budget = CostBudget {
        currency: Currency::DOLLAR,
        limit: 100,
        stop: true,
    };
    scene.host.month_budget_save(Some(budget)).await.unwrap();
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    let shown = &prompt(&card).models;
    let shown = shown.iter().find(|shown| shown.id == record.id).unwrap();
    assert_eq!(
        (shown.price_in, shown.price_out, shown.currency),
        (Some(1_000_000), Some(2_000_000), Currency::DOLLAR)
    );
    model.will(Turn::counted("Oslo.", 60, 0, 20));
    scene.person.say(&card, yes(Scope::Once)).await;
    let card = scene.person.asked().await;
    assert_eq!(reply(&card).cost, Some(100));
    scene.person.say(&card, yes(Scope::Once)).await;
    puppet.hear_answer(&json!("s1")).await;
    scene
        .window
        .until("the cost of the month", |seen| seen.costs.month == [dollars(100)])
        .await;

    wish(&mut puppet, "s2", plain()).await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let error = puppet.hear_answer(&json!("s2")).await["error"].clone();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("budget"), "{error}");
    assert!(
        !message.contains(|letter: char| letter.is_ascii_digit()),
        "what the user spends is not the server's: {error}"
    );
    scene.close().await;
}

/// A reply that breaks off, and one that the server no longer wants, were paid for all the same.
#[tokio::test]
async fn a_reply_to_a_server_that_does_not_end_counts_for_the_month() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    let mut record = scene.store.models().await.unwrap().pop().unwrap();
    record.reported = Some(json!({ "price_in": 1_000_000, "price_out": 2_000_000 }));
    scene.store.put_model(&record).await.unwrap();
    let month = |seen: &vestibule_tests::Projection| seen.costs.month.first().map_or(0, |cost| cost.amount);

    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    model.will(Turn::cut("Os"));
    scene.person.say(&card, yes(Scope::Once)).await;
    assert!(puppet.hear_answer(&json!("s1")).await["error"].is_object());
    model.asked().await;
    let seen = scene
        .window
        .until("the cost of a reply that broke off", |seen| month(seen) > 0);
    let cut = month(&seen.await);

    wish(&mut puppet, "s2", plain()).await;
    let card = scene.person.asked().await;
    let (turn, _go_on) = Turn::halting("Os", "lo.");
    model.will(turn);
    scene.person.say(&card, yes(Scope::Once)).await;
    model.asked().await;
    puppet
        .notify("notifications/cancelled", json!({ "requestId": "s2" }))
        .await;
    scene
        .window
        .until("the cost of a reply that was withdrawn", |seen| month(seen) > cut)
        .await;
    scene.close().await;
}

/// The user enters prices in a currency of their own; those of a server and of the catalogue are in dollars.
#[tokio::test]
async fn the_cards_of_a_server_name_the_currency_of_what_a_reply_costs() {
    let (scene, _, mut puppet, _stage, model) = scene().await;
    let euro: Currency = "EUR".parse().unwrap();
    scene.host.currency_save(euro).await.unwrap();
    let mut record = scene.store.models().await.unwrap().pop().unwrap();
    (record.price_in, record.price_out) = (Some(1_000_000), Some(2_000_000));
    scene.store.put_model(&record).await.unwrap();
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    let shown = &prompt(&card).models;
    let shown = shown.iter().find(|shown| shown.id == record.id).unwrap();
    assert_eq!(shown.currency, euro);
    model.will(Turn::counted("Oslo.", 60, 0, 20));
    scene.person.say(&card, yes(Scope::Once)).await;
    let card = scene.person.asked().await;
    assert_eq!((reply(&card).cost, reply(&card).currency), (Some(100), euro));
    scene.person.say(&card, yes(Scope::Once)).await;
    puppet.hear_answer(&json!("s1")).await;
    scene.close().await;
}

/// Shows SA-023: what a server spends in one currency uses up no budget in another, and is counted apart.
#[tokio::test]
async fn the_budget_of_a_server_counts_one_currency() {
    let (scene, server, mut puppet, _stage, model) = scene().await;
    let (euro, dollar) = ("EUR".parse().unwrap(), Currency::DOLLAR);
    scene.host.currency_save(euro).await.unwrap();
    let mut record = scene.store.models().await.unwrap().pop().unwrap();
    (record.price_in, record.price_out) = (Some(1_000_000), Some(2_000_000));
    scene.store.put_model(&record).await.unwrap();
    let limit = |currency| Budget {
        tokens_hour: 50_000,
        tokens_day: 200_000,
        cost_hour: Some(50),
        cost_day: Some(90),
        currency,
    };
    scene
        .host
        .sampling_budget_save(server, limit(dollar))
        .await
        .unwrap();
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    let shown = prompt(&card);
    assert_eq!(shown.max_tokens, shown.asked_tokens, "dollars do not limit euros");
    assert_eq!((shown.budget.cost_day, shown.budget.currency), (Some(90), dollar));
    model.will(Turn::counted("Oslo.", 60, 0, 20));
    scene.person.say(&card, yes(Scope::Once)).await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    puppet.hear_answer(&json!("s1")).await;
    let spent = scene.host.sampling_budget(server).await.unwrap();
    let euros = Cost {
        currency: euro,
        amount: 100,
    };
    assert_eq!((spent.costs_hour, spent.costs_day), (vec![euros], vec![euros]));

    let change = scene
        .host
        .sampling_budget_save(server, limit(euro))
        .await
        .unwrap();
    scene.agreed(change).await;
    wish(&mut puppet, "s2", plain()).await;
    let error = puppet.hear_answer(&json!("s2")).await["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("budget"), "{error}");
    scene.close().await;
}

/// Shows CX-004: a server that takes its wish back takes the card with it, or the model's work.
#[tokio::test]
async fn a_wish_that_is_taken_back_leaves_nothing() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    let withdraw = json!({ "requestId": "s1" });
    wish(&mut puppet, "s1", plain()).await;
    scene.person.asked().await;
    puppet.notify("notifications/cancelled", withdraw).await;
    scene
        .window
        .until("no card", |seen| seen.waiting.is_empty())
        .await;

    wish(&mut puppet, "s2", plain()).await;
    let card = scene.person.asked().await;
    let (turn, _go_on) = Turn::halting("Os", "lo.");
    model.will(turn);
    scene.person.say(&card, yes(Scope::Once)).await;
    model.asked().await;
    puppet
        .notify("notifications/cancelled", json!({ "requestId": "s2" }))
        .await;
    let store = scene.store.clone();
    soon("the end of the model's work in the ledger", async {
        while ended(&records(&store).await)
            .iter()
            .all(|(action, _, end)| action != "sampling.run" || end.is_none())
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(scene.person.shown().len(), 3, "no reply was ever shown");
    scene.close().await;
}

/// SA-023: several wishes at once are one card at a time, also where it stands for many.
#[tokio::test]
async fn a_flood_of_wishes_is_one_card() {
    let (scene, _, mut puppet, _stage, _model) = scene().await;
    for number in 0..6 {
        wish(&mut puppet, &format!("s{number}"), plain()).await;
    }
    let card = vestibule_tests::soon("one card for all six", async {
        let mut messages = Box::pin(scene.host.consent_window());
        loop {
            let message = futures::StreamExt::next(&mut messages).await.unwrap();
            let vestibule_host::view::InboxMessage::State(state) = message else {
                continue;
            };
            let six =
                |card: &&Question| matches!(&card.about, QuestionBody::Flood(flood) if flood.waiting == 6);
            if let Some(card) = state.questions.iter().find(six) {
                assert_eq!(state.questions.len(), 1);
                return card.clone();
            }
        }
    })
    .await;
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    for number in 0..6 {
        let answer = puppet.hear_answer(&json!(format!("s{number}"))).await;
        assert_eq!(answer["error"]["code"], -1);
    }
    scene.close().await;
}
