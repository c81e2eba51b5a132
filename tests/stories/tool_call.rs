//! A tool is called: by the rehearsal, by a model, several at once; what reaches the server and what the model hears.

use serde_json::json;
use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::{
    CallProblem, CallState, ContentView, EntryBody, Problem, QuestionProblem, TextState,
};
use vestibule_policy::{Because, Scope};
use vestibule_tests::{Scene, Turn, ended, records, results, text_result, tool, tool_names, yes};

/// What a newcomer sees without a key and without a network.
#[tokio::test]
async fn the_first_message_leads_to_a_finished_result() {
    let scene = Scene::new().await;
    scene.tour().await;
    let chat = scene.chat().await;
    scene.say(chat, "What is the weather in Oslo?").await;

    let question = scene.person.asked().await;
    let QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    assert_eq!((&*question.server.name, &*call.tool.name), ("tour", "weather"));
    assert_eq!(call.arguments["city"], "Oslo");
    assert_eq!(question.cause.as_ref().unwrap().chat, chat);
    let is_waiting = |state: &CallState| matches!(state, CallState::Waiting { .. });
    let row = scene.call(chat, "a waiting row", is_waiting).await;
    let waiting = CallState::Waiting {
        question: question.id,
    };
    assert_eq!(row.state, waiting);
    scene.person.say(&question, yes(Scope::Once)).await;

    let entries = scene.finished(chat).await;
    let kinds: Vec<&str> = entries
        .iter()
        .map(|entry| match &entry.body {
            EntryBody::User { .. } => "user",
            EntryBody::Assistant {
                state: TextState::Done,
                scripted: true,
                ..
            } => "rehearsal",
            EntryBody::Call(_) => "call",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["user", "rehearsal", "call", "rehearsal"]);
    let call = Scene::calls(&entries).pop().unwrap();
    let CallState::Answered { result, .. } = &call.state else {
        panic!("{call:?}")
    };
    assert_eq!(result.structured.as_ref().unwrap()["city"], "Oslo");
    assert_eq!(result.misfits, Vec::<String>::new());
    assert_eq!(call.because, [Because::Person { scope: Scope::Once }]);
    let title = &scene.window.now().chats[&chat].title;
    assert_eq!(title, "What is the weather in Oslo?");
    let ends = ended(&records(&scene.store).await);
    let expected = ("tool.call".into(), "weather".into(), Some("answered".into()));
    assert_eq!(ends[1], expected);
    scene.close().await;
}

/// Each result is told under the call it belongs to, whatever the order of the answers.
#[tokio::test]
async fn two_calls_at_once_are_asked_run_and_told_apart() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read"), tool("find")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("one", "notes__read", r#"{"page":1}"#),
        ("two", "notes__find", r#"{"word":"x"}"#),
    ]));
    model.will(Turn::words("Both are here."));
    scene.agrees();
    scene.say(chat, "Read and find.").await;
    assert_eq!(tool_names(&model.asked().await), ["notes__read", "notes__find"]);

    let first = puppet.hear("tools/call").await;
    let second = puppet.hear("tools/call").await;
    for call in [&second, &first] {
        let words = format!("this is {}", call["params"]["name"].as_str().unwrap());
        puppet.answer(call, text_result(&words)).await;
    }
    let told = results(&model.asked().await);
    let expected = [("one", "this is read"), ("two", "this is find")];
    assert_eq!(
        told,
        expected.map(|(call, text)| (call.to_owned(), text.to_owned()))
    );
    let entries = scene.finished(chat).await;
    let order: Vec<_> = Scene::calls(&entries).into_iter().map(|call| call.call).collect();
    assert_eq!(order, ["one", "two"]);
    scene.close().await;
}

/// TL-021: the code and the words of a protocol error are shown, and the model reads them.
#[tokio::test]
async fn a_protocol_error_is_shown_and_passed_to_the_model() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__read", json!({})));
    model.will(Turn::words("It knows no such tool."));
    scene.agrees();
    scene.say(chat, "Read.").await;
    let call = puppet.hear("tools/call").await;
    let error = json!({ "code": -32602, "message": "Unknown tool: read" });
    let refusal = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
    puppet.say(refusal).await;
    let shown = Scene::calls(&scene.finished(chat).await).remove(0);
    let problem = Problem::Call(CallProblem::ServerError {
        code: -32602,
        message: "Unknown tool: read".into(),
    });
    assert_eq!(shown.state, CallState::Failed { problem });
    model.asked().await;
    let (_, told) = results(&model.asked().await).remove(0);
    assert!(
        told.contains("Unknown tool: read") && told.contains("-32602"),
        "{told}"
    );
    scene.close().await;
}

/// What is sent is what the user left on the card, and the model knows that it was changed.
#[tokio::test]
async fn edited_arguments_reach_the_server_and_the_model_is_told() {
    let scene = Scene::new().await;
    let mut write = tool("write");
    write["inputSchema"] = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let (_, mut puppet, _stage) = scene.puppet("notes", &[write]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__write", json!({ "text": "all of it" })));
    model.will(Turn::words("Written."));
    scene.say(chat, "Write it down.").await;

    let question = scene.person.asked().await;
    let edited = |value| Answer::Accept {
        scope: Scope::Once,
        arguments: json!({ "text": value }).as_object().cloned(),
        when: vec![],
    };
    let unfit = vestibule_tests::give(&scene.host, &question, edited(json!(7))).await;
    assert!(
        matches!(unfit, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
        "{unfit:?}"
    );
    scene.person.say(&question, edited(json!("half of it"))).await;

    let call = puppet.hear("tools/call").await;
    assert_eq!(call["params"]["arguments"], json!({ "text": "half of it" }));
    puppet.answer(&call, text_result("ok")).await;
    model.asked().await;
    let (_, told) = results(&model.asked().await).remove(0);
    assert!(told.contains("the user changed the arguments"), "{told}");
    assert!(told.contains("half of it"), "{told}");
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(call.edited);
    assert_eq!(call.arguments["text"], "half of it");
    scene.close().await;
}

/// TL-015: Neither a question nor a call comes of it, and the model reads why.
#[tokio::test]
async fn what_can_not_be_called_is_neither_asked_nor_sent() {
    let scene = Scene::new().await;
    let mut write = tool("write");
    write["inputSchema"] = json!({ "type": "object", "properties": { "days": { "type": "integer", "maximum": 7 } },
        "required": ["city"], "additionalProperties": false });
    let (_, mut puppet, _stage) = scene.puppet("notes", &[write]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("misfit", "notes__write", r#"{"days":8}"#),
        ("garbled", "notes__write", r#"{"city": "Os"#),
        ("unknown", "notes__burn", "{}"),
        ("elsewhere", "Notes__write", r#"{"city":"Oslo"}"#),
    ]));
    model.will(Turn::words("I see."));
    scene.say(chat, "Go.").await;
    let calls = Scene::calls(&scene.finished(chat).await);
    let problems: Vec<_> = calls
        .iter()
        .map(|call| match &call.state {
            CallState::Failed { problem } => problem,
            other => panic!("{other:?}"),
        })
        .collect();
    let Problem::Call(CallProblem::ArgumentsInvalid { errors }) = problems[0] else {
        panic!("{problems:?}")
    };
    let errors = errors.join("; ");
    assert!(errors.contains("/days") && errors.contains("city"), "{errors}");
    assert!(
        matches!(
            problems[1],
            Problem::Call(CallProblem::ArgumentsUnreadable { .. })
        ),
        "{problems:?}"
    );
    assert_eq!(
        *problems[2],
        Problem::Call(CallProblem::NoSuchTool {
            name: "notes__burn".into()
        })
    );
    assert_eq!(
        *problems[3],
        Problem::Call(CallProblem::NoSuchTool {
            name: "Notes__write".into()
        })
    );
    model.asked().await;
    assert_eq!(results(&model.asked().await).len(), 4);
    assert_eq!(scene.person.shown().len(), 1, "only the start was asked");
    // Everything the host sends comes in order, so a call would come before the end.
    scene.close().await;
    while let Some(message) = puppet.next().await {
        assert_ne!(message["method"], "tools/call", "{message}");
    }
}

/// A result that failed, an error reply, and words and a picture: each looks like what it is.
#[tokio::test]
async fn each_kind_of_answer_is_shown_as_what_it_is() {
    let scene = Scene::new().await;
    scene.tour().await;
    scene.agrees();
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("failed", "tour__fail", r#"{"how":"tool_error"}"#),
        ("error", "tour__fail", r#"{"how":"protocol_error"}"#),
        ("picture", "tour__picture", "{}"),
    ]));
    model.will(Turn::words("Seen."));
    scene.say(chat, "Go.").await;
    let calls = Scene::calls(&scene.finished(chat).await);
    assert!(
        matches!(&calls[0].state, CallState::Answered { result, .. } if result.failed),
        "{:?}",
        calls[0]
    );
    let CallState::Failed { problem } = &calls[1].state else {
        panic!("{:?}", calls[1])
    };
    assert!(
        matches!(
            problem,
            Problem::Call(CallProblem::ServerError { code: -32603, .. })
        ),
        "{problem:?}"
    );
    let CallState::Answered { result, .. } = &calls[2].state else {
        panic!("{:?}", calls[2])
    };
    assert!(matches!(
        &result.content[..],
        [
            ContentView::Text { .. },
            ContentView::Image { .. },
            ContentView::Link { .. }
        ]
    ));
    model.asked().await;
    let told = results(&model.asked().await);
    assert!(told[1].1.contains("protocol error"), "{told:?}");
    scene.close().await;
}

/// Shows TL-019: a structured result that is not what the tool declared is shown to the user with what is wrong, and
/// no model gets it as data.
#[tokio::test]
async fn a_structured_result_that_does_not_fit_reaches_no_model() {
    let scene = Scene::new().await;
    let mut count = tool("count");
    count["outputSchema"] = json!({ "type": "object", "properties": { "pages": { "type": "integer" } },
        "required": ["pages"] });
    let (_, mut puppet, _stage) = scene.puppet("notes", &[count]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("unfit", "notes__count", r#"{"pages":"seven hundred"}"#),
        ("fit", "notes__count", r#"{"pages":7}"#),
    ]));
    model.will(Turn::words("Counted."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    for _ in 0..2 {
        let call = puppet.hear("tools/call").await;
        let result = json!({ "content": [], "structuredContent": call["params"]["arguments"] });
        puppet.answer(&call, result).await;
    }
    model.asked().await;
    let told = results(&model.asked().await);
    let of = |call: &str| told.iter().find(|(id, _)| id == call).unwrap().1.clone();
    assert!(of("unfit").contains("does not fit"), "{told:?}");
    assert!(!of("unfit").contains("seven hundred"), "{told:?}");
    assert_eq!(of("fit"), r#"{"pages":7}"#);
    let calls = Scene::calls(&scene.finished(chat).await);
    let CallState::Answered { result, .. } = &calls[0].state else {
        panic!("{calls:?}")
    };
    assert_eq!(result.structured, Some(json!({ "pages": "seven hundred" })));
    assert!(result.misfits.join("; ").contains("/pages"), "{result:?}");
    scene.close().await;
}

/// PS-001, LG-005: a long call shows how far it is, and its server's words are in its log.
/// Shows TL-006.
#[tokio::test]
async fn progress_and_log_lines_are_shown_while_a_call_runs() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[tool("slow")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__slow", json!({})));
    model.will(Turn::words("Done."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = puppet.hear("tools/call").await;
    let token = call["params"]["_meta"]["progressToken"].clone();
    let half = json!({ "progressToken": token, "progress": 1, "total": 2, "message": "half" });
    puppet.notify("notifications/progress", half).await;
    let log = json!({ "level": "warning", "logger": "deep", "data": "getting warm" });
    puppet.notify("notifications/message", log).await;
    puppet.write_error(b"a line beside it\n").await;
    let running = |state: &CallState| {
        let CallState::Running {
            progress: Some(progress),
            ..
        } = state
        else {
            return false;
        };
        progress.done == 1.0 && progress.total == Some(2.0) && progress.message.as_deref() == Some("half")
    };
    scene.call(chat, "progress", running).await;
    puppet.answer(&call, text_result("ok")).await;
    scene.finished(chat).await;
    scene
        .logged(server, &["deep: getting warm", "a line beside it"])
        .await;
    scene.close().await;
}
