//! Links that a model writes: a click shows the whole address on a card, and nothing but its yes opens the browser.

use vestibule_consent::{Answer, Page, PageSource, Question, QuestionBody};
use vestibule_host::view::{ChangeEnd, ChangeOutcome, InputProblem, Problem, QuestionProblem};
use vestibule_policy::inspect::{UrlVerdict, UrlWarning};
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Scene, Turn, ended, give, records};

const URL: &str = "https://docs.example.com/guide?part=550e8400#start";

/// A chat in which the model answered with this text, and the entry of the answer.
async fn answered(scene: &Scene, text: &str) -> (ChatId, EntryId) {
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::words(text));
    scene.say(chat, "Where can I read more?").await;
    model.asked().await;
    (chat, scene.finished(chat).await[1].id)
}

async fn click(scene: &Scene, (chat, entry): (ChatId, EntryId), url: &str) -> Result<ChangeOutcome, Problem> {
    scene.host.link_open(chat, entry, url.to_owned()).await
}

fn page(question: &Question) -> &Page {
    match &question.about {
        QuestionBody::OpenPage(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

#[tokio::test]
async fn a_link_of_a_model_opens_only_after_the_yes_and_exactly_as_shown() {
    let scene = Scene::new().await;
    let at = answered(&scene, &format!("Read [the guide]({URL}).")).await;
    let asked = click(&scene, at, URL).await.unwrap();
    assert!(matches!(asked, ChangeOutcome::Asked { .. }), "{asked:?}");
    assert_eq!(scene.opened(), [] as [&str; 0]);
    let (card, end) = scene.answered(asked, Answer::Open).await;
    assert_eq!(end, ChangeEnd::Done);
    assert_eq!(page(&card).address.canonical.as_deref(), Some(URL));
    assert!(matches!(&page(&card).source, PageSource::Answer { model } if !model.is_empty()));
    let cause = card.cause.as_ref().unwrap();
    assert_eq!((cause.chat, cause.entry), (at.0, Some(at.1)));
    assert_eq!(scene.opened(), [URL]);
    let all = records(&scene.store).await;
    let opened = (
        "page.open".into(),
        "docs.example.com".into(),
        Some("opened".into()),
    );
    assert!(ended(&all).contains(&opened), "{:?}", ended(&all));
    assert!(
        !format!("{all:?}").contains("550e8400"),
        "the ledger keeps the host alone"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_link_that_is_denied_or_skipped_opens_nothing() {
    let scene = Scene::new().await;
    let at = answered(&scene, &format!("See {URL}.")).await;
    // As often as the user likes: a click is no request of a server, so no pace is held against it.
    for answer in [Answer::Refuse { reason: None }, Answer::Cancel]
        .into_iter()
        .cycle()
        .take(12)
    {
        let asked = click(&scene, at, URL).await.unwrap();
        let (card, end) = scene.answered(asked, answer).await;
        assert_eq!(end, ChangeEnd::Refused);
        assert_eq!((card.often, card.denied), (None, None));
    }
    assert_eq!(scene.opened(), [] as [&str; 0]);
    scene.close().await;
}

#[tokio::test]
async fn only_an_address_of_that_answer_reaches_a_card() {
    let scene = Scene::new().await;
    let text = format!("See {URL} and [this](javascript:alert(1)) and file:///etc/passwd.");
    let (chat, entry) = answered(&scene, &text).await;
    let message = scene.finished(chat).await[0].id;
    let (other, _) = answered(&scene, "Nothing.").await;
    for (chat, entry, address) in [
        (chat, entry, "https://evil.example.net/"),
        (chat, entry, "https://docs.example"),
        (chat, entry, "javascript:alert(1)"),
        (chat, entry, "file:///etc/passwd"),
        (other, entry, URL),
        (chat, message, URL),
    ] {
        let refused = Problem::Input(InputProblem::LinkNotInAnswer {
            address: address.to_owned(),
        });
        assert_eq!(
            click(&scene, (chat, entry), address).await,
            Err(refused),
            "{address}"
        );
    }
    let gone = click(&scene, (chat, EntryId::new()), URL).await;
    assert_eq!(gone, Err(Problem::Input(InputProblem::Gone)));
    assert_eq!(scene.opened(), [] as [&str; 0]);
    scene.close().await;
}

#[tokio::test]
async fn a_deceptive_link_is_shown_and_no_answer_opens_it() {
    let scene = Scene::new().await;
    let deceptive = "https://example.com@evil.test/";
    let at = answered(&scene, &format!("[example.com]({deceptive})")).await;
    let asked = click(&scene, at, deceptive).await.unwrap();
    let card = scene.person.asked().await;
    assert_eq!(page(&card).address.verdict, UrlVerdict::Block);
    assert!(page(&card).address.warnings.contains(&UrlWarning::Userinfo));
    let taken = give(&scene.host, &card, Answer::Open).await;
    assert!(
        matches!(taken, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
        "{taken:?}"
    );
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    let ChangeOutcome::Asked { question } = asked else {
        panic!("not asked")
    };
    let over = |seen: &vestibule_tests::Projection| seen.answered.contains_key(&question);
    scene.window.until("the end of the card", over).await;
    assert_eq!(scene.opened(), [] as [&str; 0]);
    scene.close().await;
}

#[tokio::test]
async fn a_browser_that_does_not_start_for_a_link_is_said() {
    let scene = Scene::new().await;
    let at = answered(&scene, &format!("See {URL}.")).await;
    std::fs::remove_file(scene.folder().join("browser")).unwrap();
    let asked = click(&scene, at, URL).await.unwrap();
    let (_, end) = scene.answered(asked, Answer::Open).await;
    let failed = |end: &ChangeEnd| {
        matches!(
            end,
            ChangeEnd::Failed {
                problem: Problem::Question(QuestionProblem::PageNotOpened { .. })
            }
        )
    };
    assert!(failed(&end), "{end:?}");
    let ends = ended(&records(&scene.store).await);
    assert!(
        ends.iter()
            .any(|(_, _, end)| end.as_deref() == Some("not opened")),
        "{ends:?}"
    );
    scene.close().await;
}
