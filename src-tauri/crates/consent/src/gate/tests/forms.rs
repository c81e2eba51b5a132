//! Permission to send a form: exactly what the user left in it, and nothing of it in the ledger.

use super::*;
use crate::FormRequest;

fn request(scene: &Scene, fields: &[&str]) -> FormRequest {
    FormRequest {
        server: scene.server.clone(),
        cause: Some(scene.cause()),
        form: cards::form("Who are you?", fields),
    }
}

fn filled() -> Map<String, Value> {
    json!({"name": "Ada"}).as_object().cloned().unwrap()
}

/// EF-016.
#[tokio::test(start_paused = true)]
async fn a_form_is_sent_exactly_as_the_person_filled_it_in() {
    let scene = scene().await;
    let request = request(&scene, &["city", "name"]);
    let submit = Answer::Submit {
        content: filled(),
        not_secret: vec![],
    };
    let permit = request.approve(&scene.gate, scene.person(submit)).await.unwrap();
    assert_eq!(permit.because(), [Because::Person { scope: Scope::Once }]);
    let (what, _effect) = permit.begin().split();
    assert_eq!((what.server, &what.content), (scene.server.id, &filled()));

    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str(), intent.chat),
        ("form.send", "city, name", Some(scene.chat))
    );
    let content = Digest::of_arguments(&Value::Object(filled()));
    scene.assert_stands_for(&intent, "content", content).await;
    assert_eq!(intent.body["bytes"], json!(r#"{"name":"Ada"}"#.len()));
    assert!(!format!("{intent:?}").contains("Ada"), "{intent:?}");
}

/// EF-016: declining and cancelling are two things, and neither sends anything.
#[tokio::test(start_paused = true)]
async fn a_form_that_was_not_filled_in_is_not_sent() {
    let scene = scene().await;
    let fill = |answer| {
        let request = request(&scene, &["name"]);
        request.approve(&scene.gate, scene.person(answer))
    };
    let declined = fill(no()).await;
    assert!(matches!(&declined, Err(Denied::ByUser { reason: Some(words) }) if words == "not for them"));
    let cancelled = fill(Answer::Cancel).await;
    assert!(matches!(cancelled, Err(Denied::Dismissed)), "{cancelled:?}");
    let muted = fill(Answer::Mute { minutes: None }).await;
    assert!(matches!(muted, Err(Denied::Muted)), "{muted:?}");
    let said = |decision: &str| (LedgerKind::Decision, Some(decision.to_owned()));
    assert_eq!(
        scene.kinds().await,
        [said("refused"), said("not now"), said("muted")]
    );
}

/// A yes without content would send a form that nobody filled in.
#[tokio::test(start_paused = true)]
async fn a_form_has_no_plain_yes() {
    let scene = scene().await;
    let asked = request(&scene, &["name"]).approve(&scene.gate, |id| {
        let question = scene
            .inbox
            .questions()
            .into_iter()
            .find(|it| it.id == id)
            .unwrap();
        assert_eq!(question.scopes, []);
        scene.gate.server_changes(scene.server.id);
    });
    assert!(matches!(asked.await, Err(Denied::Dismissed)));
}

#[tokio::test(start_paused = true)]
async fn the_ledger_keeps_the_beginning_of_the_names_of_very_many_fields() {
    let scene = scene().await;
    let names: Vec<String> = (0..100).map(|number| format!("é{number}")).collect();
    let fields: Vec<&str> = names.iter().map(String::as_str).collect();
    let refused = request(&scene, &fields)
        .approve(&scene.gate, scene.person(no()))
        .await;
    assert!(refused.is_err());
    let decision = scene.only(LedgerKind::Decision).await;
    assert!(
        (197..=200).contains(&decision.object.len()),
        "{:?}",
        decision.object
    );
    assert!(decision.object.starts_with("é0, é1, "), "{:?}", decision.object);
}
