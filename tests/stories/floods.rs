//! A server that asks without end: one card, bounded memory, an answer to every single request, and quiet for whoever
//! wants it.

use std::collections::HashMap;

use futures::StreamExt;
use serde_json::{Value, json};
use vestibule_consent::{Answer, Flood, Question, QuestionBody};
use vestibule_host::view::{CallState, InboxMessage, RefusedBy, RequestKind};
use vestibule_policy::{ContentDigest, Scope};
use vestibule_store::LedgerRecord;
use vestibule_tests::{Puppet, Scene, Stage, Turn, give, records, results, soon, submit, tool};

fn form(id: u32, message: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params })
}

fn wish(id: u32) -> Value {
    let content = json!({ "type": "text", "text": format!("Question {id}") });
    let params = json!({ "maxTokens": 10, "messages": [{ "role": "user", "content": content }] });
    json!({ "jsonrpc": "2.0", "id": id, "method": "sampling/createMessage", "params": params })
}

/// The cards of the inbox as soon as they are so.
async fn cards(scene: &Scene, what: &str, are: impl Fn(&[Question]) -> bool) -> Vec<Question> {
    let mut messages = Box::pin(scene.host.consent_window());
    soon(what, async {
        loop {
            match messages.next().await.unwrap() {
                InboxMessage::State(state) if are(&state.questions) => return state.questions,
                _ => {}
            }
        }
    })
    .await
}

fn flood(card: &Question) -> Option<&Flood> {
    match &card.about {
        QuestionBody::Flood(flood) => Some(flood),
        _ => None,
    }
}

/// The only card, once so many wait behind it.
async fn flood_of(scene: &Scene, waiting: u32, asked: u32) -> Question {
    let whole = |cards: &[Question]| {
        let is = |flood: &Flood| (flood.waiting, flood.asked) == (waiting, asked);
        cards.len() == 1 && flood(&cards[0]).is_some_and(is)
    };
    cards(scene, "one card for the flood", whole).await.remove(0)
}

/// What came back for each of these requests. Each must be answered exactly once.
async fn answers(puppet: &mut Puppet, count: u32) -> HashMap<u64, Value> {
    let mut all = HashMap::new();
    while all.len() < count as usize {
        let message = puppet.next().await.expect("the host answers everything");
        if let Some(id) = message["id"].as_u64().filter(|_| message["method"].is_null()) {
            assert!(all.insert(id, message).is_none(), "{id} was answered twice");
        }
    }
    all
}

fn said(records: &[LedgerRecord], action: &str, decision: &str) -> Vec<Value> {
    let of = records.iter().filter(|record| record.action == action);
    of.filter(|record| record.decision.as_deref() == Some(decision))
        .map(|record| record.body.clone())
        .collect()
}

/// EF-009: each of five hundred requests has its answer, and the user saw one card of what differs.
#[tokio::test]
async fn five_hundred_forms_at_once_are_one_card_and_each_is_answered() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    for id in 0..500 {
        puppet.say(form(id, &format!("Who are you, number {id}?"))).await;
    }
    let mut told = answers(&mut puppet, 500 - 64).await;
    let other = told.values().find(|told| told["result"]["action"] != "cancel");
    assert_eq!(other, None);
    let card = flood_of(&scene, 64, 500).await;
    let shown = flood(&card).unwrap();
    assert_eq!((shown.asked, shown.turned_away), (500, 500 - 64));
    assert!(shown.alike.is_none());
    assert_eq!(card.server.name, "notes");

    let taken = give(&scene.host, &card, submit(json!({ "name": "Ada" }))).await;
    assert!(taken.is_err(), "what differs has no common yes");
    give(&scene.host, &card, Answer::Refuse { reason: None })
        .await
        .unwrap();
    let rest = answers(&mut puppet, 64).await;
    assert!(
        rest.values().all(|told| told["result"]["action"] == "decline"),
        "{rest:?}"
    );
    told.extend(rest);
    assert_eq!(told.len(), 500);
    let opening = scene.close().await;
    let scene = opening.open().await;
    let records = records(&scene.store).await;
    assert_eq!(said(&records, "form.send", "refused").len(), 64);
    let unread = said(&records, "form.send", "too many");
    let times: u64 = unread.iter().map(|body| body["times"].as_u64().unwrap()).sum();
    assert_eq!(times, 500 - 64, "the ledger counts every one of them");
    assert!(unread.len() <= 2, "and is no flood itself: {unread:?}");
    scene.close().await;
}

/// EF-009, SA-023: each of the limits that a flood can meet gives the same answer: that of the protocol for "not now".
#[tokio::test]
async fn a_flood_beyond_every_limit_is_answered_in_the_words_of_its_kind() {
    const EACH: u32 = 900;
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    let asked = |id: u32| match id {
        0..EACH => form(id, &format!("Who are you, number {id}?")),
        _ => wish(id),
    };
    let burst: String = (0..2 * EACH).map(|id| format!("{}\n", asked(id))).collect();
    puppet.write(burst.as_bytes()).await;
    let told = answers(&mut puppet, 2 * (EACH - 64)).await;
    for (id, told) in &told {
        match *id < u64::from(EACH) {
            true => assert_eq!(told["result"], json!({ "action": "cancel" }), "{told}"),
            false => assert_eq!(told["error"]["code"], -1, "{told}"),
        }
    }
    let both = |cards: &[Question]| {
        let whole = |flood: &Flood| (flood.waiting, flood.asked, flood.turned_away) == (64, EACH, EACH - 64);
        cards.len() == 2 && cards.iter().all(|card| flood(card).is_some_and(whole))
    };
    cards(&scene, "one card for each kind, which counts all of them", both).await;
    let opening = scene.close().await;
    let scene = opening.open().await;
    let records = records(&scene.store).await;
    for action in ["form.send", "sampling.run"] {
        let unread = said(&records, action, "too many");
        let times: u64 = unread.iter().map(|body| body["times"].as_u64().unwrap()).sum();
        assert_eq!(
            times,
            u64::from(EACH) - 64,
            "{action}: the ledger counts all of them"
        );
    }
    scene.close().await;
}

/// EF-009: what is asked before the session is open is answered by the same rule, and withdrawing makes no room for more
/// of it than there is.
#[tokio::test]
async fn a_flood_before_the_session_is_open_is_one_card_too() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    let hello = puppet.hear("initialize").await;
    let mut burst = String::new();
    for id in 10_000..12_000 {
        let params = json!({ "requestId": id });
        let withdrawn = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        burst.push_str(&format!("{}\n{withdrawn}\n", form(id, "Never mind.")));
    }
    for id in 0..600 {
        burst.push_str(&format!("{}\n", form(id, &format!("Who are you, number {id}?"))));
    }
    puppet.write(burst.as_bytes()).await;
    // As many as may be open wait for the session.
    let mut told = answers(&mut puppet, 600 - 512).await;
    let result = json!({
        "protocolVersion": hello["params"]["protocolVersion"], "capabilities": {},
        "serverInfo": { "name": "puppet", "version": "1" },
    });
    puppet.answer(&hello, result).await;
    told.extend(answers(&mut puppet, 512 - 64).await);
    let other = told.values().find(|told| told["result"]["action"] != "cancel");
    assert_eq!(other, None);
    let card = flood_of(&scene, 64, 600).await;
    assert_eq!(flood(&card).unwrap().turned_away, 600 - 64);
    scene.close().await;
}

/// EF-009: identical requests are answered together, with the same words to each.
#[tokio::test]
async fn what_is_asked_over_and_over_is_answered_once_for_all() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    for id in 0..40 {
        puppet.say(form(id, "Who are you?")).await;
    }
    let card = flood_of(&scene, 40, 40).await;
    assert!(matches!(
        flood(&card).unwrap().alike.as_deref(),
        Some(QuestionBody::FillForm(_))
    ));
    scene.person.say(&card, submit(json!({ "name": "Ada" }))).await;
    let told = answers(&mut puppet, 40).await;
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    assert!(told.values().all(|told| told["result"] == accepted), "{told:?}");
    let records = records(&scene.store).await;
    let sent = records.iter().filter(|record| record.action == "form.send");
    let sent: Vec<_> = sent.filter(|record| !record.body["question"].is_null()).collect();
    assert_eq!(sent.len(), 40, "each of them is written down");
    let shown = ContentDigest::from(card.digest);
    for record in sent {
        let salt = scene.store.ledger_salt(record.seq).await.unwrap();
        let salt = salt.expect("the server is there");
        assert_eq!(
            record.body["question"],
            json!(shown.salted(&salt)),
            "they were one card"
        );
    }
    scene.close().await;
}

/// EF-009, EF-008: a muted server is refused by itself until it is unmuted, also after Vestibule was closed.
#[tokio::test]
async fn a_muted_server_is_declined_unasked_until_it_is_unmuted() {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("notes", &[]).await;
    for id in 0..8 {
        puppet.say(form(id, &format!("Question {id}"))).await;
    }
    let card = flood_of(&scene, 8, 8).await;
    scene.person.say(&card, Answer::Mute { minutes: None }).await;
    let told = answers(&mut puppet, 8).await;
    assert!(
        told.values().all(|told| told["result"]["action"] == "decline"),
        "{told:?}"
    );
    puppet.say(form(100, "Hello?")).await;
    let told = puppet.hear_answer(&json!(100)).await;
    assert_eq!(told["result"], json!({ "action": "decline" }));
    let opening = scene.close().await;
    drop((puppet, stage));

    let scene = opening.open().await;
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    let muted: Vec<_> = snapshot
        .muted
        .iter()
        .map(|one| (one.server, one.asking, one.until_ms))
        .collect();
    assert_eq!(muted, [(server, RequestKind::Form, None)]);
    let ledger = records(&scene.store).await;
    assert_eq!(said(&ledger, "form.send", "muted").len(), 9);
    assert_eq!(said(&ledger, "questions.mute", "muted").len(), 1);
    scene.host.server_unmute(server, RequestKind::Form).await.unwrap();
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    assert_eq!(snapshot.muted, []);
    let ledger = records(&scene.store).await;
    assert_eq!(said(&ledger, "questions.mute", "heard again").len(), 1);
    scene.close().await;
}

/// SA-023, SA-021: the wishes of one server are limited, and a muted one hears the protocol's words for a no.
#[tokio::test]
async fn a_flood_of_sampling_is_one_card_and_muting_it_rejects_what_comes() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    for id in 0..20 {
        puppet.say(wish(id)).await;
    }
    let card = flood_of(&scene, 20, 20).await;
    assert_eq!(flood(&card).unwrap().asking, RequestKind::Sampling);
    scene.person.say(&card, Answer::Mute { minutes: Some(10) }).await;
    let told = answers(&mut puppet, 20).await;
    assert!(told.values().all(|told| told["error"]["code"] == -1), "{told:?}");
    puppet.say(wish(100)).await;
    let told = puppet.hear_answer(&json!(100)).await;
    assert_eq!(
        told["error"],
        json!({ "code": -1, "message": "User rejected sampling request" })
    );
    puppet.say(form(101, "Who are you?")).await;
    cards(&scene, "a form, which is not muted", |cards| {
        cards.len() == 1 && matches!(cards[0].about, QuestionBody::FillForm(_))
    })
    .await;
    let (snapshot, _) = scene.host.main_window().await.unwrap();
    assert!(snapshot.muted[0].until_ms.is_some());
    scene.close().await;
}

/// A model that calls one tool without end gets one card too, and is told why its calls are denied.
#[tokio::test]
async fn a_flood_of_calls_is_one_card_and_the_model_is_told_that_it_is_muted() {
    let scene = Scene::new().await;
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("add")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let ids: Vec<String> = (0..35).map(|number| format!("call-{number}")).collect();
    let calls: Vec<(&str, &str, String)> = ids
        .iter()
        .enumerate()
        .map(|(number, id)| (&**id, "notes__add", json!({ "number": number }).to_string()))
        .collect();
    let calls: Vec<(&str, &str, &str)> = calls
        .iter()
        .map(|(id, name, with)| (*id, *name, &**with))
        .collect();
    model.will(Turn::calls(&calls));
    model.will(Turn::words("Then not."));
    scene.say(chat, "Add them.").await;
    let card = flood_of(&scene, 35, 35).await;
    scene.person.say(&card, Answer::Mute { minutes: Some(10) }).await;
    let entries = scene.finished(chat).await;
    let calls = Scene::calls(&entries);
    assert_eq!(calls.len(), 35);
    let muted = CallState::Refused {
        by: RefusedBy::Muted,
        reason: None,
    };
    assert!(calls.iter().all(|call| call.state == muted), "{calls:?}");
    let mut told = model.asked().await;
    while results(&told).is_empty() {
        told = model.asked().await;
    }
    assert!(
        results(&told)[0].1.contains("muted questions of this server"),
        "{told}"
    );
    scene.close().await;
}

/// RO-014: requests for folders that arrive while the user is asked share the question and its answer.
#[tokio::test]
async fn a_flood_of_requests_for_folders_is_asked_once() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    let folder = scene.folder().join("shared");
    std::fs::create_dir(&folder).unwrap();
    let home = vestibule_protocol::WorkspaceId::home();
    scene
        .host
        .folder_add(home, folder.display().to_string())
        .await
        .unwrap();
    for id in 0..100 {
        puppet
            .say(json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list" }))
            .await;
    }
    let one =
        |cards: &[Question]| cards.len() == 1 && matches!(cards[0].about, QuestionBody::ShareFolders(_));
    let card = cards(&scene, "the question for folders", one).await.remove(0);
    // Everything is in before it is answered: the last one waits with the others.
    puppet.say(form(1000, "Who are you?")).await;
    cards(&scene, "what came after them", |cards| cards.len() == 2).await;
    scene.person.say(&card, Answer::Cancel).await;
    let told = answers(&mut puppet, 100).await;
    assert!(
        told.values().all(|told| told["result"] == json!({ "roots": [] })),
        "{told:?}"
    );
    let asked = scene.person.shown();
    let asked = asked
        .iter()
        .filter(|card| matches!(card.about, QuestionBody::ShareFolders(_)));
    assert_eq!(asked.count(), 1);
    scene.close().await;
}

/// The cards a user reads at their own pace are never a flood, however often they say yes.
#[tokio::test]
async fn questions_that_come_one_after_the_other_keep_their_own_cards() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    for id in 0..12 {
        puppet.say(form(id, "Who are you?")).await;
        let card = scene.person.asked().await;
        assert!(matches!(card.about, QuestionBody::FillForm(_)), "{card:?}");
        assert_eq!(
            card.often.is_some(),
            id >= 5,
            "how often it was asked is said from the sixth on"
        );
        scene.person.say(&card, Answer::Refuse { reason: None }).await;
        puppet.hear_answer(&json!(id)).await;
    }
    scene.close().await;
}
