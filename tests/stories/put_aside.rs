//! A question that the user hides stays open, ends with the party that asked it, and a call that was denied or skipped can
//! be asked again.

use serde_json::json;
use vestibule_consent::{Answer, Question, QuestionBody};
use vestibule_host::view::{
    CallBody, CallProblem, CallState, EntryBody, InputProblem, Problem, QuestionProblem, RefusedBy,
};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Model, Projection, Puppet, Scene, Stage, Turn, give, results, text_result, tool, yes};

/// A chat in which a call of the model waits for the user, who has hidden the window.
struct Hidden {
    scene: Scene,
    server: vestibule_protocol::ServerId,
    puppet: Puppet,
    _stage: Stage,
    chat: ChatId,
    model: Model,
    question: Question,
}

async fn hidden() -> Hidden {
    let scene = Scene::new().await;
    let (server, puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({ "page": "Budget" })));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    scene.host.consent_present(question.id);
    scene.host.consent_concealed();
    Hidden {
        scene,
        server,
        puppet,
        _stage: stage,
        chat,
        model,
        question,
    }
}

async fn nothing_waits(scene: &Scene) {
    let none = |seen: &Projection| seen.waiting.is_empty();
    scene.window.until("no question", none).await;
}

/// The entry of the last call in a chat.
async fn last_call(scene: &Scene, chat: ChatId) -> (EntryId, CallBody) {
    let entries = scene.newest_entries(chat).await;
    let call = entries.into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::Call(call) => Some((entry.id, call)),
        _ => None,
    });
    call.unwrap()
}

#[tokio::test]
async fn a_hidden_window_leaves_the_question_waiting_and_permits_nothing_unseen() {
    let mut hidden = hidden().await;
    assert_eq!(hidden.scene.host.questions_waiting(), [hidden.question.id]);
    let (_, call) = last_call(&hidden.scene, hidden.chat).await;
    assert_eq!(
        call.state,
        CallState::Waiting {
            question: hidden.question.id
        }
    );
    let unseen = hidden
        .scene
        .host
        .consent_answer(vestibule_consent::Reply {
            question: hidden.question.id,
            nonce: hidden.question.nonce.clone(),
            digest: hidden.question.digest,
            answer: yes(Scope::Once),
            also: vec![],
        })
        .await;
    assert_eq!(unseen, Err(Problem::Question(QuestionProblem::AnswerTooSoon)));
    // The user comes back: the card is the same, and its guard has to pass again.
    hidden.model.will(Turn::words("Read."));
    give(&hidden.scene.host, &hidden.question, yes(Scope::Once))
        .await
        .unwrap();
    let sent = hidden.puppet.hear("tools/call").await;
    hidden.puppet.answer(&sent, text_result("42")).await;
    let call = Scene::calls(&hidden.scene.finished(hidden.chat).await).remove(0);
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    hidden.scene.close().await;
}

#[tokio::test]
async fn a_question_left_waiting_ends_with_its_turn() {
    let hidden = hidden().await;
    hidden.scene.host.chat_stop(hidden.chat);
    let call = Scene::calls(&hidden.scene.finished(hidden.chat).await).remove(0);
    assert_eq!(call.state, CallState::Cancelled { sent: false });
    nothing_waits(&hidden.scene).await;
    hidden.scene.close().await;
}

#[tokio::test]
async fn a_question_left_waiting_ends_with_its_chat() {
    let hidden = hidden().await;
    hidden.scene.host.chat_delete(hidden.chat).await.unwrap();
    nothing_waits(&hidden.scene).await;
    hidden.scene.close().await;
}

#[tokio::test]
async fn a_question_left_waiting_ends_with_its_server() {
    for removed in [false, true] {
        let hidden = hidden().await;
        hidden.model.will(Turn::words("It is gone."));
        if removed {
            hidden.scene.host.server_remove(hidden.server).await.unwrap();
        } else {
            hidden.scene.host.server_stop(hidden.server).await.unwrap();
        }
        nothing_waits(&hidden.scene).await;
        let call = Scene::calls(&hidden.scene.finished(hidden.chat).await).remove(0);
        assert!(matches!(call.state, CallState::Failed { .. }), "{call:?}");
        let late = give(&hidden.scene.host, &hidden.question, yes(Scope::Once)).await;
        assert_eq!(late, Err(Problem::Question(QuestionProblem::AnswerStale)));
        hidden.scene.close().await;
    }
}

#[tokio::test]
async fn a_skipped_call_is_told_as_skipped() {
    let mut hidden = hidden().await;
    hidden.model.will(Turn::words("Later then."));
    hidden.scene.person.say(&hidden.question, Answer::Cancel).await;
    let call = Scene::calls(&hidden.scene.finished(hidden.chat).await).remove(0);
    let skipped = CallState::Refused {
        by: RefusedBy::NotNow,
        reason: None,
    };
    assert_eq!(call.state, skipped);
    hidden.model.asked().await;
    let (_, told) = results(&hidden.model.asked().await).remove(0);
    assert!(told.contains("skipped by the user"), "{told}");
    hidden.scene.close().await;
}

#[tokio::test]
async fn a_denied_or_skipped_call_can_be_asked_again_with_the_same_arguments() {
    for no in [Answer::Refuse { reason: None }, Answer::Cancel] {
        let mut hidden = hidden().await;
        hidden.model.will(Turn::words("As you wish."));
        hidden.scene.person.say(&hidden.question, no).await;
        hidden.scene.finished(hidden.chat).await;
        let (entry, refused) = last_call(&hidden.scene, hidden.chat).await;

        hidden.model.will(Turn::words("It says 42."));
        hidden
            .scene
            .host
            .call_ask_again(entry, "Ask me again.".into())
            .await
            .unwrap();
        let again = hidden.scene.person.asked().await;
        assert_ne!(again.id, hidden.question.id);
        let QuestionBody::CallTool(call) = &again.about else {
            panic!("{again:?}")
        };
        assert_eq!(call.arguments, refused.arguments);
        hidden.scene.person.say(&again, yes(Scope::Once)).await;
        let sent = hidden.puppet.hear("tools/call").await;
        assert_eq!(sent["params"]["arguments"], json!({ "page": "Budget" }));
        hidden.puppet.answer(&sent, text_result("42")).await;

        let entries = hidden.scene.finished(hidden.chat).await;
        let calls = Scene::calls(&entries);
        assert_eq!(calls[0], refused, "what was refused stays as it was");
        assert!(matches!(calls[1].state, CallState::Answered { .. }), "{calls:?}");
        assert_ne!(calls[0].call, calls[1].call);
        let _ = (hidden.model.asked().await, hidden.model.asked().await);
        let request = hidden.model.asked().await;
        let (_, told) = results(&request).pop().unwrap();
        assert!(told.contains("42"), "{told}");
        assert!(
            request.to_string().contains("Ask me again."),
            "the user's words are there"
        );
        hidden.scene.close().await;
    }
}

#[tokio::test]
async fn only_what_the_user_refused_is_asked_again_and_only_while_the_chat_is_quiet() {
    let mut hidden = hidden().await;
    let (entry, _) = last_call(&hidden.scene, hidden.chat).await;
    let gone = Err(Problem::Input(InputProblem::Gone));
    assert_eq!(
        hidden.scene.host.call_ask_again(entry, "Again.".into()).await,
        gone,
        "it waits"
    );
    hidden.model.will(Turn::words("Read."));
    hidden.scene.person.say(&hidden.question, yes(Scope::Once)).await;
    let sent = hidden.puppet.hear("tools/call").await;
    hidden.puppet.answer(&sent, text_result("42")).await;
    hidden.scene.finished(hidden.chat).await;
    assert_eq!(
        hidden.scene.host.call_ask_again(entry, "Again.".into()).await,
        gone,
        "it was made"
    );
    assert_eq!(
        hidden
            .scene
            .host
            .call_ask_again(EntryId::new(), "Again.".into())
            .await,
        gone,
        "it never was"
    );

    hidden.model.will(Turn::call("two", "notes__read", json!({})));
    hidden.model.will(Turn::words("Denied."));
    hidden.scene.say(hidden.chat, "Go.").await;
    let question = hidden.scene.person.asked().await;
    hidden
        .scene
        .person
        .say(&question, Answer::Refuse { reason: None })
        .await;
    hidden.scene.finished(hidden.chat).await;
    let (entry, _) = last_call(&hidden.scene, hidden.chat).await;
    let (halting, goes_on) = Turn::halting("Slow", "ly.");
    hidden.model.will(halting);
    hidden.scene.say(hidden.chat, "Think.").await;
    let busy = Err(Problem::Input(InputProblem::ChatBusy));
    assert_eq!(
        hidden.scene.host.call_ask_again(entry, "Again.".into()).await,
        busy
    );
    goes_on.send(()).unwrap();
    hidden.scene.finished(hidden.chat).await;
    hidden.scene.close().await;
}

#[tokio::test]
async fn a_call_of_a_tool_that_is_gone_fails_when_it_is_asked_again() {
    let hidden = hidden().await;
    hidden.model.will(Turn::words("As you wish."));
    hidden.scene.person.say(&hidden.question, Answer::Cancel).await;
    hidden.scene.finished(hidden.chat).await;
    let (entry, _) = last_call(&hidden.scene, hidden.chat).await;
    hidden.scene.host.server_stop(hidden.server).await.unwrap();
    hidden.model.will(Turn::words("It is gone."));
    hidden
        .scene
        .host
        .call_ask_again(entry, "Ask me again.".into())
        .await
        .unwrap();
    hidden.scene.window.catch_up(&hidden.scene.host).await;
    let call = Scene::calls(&hidden.scene.finished(hidden.chat).await).remove(1);
    let CallState::Failed { problem } = call.state else {
        panic!("{call:?}")
    };
    assert!(
        matches!(problem, Problem::Call(CallProblem::NoSuchTool { .. })),
        "{problem:?}"
    );
    hidden.scene.close().await;
}
