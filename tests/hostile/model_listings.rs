//! A model's server lists and describes models as it likes: without end, in hidden characters, in numbers that cannot be.
//! What is kept is bounded, and shown as what the server says.

use serde_json::{Value, json};
use vestibule_host::view::{FactSource, InputProblem, ModelListingView, ModelProblem, Problem};
use vestibule_tests::{Model, Scene};

async fn listed(listing: String) -> Result<ModelListingView, Problem> {
    let scene = Scene::new().await;
    let model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    let connection = scene.connection_of(id).await;
    model.lists(listing).await;
    let listed = scene.host.connection_models(connection).await;
    scene.close().await;
    listed
}

#[tokio::test]
async fn a_list_of_very_many_models_is_cut_and_says_so() {
    let names: Vec<String> = (0..200_000)
        .map(|number| format!(r#"{{"id":"m{number}"}}"#))
        .collect();
    let listing = listed(format!(r#"{{"data":[{}]}}"#, names.join(",")))
        .await
        .unwrap();
    assert_eq!((listing.models.len(), listing.cut), (1000, true));
    assert_eq!(listing.models[999].name, "m999");
}

#[tokio::test]
async fn a_listing_of_64_mb_is_not_read_to_its_end() {
    let listing = format!(r#"{{"data":[{{"id":"m","about":"{}"}}]}}"#, "x".repeat(64 << 20));
    let refused = listed(listing).await.unwrap_err();
    assert!(
        matches!(
            refused,
            Problem::Model(ModelProblem::ModelTooLarge { megabytes: 8 })
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn names_and_facts_are_bounded_and_told_as_the_servers() {
    let long = "n".repeat(201);
    let listing = json!({ "data": [
        { "id": "gpt\u{202E}5" }, { "id": "gpt\u{202E}5" }, { "id": long }, { "id": "" }, { "id": 7 }, "plain", null, [[]],
        { "id": "liar", "context_length": 1e18, "capabilities": { "vision": "yes" },
          "pricing": { "prompt": "-1", "completion": "1e308" } },
        { "id": "large", "context_length": 8192, "about": "x".repeat(70_000) },
        { "id": "modest", "context_length": 8192 },
    ] });
    let models = listed(listing.to_string()).await.unwrap().models;
    let names: Vec<&str> = models.iter().map(|model| &*model.name).collect();
    // A name is sent as it is, so it is kept as it is; the window shows what is hidden in it.
    assert_eq!(names, ["gpt\u{202E}5", "plain", "liar", "modest"]);
    let liar = serde_json::to_value(&models[2].facts).unwrap();
    assert_eq!(liar, json!({}), "nothing of it can be true");
    let context = models[3].facts.context.unwrap();
    assert_eq!((context.value, context.source), (8192, FactSource::Server));
}

#[tokio::test]
async fn what_is_no_list_is_a_sentence_that_says_so() {
    for listing in [
        json!({ "models": "many" }),
        json!({ "error": { "message": "no" } }),
        json!("a"),
        Value::Null,
    ] {
        let refused = listed(listing.to_string()).await.unwrap_err();
        assert!(
            matches!(&refused, Problem::Model(ModelProblem::ModelMalformed { detail }) if detail.contains("list of models")),
            "{refused:?}"
        );
    }
    let deep = listed("[".repeat(100_000)).await.unwrap_err();
    assert!(
        matches!(deep, Problem::Model(ModelProblem::ModelMalformed { .. })),
        "{deep:?}"
    );
}

#[tokio::test]
async fn more_names_than_anyone_ticks_are_not_added() {
    let scene = Scene::new().await;
    let id = scene.add_model("http://127.0.0.1:4009/v1", None).await;
    let connection = scene.connection_of(id).await;
    let many = (0..1000).map(|number| format!("m{number}")).collect();
    for names in [many, vec!["n".repeat(201)], vec![" ".to_owned()]] {
        let refused = scene.host.models_add(connection, names).await;
        assert!(
            matches!(
                refused,
                Err(Problem::Input(InputProblem::ModelNameInvalid { .. }))
            ),
            "{refused:?}"
        );
    }
    assert_eq!(
        scene.store.models().await.unwrap().len(),
        2,
        "the rehearsal and the first"
    );
    scene.close().await;
}
