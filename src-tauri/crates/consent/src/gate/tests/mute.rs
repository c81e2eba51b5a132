//! What is not asked is refused all the same, and the ledger says how often without becoming a flood itself.

use super::*;
use crate::{FormRequest, Inbox, NotTaken};
use jiff::ToSpan;
use vestibule_policy::RequestKind;

const MINUTE: Duration = Duration::from_secs(60);

impl Scene {
    fn hello(&self) -> FormRequest {
        FormRequest {
            server: self.server.clone(),
            cause: None,
            form: cards::form("Hello?", &[]),
        }
    }

    async fn form(&self) -> Denied {
        self.hello().approve(&self.gate, nobody).await.unwrap_err()
    }

    /// What the ledger says was refused unasked: in which word, and how often.
    async fn unasked(&self) -> Vec<(String, i64)> {
        let all = self.ledger().await;
        let counted = all.into_iter().filter(|record| record.body["times"].is_number());
        counted
            .map(|record| (record.decision.unwrap(), record.body["times"].as_i64().unwrap()))
            .collect()
    }

    /// As the consent window would: through the gate, which keeps what is muted.
    async fn mute_forms(&self, minutes: Option<u32>) {
        let gate = self.gate.clone();
        let muted = self
            .hello()
            .approve(&self.gate, move |id| {
                let question = gate
                    .questions
                    .inbox
                    .questions()
                    .into_iter()
                    .find(|q| q.id == id)
                    .unwrap();
                gate.questions()
                    .answer(reply(question, Answer::Mute { minutes }))
                    .unwrap();
            })
            .await;
        assert!(matches!(muted, Err(Denied::Muted)), "{muted:?}");
    }
}

fn times(said: &str, counts: &[i64]) -> Vec<(String, i64)> {
    counts.iter().map(|count| (said.to_owned(), *count)).collect()
}

/// The answers to a call whose arguments are checked for longer can be a mute as well.
#[tokio::test(start_paused = true)]
async fn a_mute_is_kept_also_where_the_answer_waits_for_a_check() {
    let scene = scene().await;
    let gate = Arc::clone(&scene.gate);
    let asked = move |id| {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            let questions = gate.questions.inbox.questions();
            let question = questions.into_iter().find(|it| it.id == id).unwrap();
            let mute = reply(question, Answer::Mute { minutes: None });
            gate.questions().answer_when_checked(mute).await.unwrap();
        });
    };
    let muted = scene.hello().approve(&scene.gate, asked).await;
    assert!(matches!(muted, Err(Denied::Muted)), "{muted:?}");
    scene.gate.close().await;
    let all = scene.ledger().await;
    assert!(
        all.iter().any(|record| record.action == "questions.mute"),
        "{all:?}"
    );
}

/// SA-023: muted questions are refused, and written down together.
#[tokio::test(start_paused = true)]
async fn what_is_muted_is_refused_and_counted_a_minute_at_a_time() {
    let scene = scene().await;
    scene.mute_forms(None).await;
    for _ in 0..5 {
        assert!(matches!(scene.form().await, Denied::Muted));
    }
    assert_eq!(
        scene.unasked().await,
        times("muted", &[1]),
        "the first is told at once"
    );
    pass(MINUTE - Duration::from_millis(1));
    scene.form().await;
    assert_eq!(scene.unasked().await.len(), 1);
    pass(Duration::from_millis(1));
    scene.form().await;
    assert_eq!(scene.unasked().await, times("muted", &[1, 6]));
    scene.form().await;
    scene.form().await;
    scene
        .gate
        .questions()
        .unmute(scene.server.id, RequestKind::Form)
        .await
        .unwrap();
    assert_eq!(
        scene.unasked().await,
        times("muted", &[1, 6, 2]),
        "nothing is lost"
    );
    let all = scene.ledger().await;
    let heard = all
        .iter()
        .find(|one| one.decision.as_deref() == Some("heard again"));
    let heard = heard.map(|one| (one.action.as_str(), one.object.as_str()));
    assert_eq!(heard, Some(("questions.mute", "form")));
    scene.gate.close().await;
    assert_eq!(scene.unasked().await.len(), 3, "nothing is told twice");
}

#[tokio::test(start_paused = true)]
async fn what_was_only_counted_is_written_when_the_application_closes() {
    let scene = scene().await;
    scene.mute_forms(None).await;
    for _ in 0..3 {
        scene.form().await;
    }
    scene.gate.close().await;
    assert_eq!(scene.unasked().await, times("muted", &[1, 2]));
}

#[tokio::test(start_paused = true)]
async fn what_is_turned_away_is_written_down_and_other_servers_are_counted_for_themselves() {
    let scene = scene().await;
    let other = ServerId::new();
    scene.store.put_server(&server_record(other)).await.unwrap();
    for _ in 0..3 {
        scene
            .gate
            .questions()
            .count_turned_away(scene.server.id, RequestKind::Form, "form.send", 1);
    }
    scene
        .gate
        .questions()
        .count_turned_away(other, RequestKind::Form, "form.send", 1);
    scene.gate.close().await;
    assert_eq!(scene.unasked().await, times("too many", &[1, 1, 2]));
    let servers: Vec<_> = scene.ledger().await.into_iter().map(|one| one.server).collect();
    assert_eq!(
        servers,
        [Some(scene.server.id), Some(other), Some(scene.server.id)]
    );
}

/// EF-009.
#[tokio::test(start_paused = true)]
async fn a_question_too_many_is_refused_and_written_down() {
    let scene = scene().await;
    let mut waiting = vec![];
    for _ in 0..64 {
        let (gate, request) = (scene.gate.clone(), scene.hello());
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        waiting.push(tokio::spawn(async move {
            request
                .approve(&gate, |id| {
                    assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()));
                })
                .await
        }));
        told.await.unwrap();
    }
    assert!(matches!(scene.form().await, Denied::NotAsked));
    assert_eq!(scene.unasked().await, times("too many", &[1]));
    scene.inbox.close();
    assert!(matches!(scene.form().await, Denied::Dismissed));
    assert_eq!(
        scene.unasked().await.len(),
        1,
        "what comes while closing is no fault of the server"
    );
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn what_is_muted_stays_muted_over_a_restart_until_its_time_is_over() {
    let scene = scene().await;
    scene.mute_forms(Some(10)).await;
    scene.gate.close().await;
    let mutes: Vec<_> = scene
        .ledger()
        .await
        .into_iter()
        .filter(|one| one.action == "questions.mute")
        .collect();
    assert_eq!(mutes.len(), 1);
    assert_eq!(
        (mutes[0].object.as_str(), mutes[0].decision.as_deref()),
        ("form", Some("muted"))
    );
    let until = noon() + 10.minutes();
    assert_eq!(mutes[0].body["until"], json!(until));
    let reopened = || Gate::open(scene.store.clone(), Inbox::new(clock), clock);
    let gate = reopened().await.unwrap();
    assert_eq!(gate.questions().muted().len(), 1);
    assert_eq!(gate.questions().muted()[0].until, Some(until));
    pass(10 * MINUTE);
    assert_eq!(gate.questions().muted(), []);
    assert_eq!(reopened().await.unwrap().questions().muted(), []);
    scene
        .store
        .put_setting("muted", json!("unreadable"))
        .await
        .unwrap();
    assert_eq!(
        reopened().await.unwrap().questions().muted(),
        [],
        "then everything is asked"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_heard_again_is_kept_and_what_was_never_muted_is_not_noted() {
    let scene = scene().await;
    scene.mute_forms(None).await;
    scene
        .gate
        .questions()
        .unmute(scene.server.id, RequestKind::Page)
        .await
        .unwrap();
    scene
        .gate
        .questions()
        .unmute(ServerId::new(), RequestKind::Form)
        .await
        .unwrap();
    assert_eq!(scene.gate.questions().muted().len(), 1);
    scene
        .gate
        .questions()
        .unmute(scene.server.id, RequestKind::Form)
        .await
        .unwrap();
    assert_eq!(scene.gate.questions().muted(), []);
    scene.gate.close().await;
    assert_eq!(scene.store.setting("muted").await.unwrap(), Some(json!([])));
    let all = scene.ledger().await;
    let heard = all
        .iter()
        .filter(|one| one.decision.as_deref() == Some("heard again"));
    assert_eq!(heard.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_nothing_mutes_nothing() {
    let scene = scene().await;
    let reply = Reply {
        question: QuestionId::new(),
        nonce: String::new(),
        digest: Digest::of_question(&json!({})),
        answer: Answer::Mute { minutes: None },
        also: vec![],
    };
    assert_eq!(scene.gate.questions().answer(reply), Err(NotTaken::Stale));
    assert_eq!(scene.gate.questions().muted(), []);
}
