//! A server asks for the help of one of the user's models: what is asked first, what is sent where, and what is not.

mod limits;

use serde_json::{Value, json};
use vestibule_consent::{Answer, Question, QuestionBody, SamplePrompt, SampleReply};
use vestibule_host::view::{
    Budget, CallProblem, CallState, ConnectionDraft, Cost, CostBudget, Currency, Problem,
};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_store::LedgerKind;
use vestibule_tests::{
    Model, Puppet, Scene, Stage, Turn, connection_draft, ended, records, results, soon, tool, yes,
};

/// A scene with a puppet, and a model that is the user's usual one.
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
        QuestionBody::SamplePrompt(prompt) => prompt,
        other => panic!("{other:?}"),
    }
}

fn reply(question: &Question) -> &SampleReply {
    match &question.about {
        QuestionBody::SampleReply(reply) => reply,
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

/// Shows SA-001, SA-002, SA-003, SA-004, SA-005, SA-006, SA-009, SA-019, SA-010: the user reads both sides and what is sent
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

/// What was shown with one address is not sent to another.
#[tokio::test]
async fn a_model_that_moves_while_the_card_is_shown_hears_nothing() {
    let (scene, _, mut puppet, _stage, model) = scene().await;
    let elsewhere = Model::start().await;
    wish(&mut puppet, "s1", plain()).await;
    let card = scene.person.asked().await;
    let connection = scene.connection_of(prompt(&card).picked).await;
    let moved = ConnectionDraft {
        id: Some(connection),
        ..connection_draft(&elsewhere.base_url, None, &[])
    };
    scene.person.judges_models();
    let change = scene.host.connection_save(moved).await.unwrap().change;
    scene.agreed(change).await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let error = puppet.hear_answer(&json!("s1")).await["error"].clone();
    assert!(error.to_string().contains("another address"), "{error}");
    for address in [model, elsewhere] {
        let heads = address.heads().await;
        assert!(!heads.iter().any(|head| head.starts_with("POST")), "{heads:?}");
    }
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

/// A modern server asks inside a call, and the no ends the call. That is no fault of the server.
#[tokio::test]
async fn a_no_to_a_modern_server_ends_its_call_and_says_so() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.modern_puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    let change = vestibule_host::view::SettingsChange {
        default_model: Some(scene.window.now().models.last().unwrap().id),
        ..Default::default()
    };
    scene.host.settings_save(change).await.unwrap();
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("I see."));
    scene.say(chat, "Read.").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    let needed = json!({ "resultType": "input_required",
        "inputRequests": { "help": { "method": "sampling/createMessage", "params": plain() } } });
    puppet.answer(&call, needed).await;
    let card = scene.person.asked().await;
    assert_eq!(prompt(&card).max_tokens, 100);
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    let CallState::Failed {
        problem: Problem::Call(CallProblem::CallNotCompleted { detail }),
    } = &call.state
    else {
        panic!("{call:?}")
    };
    assert!(detail.contains("User rejected sampling request"), "{detail}");
    model.asked().await;
    let told = results(&model.asked().await).remove(0).1;
    assert!(told.contains("User rejected sampling request"), "{told}");
    assert!(!told.contains("could not be understood"), "{told}");
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

/// Shows SA-011, SA-026, HO-003: whatever context is asked for, the model hears the wish and nothing of any chat.
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
