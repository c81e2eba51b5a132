//! What was allowed or refused for longer than once: whom it covers, and when it ends.

use super::*;
use crate::Raised;
use vestibule_policy::{Action, Condition, Test};
use vestibule_protocol::RuleId;

#[tokio::test(start_paused = true)]
async fn always_lets_the_next_call_pass_with_the_rule_named() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let passed = request()
        .approve(&scene.gate, |_| panic!("there must be no question"))
        .await
        .unwrap();
    assert!(
        matches!(
            passed.because(),
            [Because::Rule {
                scope: Scope::Always,
                ..
            }]
        ),
        "{passed:?}"
    );
    let standing = |definition| {
        scene
            .gate
            .rules()
            .tool_decision(scene.server.id, "delete_page", definition)
    };
    let same = Digest::of_tool(&json!({ "name": "delete_page" }));
    assert_eq!(standing(same), Decision::Allow);
    let other = Digest::of_tool(&json!({ "name": "delete_page", "description": "changed" }));
    assert_eq!(
        standing(other),
        Decision::Ask,
        "it was given for another definition"
    );
}

#[tokio::test(start_paused = true)]
async fn rules_outlive_the_run() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let later = Gate::open(scene.store.clone(), scene.inbox.clone(), clock)
        .await
        .unwrap();
    assert!(
        request()
            .approve(&later, |_| panic!("there must be no question"))
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn a_permission_dies_with_the_definition_it_was_given_for() {
    let scene = scene().await;
    let request = scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request, yes(Scope::Always)).await.unwrap();
    let other = DefinitionState::Accepted(Digest::of_tool(
        &json!({"name": "delete_page", "description": "!"}),
    ));
    let again = scene
        .person_says(scene.call(json!({}), Claims::default(), other), Answer::Cancel)
        .await;
    assert!(
        matches!(again, Err(Denied::Dismissed)),
        "the user is asked again: {again:?}"
    );
    let held = scene
        .call(json!({}), Claims::default(), DefinitionState::Changed)
        .approve(&scene.gate, |_| {})
        .await;
    assert!(matches!(held, Err(Denied::DefinitionChanged)), "{held:?}");
}

#[tokio::test(start_paused = true)]
async fn what_claims_to_destroy_is_never_allowed_for_longer_than_a_chat() {
    let scene = scene().await;
    let claims = Claims {
        destructive: Some(true),
        ..Claims::default()
    };
    assert_eq!(call_scopes(Some(scene.chat), true), [Scope::Once, Scope::Chat]);
    let request = || scene.call(json!({}), claims, definition());
    let raised = |id| {
        let card = scene
            .inbox
            .questions()
            .into_iter()
            .find(|card| card.id == id)
            .unwrap();
        let QuestionBody::CallTool(call) = card.about else {
            panic!("another card")
        };
        call.raised
    };
    let mut cancel = scene.person(Answer::Cancel);
    let first = request().approve(&scene.gate, |id| {
        assert_eq!(raised(id), None, "nothing was allowed yet");
        cancel(id);
    });
    assert!(first.await.is_err());
    let wide = vestibule_policy::Rule::permission(
        scene.server.id,
        Action::CallTool {
            tool: "delete_page".into(),
        },
        Digest::of_tool(&json!({"name": "delete_page"})),
        Scope::Always,
        None,
        WorkspaceId::home(),
        clock(),
    );
    scene.gate.rules.rules.add(wide.unwrap()).await.unwrap();
    let mut cancel = scene.person(Answer::Cancel);
    let again = request().approve(&scene.gate, |id| {
        assert_eq!(
            raised(id),
            Some(Raised::ClaimsDestructive),
            "the card says why it asks"
        );
        cancel(id);
    });
    assert!(again.await.is_err());
    let _used = scene.person_says(request(), yes(Scope::Chat)).await.unwrap();
    assert!(
        request()
            .approve(&scene.gate, |_| panic!("there must be no question"))
            .await
            .is_ok()
    );
    let elsewhere = CallRequest {
        cause: Some(Cause {
            chat: ChatId::new(),
            chat_title: String::new(),
            entry: None,
            task_of: None,
        }),
        ..request()
    };
    assert!(matches!(
        scene.person_says(elsewhere, Answer::Cancel).await,
        Err(Denied::Dismissed)
    ));
}

#[tokio::test(start_paused = true)]
async fn never_means_never_whatever_was_allowed() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Chat)).await.unwrap();
    scene
        .gate
        .rules()
        .refuse_tool(scene.server.id, "delete_page")
        .await
        .unwrap();
    let refused = request()
        .approve(&scene.gate, |_| panic!("there must be no question"))
        .await;
    assert!(matches!(refused, Err(Denied::ByRule(_))), "{refused:?}");
    let agree = scene.person(yes(Scope::Once));
    let again = scene
        .gate
        .rules()
        .ask_again(scene.server.clone(), "delete_page", agree);
    assert!(again.await.unwrap());
    assert!(matches!(
        scene.person_says(request(), Answer::Cancel).await,
        Err(Denied::Dismissed)
    ));
}

/// A rule made on one card answers the other cards it covers.
#[tokio::test(start_paused = true)]
async fn a_rule_made_meanwhile_answers_the_question_that_waits() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let other = scene.gate.clone();
    let waits = request();
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let waiting = tokio::spawn(async move {
        waits
            .approve(&other, |id| {
                assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()))
            })
            .await
    });
    told.await.unwrap();
    pass(Duration::from_secs(60));
    let _used = scene.person_says(request(), yes(Scope::Always)).await.unwrap();
    let permit = waiting.await.unwrap().unwrap();
    assert!(matches!(permit.because(), [Because::Rule { .. }]));
    assert!(scene.inbox.questions().is_empty());
}

/// A permission ends when it was not used for three months; one that is used goes on, also over a restart.
#[tokio::test(start_paused = true)]
async fn a_permission_that_is_used_does_not_end_as_unused() {
    let scene = scene().await;
    let request = || scene.call(json!({}), Claims::default(), definition());
    let _used = scene.person_says(request(), yes(Scope::Chat)).await.unwrap();
    let sidecar = Rule::refusal(ServerId::new(), Action::StartServer, clock());
    scene
        .store
        .put_server(&server_record(sidecar.server))
        .await
        .unwrap();
    scene.gate.rules.rules.add(sidecar).await.unwrap();
    let two_months = Duration::from_secs(60 * 24 * 3600);
    let reopened = || Gate::open(scene.store.clone(), scene.inbox.clone(), clock);
    for _ in 0..2 {
        pass(two_months);
        let passed = request().approve(&scene.gate, nobody).await;
        assert!(passed.is_ok(), "{passed:?}");
    }
    pass(two_months);
    assert!(
        request()
            .approve(&reopened().await.unwrap(), nobody)
            .await
            .is_ok()
    );
    let used: Vec<bool> = scene
        .gate
        .rules()
        .all()
        .iter()
        .map(|rule| rule.last_used.is_some())
        .collect();
    assert_eq!(used, [true, false], "only what decided counts as used");
    pass(2 * two_months);
    let ended = scene.person_says(request(), Answer::Cancel).await;
    assert!(matches!(ended, Err(Denied::Dismissed)), "it is asked again");
}

/// The conditions of an answer are those of the rule that comes of it.
#[tokio::test(start_paused = true)]
async fn a_permission_for_some_arguments_covers_no_others() {
    let scene = scene().await;
    let request = |page: &str| scene.call(json!({"page": page}), Claims::default(), definition());
    let some = Answer::Accept {
        scope: Scope::Always,
        arguments: None,
        when: vec![Condition {
            at: "/page".into(),
            is: Test::Equals(json!("Oslo")),
        }],
    };
    let _used = scene.person_says(request("Oslo"), some).await.unwrap();
    assert!(request("Oslo").approve(&scene.gate, nobody).await.is_ok());
    let other = scene.person_says(request("Bergen"), Answer::Cancel).await;
    assert!(matches!(other, Err(Denied::Dismissed)), "{other:?}");
}

/// A refusal is the user's own word, and holds for what they write themselves as well.
#[tokio::test(start_paused = true)]
async fn arguments_the_person_wrote_are_refused_by_their_own_rule() {
    let scene = scene().await;
    let action = Action::CallTool {
        tool: "delete_page".into(),
    };
    let mut rule = vestibule_policy::Rule::refusal(scene.server.id, action, clock());
    rule.when = vec![Condition {
        at: "/page".into(),
        is: Test::Equals(json!("Bergen")),
    }];
    scene.gate.rules.rules.add(rule).await.unwrap();
    let request = || scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    let edited = |page: &str| Answer::Accept {
        scope: Scope::Once,
        arguments: json!({ "page": page }).as_object().cloned(),
        when: vec![],
    };
    let ruled = scene.person_says(request(), edited("Bergen")).await;
    assert!(matches!(ruled, Err(Denied::ByRule(_))), "{ruled:?}");
    let other = scene.person_says(request(), edited("Paris")).await;
    assert_eq!(other.unwrap().effect().arguments["page"], "Paris");
}

/// Of a server that starts another program, what was allowed ends; what was refused stays.
#[tokio::test(start_paused = true)]
async fn the_permissions_of_one_server_end_and_its_refusals_stay() {
    let scene = scene().await;
    let other = ServerId::new();
    scene.store.put_server(&server_record(other)).await.unwrap();
    scene.holds(scene.permission()).await;
    let refusal = scene.holds(scene.refusal()).await;
    let elsewhere = Rule {
        id: RuleId::new(),
        server: other,
        ..scene.permission()
    };
    let elsewhere = scene.holds(elsewhere).await;
    let rules = scene.gate.rules();
    assert_eq!(rules.of_server(other), std::slice::from_ref(&elsewhere));
    rules.end_permissions(scene.server.id).await.unwrap();
    assert_eq!(rules.of_server(scene.server.id), std::slice::from_ref(&refusal));
    assert_eq!(rules.all(), [refusal, elsewhere]);
}
