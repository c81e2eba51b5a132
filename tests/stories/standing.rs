//! Rules the user looks after, and the ledger they look into: a condition made on the card, a change that is asked,
//! a draft tried on the past, rules carried in a file, and a ledger that is older than it was.

mod files;

use serde_json::{Map, Value, json};
use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::{
    InputProblem, LedgerCheck, LedgerQuery, Problem, QuestionProblem, RuleChange, RuleDraft, ToolRule,
};
use vestibule_policy::{Because, Condition, Digest, Reach, Scope, Test};
use vestibule_protocol::{ChatId, RuleId, ServerId, WorkspaceId};
use vestibule_tests::{Model, Puppet, Scene, Turn, eventually, give, text_result, tool, yes};

fn ends_in(end: &str) -> Condition {
    Condition {
        at: "/to".into(),
        is: Test::Glob(format!("**{end}")),
    }
}

fn when(conditions: &[Condition]) -> Answer {
    Answer::Accept {
        scope: Scope::Always,
        arguments: None,
        when: conditions.to_vec(),
    }
}

async fn begin(scene: &Scene, chat: ChatId, model: &mut Model, to: &str) {
    model.will(Turn::call("one", "mail__send", json!({ "to": to })));
    scene.say(chat, "Go.").await;
    model.asked().await;
}

async fn finish(scene: &Scene, puppet: &mut Puppet, chat: ChatId, model: &mut Model) -> Vec<Because> {
    let call = puppet.hear("tools/call").await;
    puppet.answer(&call, text_result("sent")).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    Scene::calls(&scene.finished(chat).await).pop().unwrap().because
}

/// A scene in which the model may send mail within one domain.
async fn mail() -> (Scene, ServerId, Puppet, vestibule_tests::Stage, ChatId, Model) {
    let scene = Scene::new().await;
    let (server, mut puppet, stage) = scene.puppet("mail", &[tool("send")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    begin(&scene, chat, &mut model, "kari@ours.example").await;
    let question = scene.person.asked().await;
    scene
        .person
        .say(&question, when(&[ends_in("@ours.example")]))
        .await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    (scene, server, puppet, stage, chat, model)
}

/// Shows HO-006.
#[tokio::test]
async fn a_condition_made_on_the_card_lets_only_such_calls_pass() {
    let (scene, _, mut puppet, _stage, chat, mut model) = mail().await;
    begin(&scene, chat, &mut model, "ola@ours.example").await;
    let because = finish(&scene, &mut puppet, chat, &mut model).await;
    assert!(matches!(because[..], [Because::Rule { .. }]), "{because:?}");
    begin(&scene, chat, &mut model, "eve@theirs.example").await;
    let question = scene.person.asked().await;
    assert!(
        matches!(question.about, QuestionBody::CallTool(_)),
        "{question:?}"
    );
    scene.person.say(&question, yes(Scope::Once)).await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    scene.close().await;
}

/// What does not hold for the call in front cannot be what the user meant.
#[tokio::test]
async fn a_condition_that_does_not_hold_for_the_card_is_not_taken() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("mail", &[tool("send")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    begin(&scene, chat, &mut model, "eve@theirs.example").await;
    let question = scene.person.asked().await;
    let once = Answer::Accept {
        scope: Scope::Once,
        arguments: None,
        when: vec![ends_in("@theirs.example")],
    };
    let edited = Answer::Accept {
        scope: Scope::Always,
        arguments: json!({ "to": "kari@ours.example" }).as_object().cloned(),
        when: vec![ends_in("@theirs.example")],
    };
    for wrong in [when(&[ends_in("@ours.example")]), once, edited] {
        let taken = give(&scene.host, &question, wrong).await;
        assert!(
            matches!(taken, Err(Problem::Question(QuestionProblem::AnswerUnfit { .. }))),
            "{taken:?}"
        );
    }
    scene.person.say(&question, yes(Scope::Once)).await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    assert_eq!(
        scene
            .host
            .rules()
            .await
            .unwrap()
            .iter()
            .filter(|rule| !rule.when.is_empty())
            .count(),
        0
    );
    scene.close().await;
}

/// Shows HO-006.
#[tokio::test]
async fn every_rule_is_listed_and_one_taken_back_is_asked_again() {
    let (scene, server, mut puppet, _stage, chat, mut model) = mail().await;
    let rule = rule_of(&scene).await;
    assert_eq!(
        (rule.server, rule.server_name.as_str(), rule.scope),
        (server, "mail", Scope::Always)
    );
    assert_eq!(rule.when, [ends_in("@ours.example")]);
    scene.host.rule_take_back(rule.id).await.unwrap();
    assert!(
        scene
            .host
            .rules()
            .await
            .unwrap()
            .iter()
            .all(|held| held.id != rule.id)
    );
    begin(&scene, chat, &mut model, "kari@ours.example").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    scene.close().await;
}

/// Narrowing holds at once, widening is a question in the window that answers questions.
/// Shows HO-006.
#[tokio::test]
async fn a_rule_is_narrowed_at_once_and_widened_after_a_question() {
    let (scene, _, _puppet, _stage, _, _) = mail().await;
    let rule = rule_of(&scene).await.id;
    let short = Condition {
        at: "/to".into(),
        is: Test::AtMostBytes(30),
    };
    let draft = |when: &[Condition]| drafted(rule, when);
    let narrow = [ends_in("@ours.example"), short];
    assert_eq!(
        scene.host.rule_change(draft(&narrow)).await,
        Ok(RuleChange::Holds)
    );
    assert_eq!(rule_of(&scene).await.when, narrow);
    for (answer, holds) in [(Answer::Refuse { reason: None }, 2), (yes(Scope::Always), 0)] {
        assert_eq!(scene.host.rule_change(draft(&[])).await, Ok(RuleChange::Asked));
        let question = scene.person.asked().await;
        let QuestionBody::KeepRules(set) = &question.about else {
            panic!("{question:?}")
        };
        assert_eq!(set.before.as_ref().unwrap().when, narrow);
        assert_eq!(rule_of(&scene).await.when, narrow, "not before the answer");
        scene.person.say(&question, answer).await;
        eventually("the conditions of the answer", async || {
            rule_of(&scene).await.when.len() == holds
        })
        .await;
    }
    scene.close().await;
}

/// The disk can be full, for example. The window then gets the reason, and the rule stays as it was.
#[tokio::test]
async fn a_rule_that_could_not_be_narrowed_is_not_said_to_be() {
    let (scene, _, _puppet, _stage, _, _) = mail().await;
    let rule = rule_of(&scene).await;
    let database = rusqlite::Connection::open(scene.database()).unwrap();
    let full = ["INSERT", "UPDATE"].map(|change| {
        format!(
            "CREATE TRIGGER full_{change} BEFORE {change} ON rules BEGIN SELECT RAISE(ABORT, 'no room'); END;"
        )
    });
    database.execute_batch(&full.concat()).unwrap();
    let short = Condition {
        at: "/to".into(),
        is: Test::AtMostBytes(30),
    };
    let narrow = [ends_in("@ours.example"), short];
    let changed = scene.host.rule_change(drafted(rule.id, &narrow)).await;
    assert!(matches!(changed, Err(Problem::Store(_))), "{changed:?}");
    assert_eq!(rule_of(&scene).await.when, rule.when);
    scene.close().await;
}

/// Where and how long are changed like the conditions: less at once, more after a question.
/// Shows HO-014.
#[tokio::test]
async fn a_rule_is_kept_to_a_chat_and_a_day_at_once_and_let_out_again_after_a_question() {
    let (scene, _, _puppet, _stage, chat, _) = mail().await;
    let rule = rule_of(&scene).await;
    assert_eq!((rule.made_in, rule.reach), (Some(chat), Reach::Everywhere));
    let tomorrow = rule.made_ms + 86_400_000;
    let draft = |reach, expires_ms| RuleDraft {
        reach,
        expires_ms,
        ..drafted(rule.id, &rule.when)
    };
    let day = draft(None, Some(tomorrow));
    assert_eq!(scene.host.rule_change(day).await, Ok(RuleChange::Holds));
    assert_eq!(rule_of(&scene).await.expires_ms, Some(tomorrow));
    let here = draft(Some(Reach::Chat(chat)), None);
    assert_eq!(scene.host.rule_change(here).await, Ok(RuleChange::Holds));
    let kept = rule_of(&scene).await;
    assert_eq!((kept.reach, kept.expires_ms), (Reach::Chat(chat), Some(tomorrow)));
    let out = draft(Some(Reach::Everywhere), Some(i64::MAX / 4));
    assert_eq!(scene.host.rule_change(out).await, Ok(RuleChange::Asked));
    let question = scene.person.asked().await;
    assert_eq!(
        rule_of(&scene).await.reach,
        Reach::Chat(chat),
        "not before the answer"
    );
    scene.person.say(&question, yes(Scope::Always)).await;
    eventually("a rule that holds everywhere", async || {
        rule_of(&scene).await.reach == Reach::Everywhere
    })
    .await;
    let end = rule_of(&scene).await.expires_ms.unwrap();
    assert!(end <= rule.made_ms + 31 * 86_400_000, "never for ever: {end}");
    scene.close().await;
}

/// Shows HO-014.
#[tokio::test]
async fn a_permission_for_what_destroys_is_not_let_out_of_its_chat() {
    let scene = Scene::new().await;
    let burn = json!({
        "name": "send", "inputSchema": { "type": "object" }, "annotations": { "destructiveHint": true }
    });
    let (_, mut puppet, _stage) = scene.puppet("mail", &[burn]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    begin(&scene, chat, &mut model, "kari@ours.example").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Chat)).await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    let rule = rule_of(&scene).await;
    for reach in [Reach::Everywhere, Reach::Workspace(WorkspaceId::home())] {
        let wider = RuleDraft {
            reach: Some(reach),
            ..drafted(rule.id, &[])
        };
        let refused = scene.host.rule_change(wider).await;
        assert!(
            matches!(refused, Err(Problem::Input(InputProblem::RuleUnkeepable { .. }))),
            "{refused:?}"
        );
    }
    assert_eq!(rule_of(&scene).await.reach, Reach::Chat(chat));
    scene.close().await;
}

/// What was allowed in this run ends with it; what was refused stays refused.
/// Shows HO-014.
#[tokio::test]
async fn stop_everything_takes_back_what_was_allowed_in_this_run() {
    let (scene, server, _puppet, _stage, _, _) = mail().await;
    let scene = scene.reopen().await;
    let before: Vec<RuleId> = scene
        .host
        .rules()
        .await
        .unwrap()
        .iter()
        .map(|rule| rule.id)
        .collect();
    assert!(!before.is_empty());
    scene
        .host
        .tool_rule(server, "burn", ToolRule::Never)
        .await
        .unwrap();
    let (notes, _puppet, _stage) = scene.puppet("notes", &[tool("read")]).await;
    scene
        .host
        .tool_rule(notes, "read", ToolRule::Allow)
        .await
        .unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Always)).await;
    eventually("two more rules", async || {
        scene.host.rules().await.unwrap().len() >= before.len() + 2
    })
    .await;
    scene.host.stop_everything().await.unwrap();
    let after = scene.host.rules().await.unwrap();
    let mut left: Vec<RuleId> = after.iter().map(|rule| rule.id).collect();
    left.retain(|id| !before.contains(id));
    assert_eq!(left.len(), 1, "the refusal alone: {after:?}");
    assert!(
        before.iter().all(|id| after.iter().any(|rule| rule.id == *id)),
        "earlier runs keep theirs"
    );
    scene.close().await;
}

/// The past is in the chats, and where a chat is gone the ledger still knows that there was a call.
/// Shows TL-023.
#[tokio::test]
async fn a_draft_is_tried_on_the_calls_there_were() {
    let (scene, _, mut puppet, _stage, chat, mut model) = mail().await;
    begin(&scene, chat, &mut model, "eve@theirs.example").await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    finish(&scene, &mut puppet, chat, &mut model).await;
    let rule = rule_of(&scene).await.id;
    let everything = drafted(rule, &[]);
    let ours = drafted(rule, &[ends_in("@ours.example")]);
    let trial = scene.host.rule_try(everything).await.unwrap();
    assert_eq!((trial.allowed, trial.asked, trial.denied), (2, 0, 0));
    let trial = scene.host.rule_try(ours.clone()).await.unwrap();
    assert_eq!((trial.allowed, trial.asked, trial.denied), (1, 1, 0));
    assert_eq!(
        trial.requests[0].arguments.as_ref().map(|sent| &sent["to"]),
        Some(&json!("eve@theirs.example"))
    );
    scene.host.chat_delete(chat).await.unwrap();
    let trial = scene.host.rule_try(ours).await.unwrap();
    assert_eq!((trial.allowed, trial.asked, trial.without_arguments), (0, 2, 2));
    scene.close().await;
}

/// Shows TL-023.
#[tokio::test]
async fn the_ledger_is_searched_checked_and_written_to_a_file() {
    let (scene, server, _puppet, _stage, chat, _) = mail().await;
    let sent = Digest::of_arguments(&json!({ "to": "kari@ours.example" }));
    let query = LedgerQuery {
        server: Some(server),
        object: Some("send".into()),
        words: "ALLOWED".into(),
        ..LedgerQuery::default()
    };
    let page = scene.host.ledger_page(query).await.unwrap();
    let [record] = &page.records[..] else {
        panic!("{page:?}")
    };
    assert_eq!((record.kind.as_str(), record.chat), ("intent", Some(chat)));
    assert!(record.body["waited_ms"].is_u64(), "{record:?}");
    let salt = scene.store.ledger_salt(record.seq).await.unwrap();
    let salt = salt.expect("the chat is there");
    assert_eq!(
        record.body["arguments"],
        json!(sent.salted(&salt)),
        "what was sent can be shown"
    );
    assert!(
        !json!(page).to_string().contains("kari"),
        "values stay in the chat"
    );
    let check = scene.host.ledger_verify().await.unwrap();
    assert!(
        matches!(check, LedgerCheck::Intact { records, .. } if records == page.newest),
        "{check:?}"
    );
    let file = scene.host.ledger_export(LedgerQuery::default()).await.unwrap();
    let lines = std::fs::read_to_string(&file.path).unwrap();
    let lines: Vec<Map<String, Value>> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len() as u64, file.count);
    assert!(lines.windows(2).all(|pair| pair[0]["hash"] == pair[1]["prev"]));
    scene.close().await;
}

/// Other conditions, and nothing else.
fn drafted(rule: RuleId, when: &[Condition]) -> RuleDraft {
    RuleDraft {
        rule,
        when: when.to_vec(),
        reach: None,
        expires_ms: None,
    }
}

async fn rule_of(scene: &Scene) -> vestibule_host::view::RuleView {
    let rules = scene.host.rules().await.unwrap();
    rules
        .into_iter()
        .find(|rule| rule.action.object() == "send")
        .unwrap()
}
