//! A server asks for the help of one of the person's models: what is asked first, what is sent where, and what is not.

use serde_json::{Value, json};
use vestibule_consent::{About, Answer, Question, SamplePrompt, SampleReply};
use vestibule_host::view::Budget;
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_store::LedgerKind;
use vestibule_tests::{Model, Puppet, Scene, Stage, Turn, ended, records, soon, yes};

/// A scene with a puppet, and a model that is the person's usual one.
async fn scene() -> (Scene, ServerId, Puppet, Stage, Model) {
    let scene = Scene::new().await;
    let (server, puppet, stage) = scene.puppet("notes", &[]).await;
    let model = Model::start().await;
    let id = scene.add_model(&model.base_url, None).await;
    let change = vestibule_host::view::SettingsChange {
        default_model: Some(id),
        ..Default::default()
    };
    scene.host.settings_save(change).await.unwrap();
    (scene, server, puppet, stage, model)
}

fn text(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": { "type": "text", "text": text } })
}

async fn wish(puppet: &mut Puppet, id: &str, params: Value) {
    let method = "sampling/createMessage";
    puppet
        .say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
        .await;
}

fn plain() -> Value {
    json!({ "maxTokens": 100, "systemPrompt": "Be brief.", "messages": [text("user", "Capital of Norway?")] })
}

fn prompt(question: &Question) -> &SamplePrompt {
    match &question.about {
        About::SamplePrompt(prompt) => prompt,
        other => panic!("{other:?}"),
    }
}

fn reply(question: &Question) -> &SampleReply {
    match &question.about {
        About::SampleReply(reply) => reply,
        other => panic!("{other:?}"),
    }
}

/// A yes with these changes.
fn changed(arguments: Value) -> Answer {
    Answer::Accept {
        scope: Scope::Once,
        arguments: arguments.as_object().cloned(),
        when: vec![],
    }
}

/// Shows SA-001, SA-002, SA-003, SA-004, SA-005, SA-006, SA-009, SA-019: the person reads both sides and what is sent
/// is what was left on the cards.
#[tokio::test]
async fn a_person_reads_and_changes_both_sides() {
    let (scene, server, mut puppet, _stage, mut model) = scene().await;
    let mut params = plain();
    params["modelPreferences"] = json!({ "hints": [{ "name": "small" }, { "name": "haiku" }] });
    wish(&mut puppet, "s1", params).await;
    let card = scene.person.asked().await;
    let shown = prompt(&card).clone();
    assert_eq!(shown.system.as_deref(), Some("Be brief."));
    assert_eq!((shown.max_tokens, shown.asked_tokens), (100, 100));
    assert_eq!(shown.hints, ["small", "haiku"]);
    let words = json!([{ "role": "user", "blocks": [{ "block": "text", "text": "Capital of Norway?" }] }]);
    assert_eq!(serde_json::to_value(&shown.messages).unwrap(), words);
    assert_eq!(card.server.id, server);
    assert_eq!(
        records(&scene.store)
            .await
            .iter()
            .filter(|r| r.action == "sampling.run")
            .count(),
        0
    );

    model.will(Turn::words("Oslo, of course."));
    let edit = json!({
        "system": "Be polite.", "model": shown.picked, "max_tokens": 50,
        "messages": [{ "role": "user", "blocks": [{ "block": "text", "text": "Capital of Sweden?" }] }],
    });
    scene.person.say(&card, changed(edit)).await;
    let heard = model.asked().await;
    assert_eq!(heard["messages"][0]["role"], "system");
    assert!(heard["messages"][0].to_string().contains("Be polite."), "{heard}");
    assert_eq!(heard["messages"].as_array().unwrap().len(), 2, "{heard}");
    assert!(
        heard["messages"][1].to_string().contains("Capital of Sweden?"),
        "{heard}"
    );
    assert_eq!(heard["max_tokens"], 50);
    let intents = |records: &[vestibule_store::LedgerRecord], action: &str| {
        let of = records.iter().filter(|record| record.action == action);
        of.filter(|record| record.kind == LedgerKind::Intent).count()
    };
    assert_eq!(
        intents(&records(&scene.store).await, "sampling.run"),
        1,
        "on disk before the model hears"
    );

    let card = scene.person.asked().await;
    let said = reply(&card).clone();
    assert!(
        !said.scripted && said.model == "scripted" && said.stop_reason == "endTurn",
        "{said:?}"
    );
    assert_eq!(intents(&records(&scene.store).await, "sampling.reply"), 0);
    let edit = json!({ "blocks": [{ "block": "text", "text": "Stockholm." }] });
    scene.person.say(&card, changed(edit)).await;
    let answer = puppet.hear_answer(&json!("s1")).await;
    let expected = json!({
        "role": "assistant", "model": "scripted", "stopReason": "endTurn",
        "content": { "type": "text", "text": "Stockholm." },
    });
    assert_eq!(answer["result"], expected);
    scene.host.server_stop(server).await.unwrap();
    let store = scene.store.clone();
    soon("both ends in the ledger", async {
        loop {
            let ends: Vec<_> = ended(&records(&store).await)
                .into_iter()
                .filter(|(action, ..)| action.starts_with("sampling"))
                .map(|(action, _, end)| (action, end))
                .collect();
            let both = [
                ("sampling.run".to_owned(), Some("answered".to_owned())),
                ("sampling.reply".to_owned(), Some("sent".to_owned())),
            ];
            if ends == both {
                break;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    scene.close().await;
}

/// Shows SA-002, SA-021, HO-012: a no before or after is the protocol's no, and a no before means no model hears anything.
#[tokio::test]
async fn a_no_on_either_card_is_the_protocols_no() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    let rejected = json!({ "code": -1, "message": "User rejected sampling request" });
    assert_eq!(puppet.hear_answer(&json!("s1")).await["error"], rejected);

    model.will(Turn::words("Oslo."));
    wish(&mut puppet, "s2", plain()).await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let card = scene.person.asked().await;
    assert_eq!(reply(&card).blocks.len(), 1);
    scene.person.say(&card, Answer::Cancel).await;
    assert_eq!(puppet.hear_answer(&json!("s2")).await["error"], rejected);
    let heard = model.asked().await;
    assert!(
        heard["messages"].to_string().contains("Norway"),
        "the first request to the model is the second wish: {heard}"
    );
    scene.close().await;
}

/// Shows SA-016, SA-017, SA-018: what breaks the rules is refused before anybody is asked.
#[tokio::test]
async fn a_broken_conversation_reaches_nobody() {
    let (scene, _, mut puppet, _stage, _model) = scene().await;
    let uses = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "u", "name": "wx", "input": {} }] });
    let broken = json!({ "maxTokens": 9, "messages": [text("user", "hi"), uses] });
    wish(&mut puppet, "s1", broken).await;
    let error = json!({ "code": -32602, "message": "Tool result missing in request" });
    assert_eq!(puppet.hear_answer(&json!("s1")).await["error"], error);
    let started = scene.person.shown().len();
    assert_eq!(started, 1, "only the start was asked");
    scene.close().await;
}

/// Shows SA-013, SA-015, SA-020: tools go with the request, and uses come back to the server, uncalled.
#[tokio::test]
async fn tools_of_the_server_are_asked_for_and_never_called() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    let tools = json!([{ "name": "wx.now", "inputSchema": { "type": "object" } }]);
    wish(&mut puppet, "s1", json!({
        "maxTokens": 100, "messages": [text("user", "Weather?")], "tools": tools, "toolChoice": { "mode": "required" },
    }))
    .await;
    model.will(Turn::call("u1", "wx_now", json!({ "city": "Oslo" })));
    let card = scene.person.asked().await;
    assert_eq!(prompt(&card).tools[0].name, "wx.now");
    scene.person.say(&card, yes(Scope::Once)).await;
    let heard = model.asked().await;
    assert_eq!(
        (&heard["tools"][0]["function"]["name"], &heard["tool_choice"]),
        (&json!("wx_now"), &json!("required"))
    );
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let result = puppet.hear_answer(&json!("s1")).await["result"].clone();
    assert_eq!(result["stopReason"], "toolUse");
    assert_eq!(
        result["content"][1],
        json!({ "type": "tool_use", "id": "u1", "name": "wx.now", "input": { "city": "Oslo" } })
    );
    assert_eq!(
        scene.person.shown().len(),
        3,
        "a start and two cards; no call was asked or made"
    );
    scene.close().await;
}

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

/// Shows SA-027: each wish stands alone; neither an earlier one nor its reply goes along.
#[tokio::test]
async fn nothing_of_one_wish_is_kept_for_the_next() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    for (id, asked, said) in [
        ("s1", "Capital of Norway?", "Oslo."),
        ("s2", "Capital of Sweden?", "Stockholm."),
    ] {
        let params = json!({ "maxTokens": 100, "messages": [text("user", asked)] });
        wish(&mut puppet, id, params).await;
        let card = scene.person.asked().await;
        model.will(Turn::words(said));
        scene.person.say(&card, yes(Scope::Once)).await;
        let heard = model.asked().await["messages"].clone();
        assert_eq!(heard.as_array().unwrap().len(), 1, "{heard}");
        assert!(heard.to_string().contains(asked), "{heard}");
        let card = scene.person.asked().await;
        scene.person.say(&card, yes(Scope::Once)).await;
        let told = puppet.hear_answer(&json!(id)).await;
        assert_eq!(told["result"]["content"]["text"], said);
    }
    scene.close().await;
}

/// Shows SA-011, SA-026: whatever context is asked for, the model hears the wish and nothing of any chat.
#[tokio::test]
async fn no_context_of_any_chat_is_added() {
    let (scene, _, mut puppet, _stage, mut model) = scene().await;
    let chat = scene.chat().await;
    model.will(Turn::words("The number is 4711."));
    scene.say(chat, "Remember my secret number 4711.").await;
    scene.finished(chat).await;
    model.asked().await;
    let mut params = plain();
    params["includeContext"] = json!("allServers");
    wish(&mut puppet, "s1", params).await;
    let card = scene.person.asked().await;
    assert_eq!(prompt(&card).context_asked.as_deref(), Some("allServers"));
    model.will(Turn::words("Oslo."));
    scene.person.say(&card, yes(Scope::Once)).await;
    let heard = model.asked().await;
    assert!(!heard.to_string().contains("4711"), "{heard}");
    assert_eq!(heard["messages"].as_array().unwrap().len(), 2);
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
    assert!(refused.is_err(), "the ceiling can not be raised on the card");
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
            let six = |card: &&Question| matches!(&card.about, About::Flood(flood) if flood.waiting == 6);
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
