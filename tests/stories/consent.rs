//! What a yes needs before it counts, what a no does, and that nothing happens without an answer.

use serde_json::json;
use vestibule_consent::{Answer, QuestionBody, Reply};
use vestibule_host::view::{CallState, Problem, QuestionProblem, RefusedBy, ServerState};
use vestibule_policy::{Digest, Scope};
use vestibule_store::LedgerKind;
use vestibule_tests::{Scene, Stage, Turn, give, naming, records, results, text_result, tool, yes};

/// Shows LS-001, LS-003, HO-002, HO-020.
#[tokio::test]
async fn nothing_starts_before_the_person_says_so() {
    let scene = Scene::new().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[("TOKEN", "t")]).await;
    assert_eq!(
        scene.person.shown().len(),
        0,
        "adding asks nothing and starts nothing"
    );
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::StartServer(launch) = &question.about else {
        panic!("{question:?}")
    };
    assert!(launch.program.ends_with("/vestibule-server"), "{launch:?}");
    let variables: Vec<_> = launch
        .variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!((&launch.args, variables), (&stage.args(), vec!["TOKEN"]));
    assert_eq!(question.guard_ms, 3000, "code will run on this computer");
    let folder = scene.folder().display().to_string();
    assert_eq!(naming(&folder), [], "nothing runs while the question waits");
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let stopped = |view: &vestibule_host::view::ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    assert_eq!(naming(&folder), [], "nothing runs after a no");
    assert!(
        !records(&scene.store)
            .await
            .iter()
            .any(|record| record.kind == LedgerKind::Intent)
    );
    scene.close().await;
}

/// Shows TL-004, TL-007, TL-008, HO-006, HO-007, HO-010.
#[tokio::test]
async fn a_denial_reaches_the_model_in_the_persons_words_and_the_server_not_at_all() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("burn")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__burn", json!({})));
    model.will(Turn::words("As you wish."));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    let reason = Some("keep the letters".to_owned());
    scene
        .person
        .say(
            &question,
            Answer::Refuse {
                reason: reason.clone(),
            },
        )
        .await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    let refused = CallState::Refused {
        by: RefusedBy::Person,
        reason,
    };
    assert_eq!(call.state, refused);
    model.asked().await;
    let (_, told) = results(&model.asked().await).remove(0);
    assert!(
        told.contains("denied") && told.contains("keep the letters"),
        "{told}"
    );
    scene.close().await;
    while let Some(message) = puppet.next().await {
        assert_ne!(message["method"], "tools/call", "{message}");
    }
}

#[tokio::test]
async fn the_rehearsal_says_that_it_was_denied() {
    let scene = Scene::new().await;
    scene.tour().await;
    let chat = scene.chat().await;
    scene.say(chat, "add 2 and 3").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let entries = scene.finished(chat).await;
    let vestibule_host::view::EntryBody::Assistant { text, .. } = &entries.last().unwrap().body else {
        panic!("{entries:?}")
    };
    assert!(text.contains("denied"), "{text}");
    scene.close().await;
}

/// While the card is in front the clock stands still but for what the test lets pass: a computer that stops for a
/// moment in between proves nothing.
#[tokio::test]
async fn a_yes_counts_only_for_the_card_that_stood_still_in_front() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[tool("one"), tool("two")]).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::calls(&[
        ("1", "notes__one", "{}"),
        ("2", "notes__two", "{}"),
    ]));
    model.will(Turn::words("Done."));
    scene.say(chat, "Go.").await;
    let (first, second) = (scene.person.asked().await, scene.person.asked().await);
    let reply = |question: &vestibule_consent::Question| Reply {
        question: question.id,
        nonce: question.nonce.clone(),
        digest: question.digest,
        answer: yes(Scope::Once),
        also: vec![],
    };
    let host = &scene.host;
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "never shown"
    );
    let almost = std::time::Duration::from_millis(u64::from(first.guard_ms) - 1);
    let moment = std::time::Duration::from_millis(2);
    tokio::time::pause();
    host.consent_present(first.id);
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "just shown"
    );
    tokio::time::advance(almost).await;
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "almost"
    );
    tokio::time::advance(moment).await;
    assert_eq!(
        host.consent_answer(reply(&second)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "not in front"
    );
    host.consent_disturbed();
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "moved"
    );
    tokio::time::advance(almost + moment).await;
    host.consent_concealed();
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerTooSoon)),
        "hidden"
    );
    let foreign = [
        Reply {
            nonce: second.nonce.clone(),
            ..reply(&first)
        },
        Reply {
            digest: second.digest,
            ..reply(&first)
        },
        Reply {
            digest: Digest::of_question(&json!({})),
            ..reply(&first)
        },
    ];
    for reply in foreign {
        assert_eq!(
            host.consent_answer(reply).await,
            Err(Problem::Question(QuestionProblem::AnswerStale))
        );
    }
    tokio::time::resume();
    give(host, &first, yes(Scope::Once)).await.unwrap();
    assert_eq!(
        host.consent_answer(reply(&first)).await,
        Err(Problem::Question(QuestionProblem::AnswerStale)),
        "once is once"
    );
    scene.person.say(&second, Answer::Cancel).await;
    let call = puppet.hear("tools/call").await;
    // Both calls are asked at once, so either can be the first card.
    let QuestionBody::CallTool(allowed) = &first.about else {
        panic!("{first:?}")
    };
    assert_eq!(call["params"]["name"], allowed.tool.name);
    puppet.answer(&call, text_result("ok")).await;
    scene.finished(chat).await;
    scene.close().await;
}

/// A flood of questions ends at the gate and not on the user.
#[tokio::test]
async fn a_server_can_not_bury_the_person_under_questions() {
    let scene = Scene::new().await;
    let (_, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    let ids: Vec<String> = (0..50).map(|n| format!("call{n}")).collect();
    let calls: Vec<_> = ids.iter().map(|id| (id.as_str(), "notes__read", "{}")).collect();
    model.will(Turn::calls(&calls));
    scene.say(chat, "Go.").await;
    let full = |seen: &vestibule_tests::Projection| {
        let calls = Scene::calls(seen.chat(chat));
        calls.len() == 50
            && calls.iter().all(|call| call.state != CallState::Deciding)
            && seen.waiting.len() == 1
    };
    let seen = scene.window.until("one card", full).await;
    let waiting = Scene::calls(seen.chat(chat));
    let waiting = waiting
        .iter()
        .filter(|call| matches!(call.state, CallState::Waiting { .. }));
    assert_eq!(waiting.count(), 50, "each call waits where the user sees it");
    scene.host.chat_stop(chat);
    scene.finished(chat).await;
    let quiet = |seen: &vestibule_tests::Projection| seen.waiting.is_empty();
    scene.window.until("no question", quiet).await;
    scene.close().await;
}

/// Quitting is never a yes, and what waited is written down as put off.
#[tokio::test]
async fn closing_the_host_answers_not_now_and_leaves_no_child() {
    let scene = Scene::new().await;
    scene.tour().await;
    let chat = scene.chat().await;
    scene.say(chat, "add 2 and 3").await;
    let question = scene.person.asked().await;
    assert!(matches!(question.about, QuestionBody::CallTool(_)));
    assert!(
        !naming(&scene.folder().display().to_string()).is_empty(),
        "the tour runs"
    );
    // Closing looks for processes that are left.
    let scene = scene.reopen().await;
    let entries = scene.newest_entries(chat).await;
    let call = Scene::calls(&entries).remove(0);
    assert!(
        matches!(
            call.state,
            CallState::Refused {
                by: RefusedBy::NotNow,
                ..
            } | CallState::Cancelled { sent: false }
        ),
        "{call:?}"
    );
    assert_eq!(scene.window.now().waiting, []);
    scene.close().await;
}
