//! Which answers each card has, and what has to stand in them.

use super::*;
use crate::tests::cards::{address, form, page, sign_in, visit};
use crate::{IssuerLookUp, IssuerSite, SignIn};
use vestibule_policy::{Condition, Test};

const BLOCKED: &str = "https://10.0.0.1/";
const GOOD: &str = "https://example.com/";

/// What becomes of an answer to a card that has stood in front for its guard.
async fn says(about: QuestionBody, scopes: &[Scope], answer: Answer) -> Result<(), NotTaken> {
    let inbox = Inbox::default();
    let validate = Validate::now(|_| Ok(()));
    let _asked = inbox
        .ask(Draft {
            about,
            scopes: scopes.to_vec(),
            validate: Some(validate),
            ..draft(ServerId::new())
        })
        .unwrap();
    let question = inbox.questions().pop().unwrap();
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    inbox.answer(Reply {
        answer,
        ..yes(&question)
    })
}

#[track_caller]
fn unfit(taken: &Result<(), NotTaken>) {
    assert!(matches!(taken, Err(NotTaken::Invalid(_))), "{taken:?}");
}

fn accept(scope: Scope) -> Answer {
    Answer::Accept {
        scope,
        arguments: None,
        when: vec![],
    }
}

fn submit(content: &Value) -> Answer {
    Answer::Submit {
        content: content.as_object().cloned().unwrap(),
        not_secret: vec![],
    }
}

/// EF-011.
#[tokio::test(start_paused = true)]
async fn a_form_takes_what_fits_it_and_nothing_else() {
    let card = || QuestionBody::FillForm(form("Who are you?", &["name"]));
    assert_eq!(says(card(), &[], submit(&json!({"name": "Ada"}))).await, Ok(()));
    let wrong = says(card(), &[], submit(&json!({"name": 1}))).await;
    assert_eq!(
        wrong,
        Err(NotTaken::Invalid(
            "the field \"name\" cannot be sent like this".into()
        ))
    );
    for other in [accept(Scope::Once), Answer::Open, Answer::Done] {
        unfit(&says(card(), &[], other).await);
    }
}

/// EU-004, AU-051: what is blocked is not opened, whoever says yes.
#[tokio::test(start_paused = true)]
async fn a_page_is_opened_unless_it_is_blocked() {
    let open = |url| says(QuestionBody::OpenPage(page(url)), &[], Answer::Open);
    assert_eq!(open(GOOD).await, Ok(()));
    unfit(&open(BLOCKED).await);
    let visiting = |url, answer| says(QuestionBody::VisitPage(visit(url)), &[], answer);
    assert_eq!(visiting(GOOD, Answer::Open).await, Ok(()));
    assert_eq!(visiting(GOOD, Answer::Done).await, Ok(()));
    unfit(&visiting(BLOCKED, Answer::Open).await);
    unfit(&says(QuestionBody::OpenPage(page(GOOD)), &[], Answer::Done).await);
}

#[tokio::test(start_paused = true)]
async fn a_sign_in_is_agreed_to_unless_an_address_of_it_is_blocked() {
    let says = |card| {
        says(
            QuestionBody::SignIn(Box::new(card)),
            &[Scope::Once],
            accept(Scope::Once),
        )
    };
    assert_eq!(says(sign_in()).await, Ok(()));
    let blocked = SignIn {
        page: Some(address(BLOCKED)),
        ..sign_in()
    };
    unfit(&says(blocked).await);
}

#[tokio::test(start_paused = true)]
async fn an_issuer_is_looked_up_unless_its_address_is_blocked() {
    let says = |issuer| {
        let look_up = IssuerLookUp {
            issuer: address(issuer),
            site: IssuerSite::Other,
            proxy: None,
        };
        says(
            QuestionBody::LookUpIssuer(Box::new(look_up)),
            &[Scope::Once],
            accept(Scope::Once),
        )
    };
    assert_eq!(says(GOOD).await, Ok(()));
    unfit(&says(BLOCKED).await);
}

#[tokio::test(start_paused = true)]
async fn a_page_is_opened_once_for_each_yes() {
    let inbox = Inbox::default();
    let server = ServerId::new();
    let ask = || {
        let about = QuestionBody::OpenPage(page(GOOD));
        inbox
            .ask(Draft {
                about,
                ..draft(server)
            })
            .unwrap()
    };
    let (first, second) = (ask(), ask());
    let card = inbox.questions().remove(0);
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let open = |also: Vec<QuestionId>| {
        inbox.answer(Reply {
            answer: Answer::Open,
            also,
            ..yes(&card)
        })
    };
    unfit(&open(vec![second.id()]));
    assert_eq!(open(vec![first.id()]), Ok(()), "itself is no other one");
    assert_eq!(inbox.count(), 1);
}

fn equals(value: &str) -> Condition {
    Condition {
        at: "/page".into(),
        is: Test::Equals(json!(value)),
    }
}

/// What a user agrees to for longer has to hold for the call in front of them.
#[tokio::test(start_paused = true)]
async fn conditions_hold_for_the_call_on_the_card_and_for_longer_than_once() {
    let wide = [Scope::Once, Scope::Chat];
    let called = || {
        let tool = cards::tool("delete_page");
        QuestionBody::CallTool(cards::call(tool, &json!({"page": "Oslo"})))
    };
    let with = |scope, arguments: Option<Value>, when| Answer::Accept {
        scope,
        arguments: arguments.map(|arguments| arguments.as_object().cloned().unwrap()),
        when,
    };
    let chat = |when| with(Scope::Chat, None, when);
    let most = vec![equals("Oslo"); 8];
    assert_eq!(says(called(), &wide, chat(most.clone())).await, Ok(()));
    let too_many = [most, vec![equals("Oslo")]].concat();
    unfit(&says(called(), &wide, chat(too_many)).await);
    unfit(&says(called(), &wide, chat(vec![equals("Bergen")])).await);
    unfit(&says(called(), &wide, with(Scope::Once, None, vec![equals("Oslo")])).await);
    let nowhere = Condition {
        at: "page".into(),
        is: Test::Equals(json!("Oslo")),
    };
    unfit(&says(called(), &wide, chat(vec![nowhere])).await);
    let edited = Some(json!({"page": "Bergen"}));
    let as_edited = with(Scope::Chat, edited.clone(), vec![equals("Bergen")]);
    assert_eq!(says(called(), &wide, as_edited).await, Ok(()));
    let as_it_was = with(Scope::Chat, edited, vec![equals("Oslo")]);
    unfit(&says(called(), &wide, as_it_was).await);
    let other = QuestionBody::AllowTool(cards::tool("delete_page"));
    let any = Condition {
        at: String::new(),
        is: Test::Equals(json!({})),
    };
    unfit(&says(other, &wide, chat(vec![any])).await);
}

/// EF-011: the card says what is wrong while it is typed into.
#[tokio::test]
async fn a_form_is_checked_while_it_is_typed_into() {
    let inbox = Inbox::default();
    let (_other, other) = asked(&inbox);
    let content = json!({"name": 1}).as_object().cloned().unwrap();
    assert_eq!(inbox.invalid_fields(other.id, &content), None, "this is no form");
    let about = QuestionBody::FillForm(form("Who are you?", &["name"]));
    let draft = Draft {
        about,
        ..draft(ServerId::new())
    };
    let waiting = inbox.ask(draft).unwrap();
    assert_eq!(inbox.invalid_fields(waiting.id(), &Map::new()), Some(vec![]));
    let misfits = inbox.invalid_fields(waiting.id(), &content).unwrap();
    assert_eq!(misfits[0].field, "name");
    let id = waiting.id();
    drop(waiting);
    assert_eq!(inbox.invalid_fields(id, &content), None);
}

/// The nonce and digest of one question do not answer another.
#[tokio::test]
async fn no_two_questions_share_a_nonce_and_none_can_be_guessed() {
    let inbox = Inbox::default();
    let (_first, one) = asked(&inbox);
    let (_second, two) = asked(&inbox);
    assert_ne!(one.nonce, two.nonce);
    assert!([one, two].iter().all(|card| card.nonce.len() == 32));
}

/// A call is shown with the chat it comes from, and a yes is to that chat alone.
#[tokio::test(start_paused = true)]
async fn the_same_question_of_two_chats_is_two_questions() {
    let inbox = Inbox::default();
    let server = ServerId::new();
    let ask = |chat, entry| {
        let cause = Cause {
            chat,
            chat_title: "Oslo".into(),
            entry,
            task_of: None,
        };
        let about = QuestionBody::CallTool(cards::call(cards::tool("add"), &json!({})));
        let draft = Draft {
            cause: Some(cause),
            about,
            ..draft(server)
        };
        inbox.ask(draft).unwrap()
    };
    let chat = vestibule_protocol::ChatId::new();
    let entry = Some(vestibule_protocol::EntryId::new());
    let first = ask(chat, None);
    let (same, other) = (ask(chat, entry), ask(vestibule_protocol::ChatId::new(), None));
    let card = inbox.questions().remove(0);
    assert_eq!(card.id, first.id());
    inbox.presented(card.id);
    tokio::time::advance(GUARD).await;
    let also = |id| Reply {
        also: vec![id],
        ..yes(&card)
    };
    assert_eq!(inbox.answer(also(other.id())), Err(NotTaken::Stale));
    assert_eq!(inbox.answer(also(same.id())), Ok(()));
}

/// L-9: what looks like a secret is not sent, unless the user said of this very field that it holds none.
#[tokio::test(start_paused = true)]
async fn a_secret_is_sent_only_where_the_user_said_that_it_is_none() {
    let inbox = Inbox::new(cards::clock);
    let about = QuestionBody::FillForm(cards::form("Who are you?", &["name", "password"]));
    let draft = Draft {
        about,
        scopes: vec![],
        ..draft(ServerId::new())
    };
    let _waiting = inbox.ask(draft).unwrap();
    let question = inbox.questions().remove(0);
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    let submit = |not_secret: &[&str]| Reply {
        question: question.id,
        nonce: question.nonce.clone(),
        digest: question.digest,
        answer: Answer::Submit {
            content: json!({"name": "Ada", "password": "hunter2"})
                .as_object()
                .cloned()
                .unwrap(),
            not_secret: not_secret.iter().map(|name| (*name).to_owned()).collect(),
        },
        also: vec![],
    };
    for unconfirmed in [&[][..], &["name"]] {
        let taken = inbox.answer(submit(unconfirmed));
        assert!(matches!(taken, Err(NotTaken::Invalid(_))), "{taken:?}");
    }
    inbox.answer(submit(&["password"])).unwrap();
}

/// L-18: after three denials in a row the card says how many there were, and a yes begins the count again.
#[tokio::test(start_paused = true)]
async fn after_three_denials_in_a_row_a_card_offers_a_mute() {
    let inbox = Inbox::new(cards::clock);
    let (server, removed) = (ServerId::new(), ServerId::new());
    let answered_of = async |server: ServerId, answer: Answer| {
        let about = QuestionBody::FillForm(cards::form("Who are you?", &["name"]));
        let draft = Draft {
            about,
            scopes: vec![],
            ..draft(server)
        };
        let _waiting = inbox.ask(draft).unwrap();
        let question = inbox.questions().remove(0);
        inbox.presented(question.id);
        tokio::time::advance(GUARD).await;
        let reply = Reply {
            question: question.id,
            nonce: question.nonce.clone(),
            digest: question.digest,
            answer,
            also: vec![],
        };
        inbox.answer(reply).unwrap();
        question.denied
    };
    let answered = async |answer: Answer| answered_of(server, answer).await;
    let no = || Answer::Refuse { reason: None };
    let filled = Answer::Submit {
        content: Map::new(),
        not_secret: vec![],
    };
    for denied in [None, None, None, Some(3)] {
        assert_eq!(answered(no()).await, denied);
        answered_of(removed, no()).await;
    }
    inbox.forget_server(removed);
    assert_eq!(answered_of(removed, no()).await, None, "a server that is removed");
    assert_eq!(answered(Answer::Cancel).await, Some(4));
    assert_eq!(answered(filled).await, Some(4));
    assert_eq!(answered(no()).await, None);
}

/// L-6: a yes within the double-click time of the system is the second click of something else.
#[tokio::test(start_paused = true)]
async fn a_slow_double_click_lengthens_the_click_delay() {
    let inbox = Inbox::default();
    inbox.set_least_delay(Duration::from_millis(900));
    let (_asked, question) = asked(&inbox);
    assert_eq!(question.guard_ms, 900);
    inbox.presented(question.id);
    tokio::time::advance(GUARD).await;
    assert_eq!(inbox.answer(yes(&question)), Err(NotTaken::TooSoon));
    tokio::time::advance(Duration::from_millis(900) - GUARD).await;
    assert_eq!(inbox.answer(yes(&question)), Ok(()));
    inbox.set_least_delay(Duration::MAX);
    let (_asked, question) = self::asked(&inbox);
    assert_eq!(Duration::from_millis(question.guard_ms.into()), MAX_LEAST_DELAY);
}
