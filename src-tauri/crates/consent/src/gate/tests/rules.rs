//! The user's rules: what narrows holds at once, what widens is asked first, and each change is written down.

use super::*;
use crate::RuleSummary;
use jiff::ToSpan;
use vestibule_policy::{Action, Condition, Places, Reach, Rule, Test};
use vestibule_protocol::RuleId;

fn action() -> Action {
    Action::CallTool {
        tool: "delete_page".into(),
    }
}

pub(super) fn below(folder: &str) -> Condition {
    Condition {
        at: "/path".into(),
        is: Test::Under(folder.into()),
    }
}

impl Scene {
    pub(super) fn permission(&self) -> Rule {
        let digest = Digest::of_tool(&json!({"name": "delete_page"}));
        let (id, home) = (self.server.id, WorkspaceId::home());
        Rule::permission(id, action(), digest, Scope::Always, None, home, clock()).unwrap()
    }

    pub(super) fn refusal(&self) -> Rule {
        Rule::refusal(self.server.id, action(), clock())
    }

    pub(super) async fn holds(&self, rule: Rule) -> Rule {
        self.gate.rules.rules.add(rule.clone()).await.unwrap();
        rule
    }

    pub(super) async fn change(&self, rule: &Rule, asked: impl FnMut(QuestionId)) -> bool {
        let changed = self.gate.rules().change(self.server.clone(), rule.clone(), asked);
        changed.await.unwrap()
    }

    pub(super) async fn kept_ids(&self) -> Vec<RuleId> {
        let kept = self.store.rules().await.unwrap();
        kept.into_iter().map(|rule| rule.id).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_that_is_taken_back_is_gone_for_good() {
    let scene = scene().await;
    let (gone, stays) = (scene.permission(), scene.refusal());
    let mut changes = scene.gate.rules().changes();
    scene.holds(gone.clone()).await;
    scene.holds(stays.clone()).await;
    assert_eq!(scene.gate.rules().all(), [gone.clone(), stays.clone()]);
    changes.mark_unchanged();
    let taken = scene
        .gate
        .rules()
        .take_back(scene.server.clone(), gone.id, nobody);
    assert!(taken.await.unwrap());
    assert!(changes.has_changed().unwrap(), "the screen hears of it");
    assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&stays));
    assert_eq!(scene.kept_ids().await, [stays.id]);
    let revoke = scene.only(LedgerKind::Revoke).await;
    assert_eq!(
        (revoke.action.as_str(), revoke.object.as_str(), &revoke.body),
        ("tool.call", "delete_page", &json!({"rules": [gone.id]}))
    );
    let again = scene
        .gate
        .rules()
        .take_back(scene.server.clone(), gone.id, nobody);
    assert!(!again.await.unwrap());
    assert_eq!(scene.ledger().await.len(), 1, "what was not there is not noted");
}

/// HO-014.
#[tokio::test(start_paused = true)]
async fn a_rule_that_becomes_narrower_holds_at_once() {
    let scene = scene().await;
    let before = scene.holds(scene.permission()).await;
    let narrower = Rule {
        when: vec![below("/home/ada")],
        ..before
    };
    assert!(scene.change(&narrower, nobody).await);
    assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&narrower));
    let grant = scene.only(LedgerKind::Grant).await;
    assert_eq!(
        (
            grant.action.as_str(),
            grant.object.as_str(),
            grant.decision.as_deref()
        ),
        ("tool.call", "delete_page", Some("allow"))
    );
    assert_eq!(grant.body["rule"]["id"], json!(narrower.id));
    let refusal = scene.holds(scene.refusal()).await;
    assert!(scene.change(&refusal, nobody).await, "the same is no wider");
    let revoke = scene.only(LedgerKind::Revoke).await;
    assert_eq!(revoke.decision.as_deref(), Some("deny"));
}

/// HO-014.
#[tokio::test(start_paused = true)]
async fn a_rule_becomes_wider_only_after_a_yes_to_both_its_forms() {
    let scene = scene().await;
    let before = scene
        .holds(Rule {
            when: vec![below("/home/ada")],
            ..scene.permission()
        })
        .await;
    let wider = Rule {
        when: vec![],
        ..before.clone()
    };
    assert!(!scene.change(&wider, scene.person(no())).await);
    assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&before));
    let (inbox, mut agree) = (scene.inbox.clone(), scene.person(yes(Scope::Always)));
    let shown = (RuleSummary::from(&wider), RuleSummary::from(&before));
    let reads_both = move |id| {
        let QuestionBody::KeepRules(set) = inbox.questions().remove(0).about else {
            panic!("another card");
        };
        assert_eq!((&set.rules[0], set.before.as_ref()), (&shown.0, Some(&shown.1)));
        agree(id);
    };
    assert!(scene.change(&wider, reads_both).await);
    assert_eq!(scene.gate.rules().all(), [wider]);
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_went_or_changed_while_the_question_waited_is_left_alone() {
    let scene = scene().await;
    let before = scene.holds(scene.permission()).await;
    let longer = Rule {
        expires: None,
        ..before.clone()
    };
    let other = scene.holds(scene.refusal()).await;
    let (gate, agree) = (scene.gate.clone(), scene.person(yes(Scope::Always)));
    let mut agree = Some(agree);
    let narrowed = Rule {
        when: vec![below("/home/ada")],
        ..before.clone()
    };
    let meanwhile = narrowed.clone();
    let narrows_it = move |id| {
        let (gate, rule, mut agree) = (gate.clone(), meanwhile.clone(), agree.take().unwrap());
        tokio::spawn(async move {
            gate.rules.rules.replace(rule).await.unwrap();
            agree(id);
        });
    };
    assert!(!scene.change(&longer, narrows_it).await);
    assert_eq!(scene.gate.rules().all(), [narrowed, other.clone()]);
    let taken = scene
        .gate
        .rules()
        .take_back(scene.server.clone(), before.id, nobody);
    assert!(taken.await.unwrap());
    assert!(!scene.change(&longer, nobody).await, "there is no such rule");
    let nothing = Rule {
        decision: Decision::Ask,
        ..other.clone()
    };
    assert!(!scene.change(&nothing, nobody).await, "no rule says that");
    assert_eq!(scene.gate.rules().all(), [other]);
}

/// However close together two changes of one rule come: what the second started from is no more.
#[tokio::test(start_paused = true)]
async fn a_rule_narrowed_in_the_moment_of_a_yes_to_a_wider_form_stays_narrow() {
    let scene = scene().await;
    let before = scene.holds(scene.permission()).await;
    let wider = Rule {
        expires: None,
        ..before.clone()
    };
    let narrower = Rule {
        when: vec![below("/home/ada")],
        ..before
    };
    let moment = scene.gate.rules.changing.lock().await;
    let both = async {
        let narrowed = scene.change(&narrower, nobody);
        tokio::join!(narrowed, scene.change(&wider, scene.person(yes(Scope::Always))))
    };
    let release = async {
        while scene.inbox.count() == 0 {
            tokio::task::yield_now().await;
        }
        while scene.inbox.count() > 0 {
            tokio::time::advance(Duration::from_millis(10)).await;
        }
        drop(moment);
    };
    let (changed, ()) = tokio::join!(both, release);
    assert_eq!(changed, (true, false));
    assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&narrower));
    assert_eq!(
        scene.kept_ids().await,
        [narrower.id],
        "what is on disk is what holds"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_file_refusals_hold_at_once_and_permissions_after_a_yes() {
    let scene = scene().await;
    let bring = |rules: Vec<Rule>, answer| {
        let server = scene.server.clone();
        scene
            .gate
            .rules()
            .import(server, rules, |_| None, scene.person(answer))
    };
    let (refusal, permission) = (scene.refusal(), scene.permission());
    let both = vec![permission.clone(), refusal.clone()];
    assert_eq!(bring(both, no()).await.unwrap(), 1);
    assert_eq!(scene.gate.rules().all(), std::slice::from_ref(&refusal));
    let permissions = vec![permission.clone(), scene.permission()];
    assert_eq!(bring(permissions, yes(Scope::Always)).await.unwrap(), 2);
    assert_eq!(scene.gate.rules().all().len(), 3);
    assert_eq!(scene.kept_ids().await.len(), 3, "they outlive the run");
    let more = vec![scene.permission(), scene.refusal()];
    assert_eq!(bring(more, yes(Scope::Always)).await.unwrap(), 2);
    let only = scene
        .gate
        .rules()
        .import(scene.server.clone(), vec![scene.refusal()], |_| None, nobody)
        .await;
    assert_eq!(only.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_card_of_a_rule_names_the_chat_or_workspace_it_holds_in() {
    let scene = scene().await;
    let (home, chat) = (WorkspaceId::home(), scene.chat);
    let title = scene.store.chats().await.unwrap().remove(0).title;
    let workspace = scene.store.workspaces().await.unwrap().remove(0).name;
    assert_ne!(title, workspace);
    let reaches = [Reach::Chat(chat), Reach::Workspace(home), Reach::Everywhere];
    let rules = reaches.map(|reach| Rule {
        reach,
        ..scene.permission()
    });
    let (inbox, mut refuse) = (scene.inbox.clone(), scene.person(no()));
    let reads_places = move |id| {
        let QuestionBody::KeepRules(set) = inbox.questions().remove(0).about else {
            panic!("another card");
        };
        let shown: Vec<_> = set.rules.into_iter().map(|rule| rule.place).collect();
        assert_eq!(shown, [Some(title.clone()), Some(workspace.clone()), None]);
        refuse(id);
    };
    let book = scene.gate.rules();
    let imported = book.import(scene.server.clone(), rules.to_vec(), |_| None, reads_places);
    assert_eq!(imported.await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_draft_is_tried_beside_the_rules_there_are() {
    let scene = scene().await;
    let request = Request {
        server: scene.server.id,
        action: action(),
        definition: definition(),
        claims_destructive: false,
        arguments: None,
        carries_values: false,
        flow_unchecked: false,
        written_as_text: false,
        places: Places::default(),
        chat: None,
        workspace: WorkspaceId::home(),
        now: noon() - 1.hour(),
    };
    let draft = scene.permission();
    let past = [request];
    let tried = scene.gate.rules().try_rule(&draft, &past);
    assert_eq!((tried.allowed, tried.denied), (1, 0));
    scene.holds(scene.refusal()).await;
    let tried = scene.gate.rules().try_rule(&draft, &past);
    assert_eq!((tried.allowed, tried.denied), (0, 1));
}

/// Everything that is asked leads here.
fn all_leading_to(place: &'static str, looked: tokio::sync::mpsc::UnboundedSender<()>) -> FindPaths {
    Arc::new(move |arguments| {
        looked.send(()).unwrap();
        let texts = arguments.values().filter_map(Value::as_str);
        let resolved = texts.map(|text| (text.to_owned(), place.to_owned())).collect();
        Box::pin(async move {
            leading_to(Places {
                resolved,
                ..Places::default()
            })
        })
    })
}

/// F2: a link that is moved while the question waits is followed again before a rule decides it.
#[tokio::test(start_paused = true)]
async fn a_rule_made_meanwhile_is_about_where_the_path_leads_by_then() {
    let scene = scene().await;
    for (place, passes) in [("/in/x", true), ("/out/x", false)] {
        let (looked, mut looks) = tokio::sync::mpsc::unbounded_channel();
        let request = CallRequest {
            find_paths: all_leading_to(place, looked),
            ..scene.call(json!({"path": "/in/link"}), Claims::default(), definition())
        };
        let rule = Rule {
            when: vec![below("/in")],
            ..scene.permission()
        };
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        let asked = move |id| tell.take().unwrap().send(id).unwrap();
        let person = async {
            let id = told.await.unwrap();
            scene.holds(rule.clone()).await;
            let mut turns = 0..1000;
            while looks.try_recv().is_err() {
                assert!(turns.next().is_some(), "the path is not looked at again");
                tokio::task::yield_now().await;
            }
            if !passes {
                let question = scene.inbox.questions().into_iter().find(|q| q.id == id).unwrap();
                scene.inbox.answer(reply(question, Answer::Cancel)).unwrap();
            }
        };
        let (permit, ()) = tokio::join!(request.approve(&scene.gate, asked), person);
        assert_eq!(permit.is_ok(), passes, "{place}");
        scene
            .gate
            .rules()
            .take_back(scene.server.clone(), rule.id, |_| {})
            .await
            .unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_a_folder_holds_for_changed_arguments_where_they_lead() {
    let scene = scene().await;
    scene
        .holds(Rule {
            when: vec![below("/secret")],
            ..scene.refusal()
        })
        .await;
    for (place, refused) in [("/secret/x", true), ("/in/x", false)] {
        let (looked, _looks) = tokio::sync::mpsc::unbounded_channel();
        let request = CallRequest {
            find_paths: all_leading_to(place, looked),
            ..scene.call(json!({"path": "/in/a"}), Claims::default(), definition())
        };
        let answer = Answer::Accept {
            scope: Scope::Once,
            arguments: json!({"path": "/in/link"}).as_object().cloned(),
            when: vec![],
        };
        let permit = scene.person_says(request, answer).await;
        assert_eq!(matches!(permit, Err(Denied::ByRule(_))), refused, "{place}");
        assert_eq!(permit.is_ok(), !refused, "{place}");
    }
}
