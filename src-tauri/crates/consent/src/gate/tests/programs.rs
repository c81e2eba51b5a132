//! Cards of programs: what a download covers, how long they take no click, and the programs of models.

use super::opening::{launch, shown};
use super::*;
use crate::ModelStartRequest;
use vestibule_policy::{BoundPackage, LaunchRecord};

/// A download is agreed to together with the start of what it brings.
#[tokio::test(start_paused = true)]
async fn an_agreed_download_covers_the_start_of_just_what_was_downloaded() {
    let scene = scene().await;
    let fetch = LaunchRecord {
        args: vec!["notes".into()],
        ..launch("npx")
    };
    let fetched = LaunchRecord {
        args: vec!["index.js".into()],
        package: Some(BoundPackage {
            name: "notes".into(),
            version: "1.0.0".into(),
            args: fetch.args.clone(),
            lock: "a".repeat(64),
            tree: "b".repeat(64),
        }),
        ..launch("node")
    };
    let elsewhere = LaunchRecord {
        folder: "/tmp".into(),
        ..fetched.clone()
    };
    let download = async |agreed: &LaunchRecord| {
        let request = scene.start(agreed, None);
        let permit = request.approve(&scene.gate, scene.person(yes(Scope::Once)));
        permit.await.unwrap().begin_fetch(fetch.clone()).0
    };
    let run = download(&fetch).await.start_of(&fetched).unwrap();
    let started = scene.start(&fetched, Some(&run)).approve(&scene.gate, nobody);
    assert_eq!(started.await.unwrap().effect().launch, fetched.digest());
    assert!(download(&fetch).await.start_of(&elsewhere).is_none());
    let other = download(&launch("npm")).await;
    assert!(
        other.start_of(&fetched).is_none(),
        "another download was agreed to"
    );
}

#[tokio::test(start_paused = true)]
async fn the_card_of_a_program_takes_no_click_for_longer_and_says_what_it_serves() {
    let scene = scene().await;
    let card = |id| {
        let questions = scene.inbox.questions();
        let question = questions.into_iter().find(|it| it.id == id).unwrap();
        scene.inbox.dismiss_server(question.server.id);
        let QuestionBody::StartServer(launch) = question.about else {
            panic!("another card")
        };
        assert_eq!(u128::from(question.guard_ms), CLICK_DELAY_FOR_CODE.as_millis());
        launch.serves_model
    };
    let mut serve = vec![];
    let record = launch("node");
    let server = scene.start(&record, None);
    assert!(
        server
            .approve(&scene.gate, |id| serve.push(card(id)))
            .await
            .is_err()
    );
    let model = ModelStartRequest {
        model: scene.server.clone(),
        cause: None,
        launch: shown(),
        digest: record.digest(),
    };
    assert!(
        model
            .approve(&scene.gate, |id| serve.push(card(id)))
            .await
            .is_err()
    );
    assert_eq!(serve, [false, true]);
}

/// A yes to the program of a model covers one start: no rule, and no agreement of the same run.
#[tokio::test(start_paused = true)]
async fn the_program_of_a_model_is_asked_at_each_start() {
    let scene = scene().await;
    let digest = launch("llama-server").digest();
    let request = || ModelStartRequest {
        model: scene.server.clone(),
        cause: None,
        launch: shown(),
        digest,
    };
    for _ in 0..2 {
        let mut asked = 0;
        let mut person = scene.person(yes(Scope::Once));
        let permit = request().approve(&scene.gate, |id| {
            asked += 1;
            person(id);
        });
        assert_eq!(permit.await.unwrap().effect().launch, digest);
        assert_eq!(asked, 1);
    }
    let refused = request().approve(&scene.gate, scene.person(Answer::Refuse { reason: None }));
    assert!(matches!(refused.await, Err(Denied::ByUser { .. })));
}
