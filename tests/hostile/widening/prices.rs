//! Prices: a budget that stops counts by them, so they are not lowered, moved to another currency or done without unless
//! the user agrees.

use vestibule_host::view::{ModelDraft, ModelsAdded, PriceChange, PriceSummary};
use vestibule_tests::model_draft;

use super::*;

fn euro() -> Currency {
    "EUR".parse().unwrap()
}

fn priced(id: ModelId, read: Option<u32>, written: Option<u32>) -> ModelDraft {
    ModelDraft {
        price_in: read,
        price_out: written,
        ..model_draft(id, "Large")
    }
}

fn change(before: Option<PriceSummary>, after: Option<PriceSummary>) -> PriceChange {
    PriceChange {
        model: "Large".to_owned(),
        before,
        after,
    }
}

fn in_currency(currency: Currency, input: Option<u32>, output: Option<u32>) -> Option<PriceSummary> {
    Some(PriceSummary {
        input,
        output,
        cached: None,
        currency,
    })
}

/// A scene with a model that is not on this computer and has no known price.
async fn with_model() -> (Scene, ModelId) {
    let scene = Scene::new().await;
    let model = scene.add_model("https://models.example/v1", None).await;
    scene.person.judges_models();
    (scene, model)
}

async fn prices_of(scene: &Scene, model: ModelId) -> (Option<u32>, Option<u32>) {
    let models = scene.store.models().await.unwrap();
    let record = models.into_iter().find(|record| record.id == model).unwrap();
    (record.price_in, record.price_out)
}

#[tokio::test]
async fn a_model_counts_for_less_in_no_budget_by_the_main_window_alone() {
    let (scene, model) = with_model().await;
    let save = async |read, written| scene.host.model_save(priced(model, read, written)).await.unwrap();
    for (read, written) in [(Some(9), Some(20)), (Some(8), Some(20))] {
        let kept = save(read, written).await;
        assert_eq!(kept, ChangeOutcome::Done, "no budget stops anything");
    }
    scene.host.day_budget_save(cost_budget(5, false)).await.unwrap();
    assert_eq!(
        save(Some(7), Some(20)).await,
        ChangeOutcome::Done,
        "a warning stops nothing"
    );
    scene.host.day_budget_save(cost_budget(5, true)).await.unwrap();
    assert_eq!(
        save(Some(9), Some(30)).await,
        ChangeOutcome::Done,
        "more is counted"
    );
    let card = is_asked(
        &scene,
        "model.prices",
        async || save(Some(0), Some(30)).await,
        async || prices_of(&scene, model).await,
    )
    .await;
    let dollars = |read, written| in_currency(Currency::DOLLAR, Some(read), Some(written));
    let shown = Widening::LowerPrices {
        models: vec![change(dollars(9, 30), dollars(0, 30))],
    };
    assert_eq!(*widening(&card), shown);
    // Without a price nothing is counted.
    let (card, _) = scene.answered(save(None, None).await, no()).await;
    let shown = Widening::LowerPrices {
        models: vec![change(dollars(0, 30), None)],
    };
    assert_eq!(*widening(&card), shown);
    // The prices change while the card waits.
    let lower = save(Some(0), Some(1)).await;
    assert_eq!(save(Some(1), Some(40)).await, ChangeOutcome::Done);
    let (_, end) = scene.answered(lower, yes(Scope::Once)).await;
    assert_eq!(
        (end, prices_of(&scene, model).await),
        (ChangeEnd::Outdated, (Some(1), Some(40)))
    );
    scene.close().await;
}

#[tokio::test]
async fn prices_are_in_no_other_currency_by_the_main_window_alone() {
    let (scene, model) = with_model().await;
    let save = async |currency| scene.host.currency_save(currency).await.unwrap();
    let chat = scene.chat().await;
    scene
        .host
        .chat_budget_save(chat, cost_budget(5, true))
        .await
        .unwrap();
    assert_eq!(
        save(euro()).await,
        ChangeOutcome::Done,
        "no price is in the currency of the user"
    );
    assert_eq!(save(Currency::DOLLAR).await, ChangeOutcome::Done);
    scene.host.model_save(priced(model, Some(9), None)).await.unwrap();
    let card = is_asked(
        &scene,
        "model.prices",
        async || save(euro()).await,
        async || scene.host.settings().currency,
    )
    .await;
    let own = |currency| in_currency(currency, Some(9), None);
    let shown = Widening::LowerPrices {
        models: vec![change(own(Currency::DOLLAR), own(euro()))],
    };
    assert_eq!(*widening(&card), shown);
    // No other setting takes it along.
    scene.host.settings_save(SettingsChange::default()).await.unwrap();
    assert_eq!(scene.host.settings().currency, euro());
    scene.close().await;
}

#[tokio::test]
async fn no_model_that_nothing_is_counted_of_is_added_by_the_main_window_alone() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    let model = scene.add_model("https://models.example/v1", None).await;
    let connection = scene.connection_of(model).await;
    scene.person.judges_models();
    let add = async |name: &str| {
        let names = vec![name.to_owned()];
        let ModelsAdded { change, .. } = scene.host.models_add(connection, names).await.unwrap();
        change
    };
    assert_eq!(
        add("first").await,
        ChangeOutcome::Done,
        "no budget stops anything"
    );
    let limits = Budget {
        tokens_hour: 1,
        tokens_day: 1,
        cost_hour: None,
        cost_day: Some(5),
        currency: Currency::DOLLAR,
    };
    scene.host.sampling_budget_save(server, limits).await.unwrap();
    let card = is_asked(
        &scene,
        "model.prices",
        async || add("second").await,
        async || scene.store.models().await.unwrap().len(),
    )
    .await;
    let shown = Widening::LowerPrices {
        models: vec![PriceChange {
            model: "second".to_owned(),
            before: None,
            after: None,
        }],
    };
    assert_eq!(*widening(&card), shown);
    assert_eq!(
        add("second").await,
        ChangeOutcome::Done,
        "it was added before and agreed to"
    );
    // Saving the connection as it is adds models as well.
    let draft = ConnectionDraft {
        id: Some(connection),
        ..connection_draft("https://models.example/v1", None, &["second", "third"])
    };
    let saved = scene.host.connection_save(draft).await.unwrap();
    let (card, _) = scene.answered(saved.change, no()).await;
    let Widening::LowerPrices { models } = widening(&card) else {
        panic!("{card:?}")
    };
    assert_eq!(models.len(), 1, "the second is there already");
    assert_eq!(models[0].model, "third");
    assert!(
        scene
            .store
            .models()
            .await
            .unwrap()
            .iter()
            .all(|one| one.model != "third")
    );
    scene.close().await;
}

/// The prices on the card of a connection.
fn shown_prices(card: &Question) -> &[PriceChange] {
    match widening(card) {
        Widening::SaveConnection { prices, .. } => prices,
        other => panic!("another card: {other:?}"),
    }
}

fn unpriced(model: &str) -> PriceChange {
    PriceChange {
        model: model.to_owned(),
        before: None,
        after: None,
    }
}

#[tokio::test]
async fn the_card_of_a_connection_shows_what_less_is_counted_of() {
    let (scene, _) = with_model().await;
    let save = async |draft| scene.host.connection_save(draft).await.unwrap().change;
    let new = || connection_draft("https://other.example/v1", None, &["first"]);
    let (card, _) = scene.answered(save(new()).await, no()).await;
    assert_eq!(shown_prices(&card), [], "no budget stops anything");
    scene.host.day_budget_save(cost_budget(5, true)).await.unwrap();
    let (card, _) = scene.answered(save(new()).await, no()).await;
    assert_eq!(shown_prices(&card), [unpriced("first")]);
    let near = connection_draft("http://127.0.0.1:4009/v1", None, &["near"]);
    let card = scene.agreed(save(near).await).await;
    assert_eq!(shown_prices(&card), [], "what is on this computer is free");

    // It leaves this computer, and a model that was free costs what nothing counts.
    let connections = scene.store.connections().await.unwrap();
    let near = connections
        .into_iter()
        .find(|one| one.base_url.contains("127.0.0.1"))
        .unwrap();
    let moved = ConnectionDraft {
        id: Some(near.id),
        ..connection_draft("https://models.example/v2", None, &["third"])
    };
    let (card, _) = scene.answered(save(moved).await, no()).await;
    assert_eq!(shown_prices(&card), [unpriced("third"), unpriced("near")]);
    scene.close().await;
}

#[tokio::test]
async fn the_card_of_a_connection_that_moves_shows_the_prices_that_its_models_lose() {
    let (scene, model) = with_model().await;
    scene.host.day_budget_save(cost_budget(5, true)).await.unwrap();
    let id = scene.connection_of(model).await;
    let mut connections = scene.store.connections().await.unwrap();
    let mut connection = connections.pop().unwrap();
    // The catalogue has the prices of this vendor.
    connection.base_url = "https://api.anthropic.com/".to_owned();
    scene.store.put_connection(&connection).await.unwrap();
    let renamed = |model: &mut vestibule_store::ModelRecord| "claude-haiku-4-5".clone_into(&mut model.model);
    scene.store.change_model(model, renamed).await.unwrap();
    let moved = ConnectionDraft {
        id: Some(id),
        ..connection_draft("https://models.example/v1", None, &[])
    };
    let asked = scene.host.connection_save(moved).await.unwrap().change;
    let (card, _) = scene.answered(asked, no()).await;
    assert!(
        matches!(
            shown_prices(&card),
            [PriceChange {
                before: Some(PriceSummary { input: Some(1..), .. }),
                after: None,
                ..
            }]
        ),
        "{card:?}"
    );
    scene.close().await;
}
