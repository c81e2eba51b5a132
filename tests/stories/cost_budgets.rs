//! Budgets for what the user's models cost in a chat, a day and a month: they warn, or no model that costs something is
//! asked any more.

use vestibule_consent::{Answer, QuestionBody, Widening};
use vestibule_host::view::{
    BudgetScope, Cost, CostBudget, Currency, EntryBody, EntryView, ModelProblem, Problem, TextState,
    UsageView, UsedBudget,
};
use vestibule_tests::{Scene, Turn};

use super::model_rounds::priced;

/// A round of the priced model that costs 3,500 millionths.
pub(crate) fn round() -> Turn {
    Turn::counted("So.", 1000, 0, 100)
}

/// An amount in the currency that prices are in unless the user says otherwise, in millionths.
pub(crate) fn dollars(amount: u64) -> Cost {
    let currency = Currency::DOLLAR;
    Cost { currency, amount }
}

pub(crate) fn stops_at(limit: u64) -> CostBudget {
    CostBudget {
        limit,
        currency: Currency::DOLLAR,
        stop: true,
    }
}

fn used_up(scope: BudgetScope, spent: u64, limit: u64) -> Problem {
    Problem::Model(ModelProblem::BudgetUsedUp {
        scope,
        currency: Currency::DOLLAR,
        spent,
        limit,
    })
}

fn failure(entries: &[EntryView]) -> Option<&Problem> {
    match &entries.last()?.body {
        EntryBody::Failure {
            problem,
            retryable: true,
        } => Some(problem),
        _ => None,
    }
}

fn is_answered(entries: &[EntryView]) -> bool {
    matches!(
        &entries.last().unwrap().body,
        EntryBody::Assistant { text, state: TextState::Done, .. } if !text.is_empty()
    )
}

#[tokio::test]
async fn a_month_that_is_used_up_sends_nothing_more_until_it_is_raised() {
    let scene = Scene::new().await;
    let (first, second) = (scene.chat().await, scene.chat().await);
    let mut model = priced(&scene, first).await;
    let id = scene.store.models().await.unwrap().pop().map(|record| record.id);
    let budget = |limit| Some(stops_at(limit));
    scene.host.month_budget_save(budget(5_000)).await.unwrap();
    for _ in 0..2 {
        model.will(round());
        scene.say(first, "Go on.").await;
        assert!(
            is_answered(&scene.finished(first).await),
            "more than nothing is left"
        );
        model.asked().await;
    }
    assert_eq!(scene.window.now().costs.month, [dollars(7_000)]);
    // Neither a deleted chat nor a restart gives anything back.
    scene.host.chat_delete(first).await.unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.window.now().costs.month, [dollars(7_000)]);
    scene.host.chat_model(second, id).await.unwrap();
    scene.say(second, "And here?").await;
    let entries = scene.finished(second).await;
    let used_up = used_up(BudgetScope::Month, 7_000, 5_000);
    assert_eq!(failure(&entries), Some(&used_up), "{entries:?}");
    assert!(model.is_unasked(), "nothing was sent");
    // What costs nothing goes on.
    let free = scene.chat().await;
    scene.say(free, "Hello.").await;
    assert!(is_answered(&scene.finished(free).await));

    let raised = scene.host.month_budget_save(budget(10_000)).await.unwrap();
    scene.agreed(raised).await;
    model.will(round());
    scene.host.chat_retry(second).await.unwrap();
    scene.window.catch_up(&scene.host).await;
    assert!(is_answered(&scene.finished(second).await));
    scene.close().await;
}

#[tokio::test]
async fn a_budget_that_warns_stops_nothing() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let model = priced(&scene, chat).await;
    let budget = CostBudget {
        stop: false,
        ..stops_at(3_000)
    };
    scene.host.month_budget_save(Some(budget)).await.unwrap();
    for cost in [3_500, 7_000] {
        model.will(round());
        scene.say(chat, "Go on.").await;
        assert!(is_answered(&scene.finished(chat).await));
        let seen = scene.window.now();
        assert_eq!(seen.costs.month, [dollars(cost)]);
        assert_eq!(seen.settings.budget, Some(budget));
    }
    scene.close().await;
}

#[tokio::test]
async fn a_chat_over_its_budget_sends_nothing_and_goes_on_once_where_the_user_agrees() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = priced(&scene, chat).await;
    scene
        .host
        .chat_budget_save(chat, Some(stops_at(3_000)))
        .await
        .unwrap();
    model.will(round());
    scene.say(chat, "Go on.").await;
    assert!(is_answered(&scene.finished(chat).await));
    model.asked().await;
    scene.say(chat, "And then?").await;
    let refused = used_up(BudgetScope::Chat, 3_500, 3_000);
    assert_eq!(failure(&scene.finished(chat).await), Some(&refused));
    let denied = scene.host.chat_go_on_once(chat).await.unwrap();
    scene.answered(denied, Answer::Refuse { reason: None }).await;
    assert!(model.is_unasked(), "nothing was sent");

    model.will(round());
    let once = scene.host.chat_go_on_once(chat).await.unwrap();
    let card = scene.agreed(once).await;
    let used = UsedBudget {
        scope: BudgetScope::Chat,
        budget: stops_at(3_000),
        spent: 3_500,
    };
    assert!(
        matches!(&card.about, QuestionBody::Widen(Widening::GoOnOnce { used: shown, .. }) if *shown == [used]),
        "{card:?}"
    );
    scene.window.catch_up(&scene.host).await;
    assert!(is_answered(&scene.finished(chat).await));
    model.asked().await;
    scene.say(chat, "And now?").await;
    let refused = used_up(BudgetScope::Chat, 7_000, 3_000);
    assert_eq!(
        failure(&scene.finished(chat).await),
        Some(&refused),
        "once is once"
    );
    assert!(model.is_unasked());
    // Another chat has no budget.
    let other = scene.chat().await;
    let model = priced(&scene, other).await;
    model.will(round());
    scene.say(other, "Hello.").await;
    assert!(is_answered(&scene.finished(other).await));
    scene.close().await;
}

#[tokio::test]
async fn costs_in_another_currency_are_shown_apart_and_do_not_use_a_budget_up() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = priced(&scene, chat).await;
    scene.host.day_budget_save(Some(stops_at(3_000))).await.unwrap();
    let own: Currency = "EUR".parse().unwrap();
    let mut euros = dollars(3_500);
    euros.currency = own;
    for currency in [own, Currency::DOLLAR] {
        let change = scene.host.currency_save(currency).await.unwrap();
        scene.agreed(change).await;
        model.will(round());
        scene.say(chat, "Go on.").await;
        assert!(is_answered(&scene.finished(chat).await), "euros are not counted");
        model.asked().await;
    }
    let seen = scene.window.now();
    for costs in [
        &seen.costs.day,
        &seen.costs.month,
        &seen.chats[&chat].usage.as_ref().unwrap().costs,
    ] {
        assert_eq!(costs[..], [euros, dollars(3_500)]);
    }
    scene.say(chat, "Go on.").await;
    let refused = used_up(BudgetScope::Day, 3_500, 3_000);
    assert_eq!(failure(&scene.finished(chat).await), Some(&refused));
    assert!(model.is_unasked());
    scene.close().await;
}

/// What the last answer took, and whether that is an estimate.
fn taken(entries: &[EntryView]) -> UsageView {
    let answers = entries.iter().rev().filter_map(|entry| match &entry.body {
        EntryBody::Assistant { usage, .. } => Some(*usage),
        _ => None,
    });
    answers.flatten().next().expect("the answer took something")
}

#[tokio::test]
async fn an_answer_that_its_server_did_not_count_counts_in_a_budget_as_estimated() {
    for end in ["stopped", "cut", "whole"] {
        let scene = Scene::new().await;
        let chat = scene.chat().await;
        let mut model = priced(&scene, chat).await;
        scene.host.day_budget_save(Some(stops_at(1))).await.unwrap();
        let (halting, _go_on) = Turn::halting("Once upon", " a time.");
        model.will(match end {
            "stopped" => halting,
            "cut" => Turn::cut("Once upon"),
            _ => Turn::words("Once upon"),
        });
        scene.say(chat, "Tell me a story.").await;
        model.asked().await;
        if end == "stopped" {
            let is_begun = |seen: &vestibule_tests::Projection| {
                let last = seen.chat(chat).last();
                last.is_some_and(
                    |entry| matches!(&entry.body, EntryBody::Assistant { text, .. } if !text.is_empty()),
                )
            };
            scene.window.until("the first words", is_begun).await;
            scene.host.chat_stop(chat);
        }
        let taken = taken(&scene.finished(chat).await);
        assert!(
            taken.estimated && taken.input >= 4 && taken.output >= 2,
            "{end}: {taken:?}"
        );
        assert_eq!(
            scene.window.now().costs.day,
            [dollars(taken.cost.unwrap())],
            "{end}"
        );
        scene.say(chat, "Go on.").await;
        let entries = scene.finished(chat).await;
        assert!(
            matches!(
                failure(&entries),
                Some(Problem::Model(ModelProblem::BudgetUsedUp { .. }))
            ),
            "{end}: {entries:?}"
        );
        assert!(model.is_unasked(), "{end}: nothing was sent");
        scene.close().await;
    }
}

/// The model's server has read the request and may bill it.
#[tokio::test]
async fn a_request_that_is_stopped_before_its_answer_begins_counts_in_a_budget() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = priced(&scene, chat).await;
    scene.say(chat, "Tell me a story.").await;
    model.asked().await;
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    let costs = scene.window.now().costs.day;
    assert!(costs.iter().any(|cost| cost.amount > 0), "{costs:?}");
    scene.close().await;
}

#[tokio::test]
async fn a_request_that_the_server_of_a_model_refused_costs_nothing() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let mut model = priced(&scene, chat).await;
    model.will(Turn::refusal("400 Bad Request", "", "{}"));
    scene.say(chat, "Go on.").await;
    let entries = scene.finished(chat).await;
    assert!(failure(&entries).is_some(), "{entries:?}");
    model.asked().await;
    assert_eq!(scene.window.now().costs.day, []);
    scene.close().await;
}
