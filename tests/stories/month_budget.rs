//! A budget for what the user's models cost in a month: it warns, or no model that costs something is asked any more.

use vestibule_host::view::{EntryBody, EntryView, ModelProblem, MonthBudget, Problem, TextState};
use vestibule_tests::{Scene, Turn};

use super::model_rounds::priced;

/// A round of the priced model that costs 3,500 millionths.
fn round() -> Turn {
    Turn::counted("So.", 1000, 0, 100)
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
    let budget = |limit| Some(MonthBudget { limit, stop: true });
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
    assert_eq!(scene.window.now().month_cost, 7_000);
    // Neither a deleted chat nor a restart gives anything back.
    scene.host.chat_delete(first).await.unwrap();
    let scene = scene.reopen().await;
    assert_eq!(scene.window.now().month_cost, 7_000);
    scene.host.chat_model(second, id).await.unwrap();
    scene.say(second, "And here?").await;
    let entries = scene.finished(second).await;
    let used_up = Problem::Model(ModelProblem::BudgetUsedUp {
        spent: 7_000,
        limit: 5_000,
    });
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
    let budget = MonthBudget {
        limit: 3_000,
        stop: false,
    };
    scene.host.month_budget_save(Some(budget)).await.unwrap();
    for cost in [3_500, 7_000] {
        model.will(round());
        scene.say(chat, "Go on.").await;
        assert!(is_answered(&scene.finished(chat).await));
        let seen = scene.window.now();
        assert_eq!((seen.month_cost, seen.settings.budget), (cost, Some(budget)));
    }
    scene.close().await;
}
