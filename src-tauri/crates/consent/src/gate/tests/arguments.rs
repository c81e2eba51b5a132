//! What is sent of the arguments on a card: what was shown, as the user left it, with paths that still lead where the
//! card says.

use super::*;
use crate::PathFinding;
use std::sync::atomic::{AtomicUsize, Ordering};
use vestibule_policy::{Condition, Test};

/// Paths that lead to `place` by a link.
fn moved_to(place: String) -> ArgumentPaths {
    let link = PathFinding {
        at: vec!["path".into()],
        value: "/in/x".into(),
        place: place.clone(),
    };
    let mut paths = leading_to(Places {
        resolved: [("/in/x".into(), place)].into(),
        ..Places::default()
    });
    paths.findings.links.push(link);
    paths
}

impl Scene {
    /// A call with a path that leads to itself on its first card, and by then where `find_paths` says.
    fn call_with_path(&self, find_paths: FindPaths) -> CallRequest {
        CallRequest {
            find_paths,
            ..self.call(json!({"path": "/in/x"}), Claims::default(), definition())
        }
    }

    /// Says yes to each card of a call. Returns what the cards said of its paths.
    async fn cards_of(&self, request: CallRequest) -> Vec<crate::ArgumentFindings> {
        let mut cards = vec![];
        let mut answer = self.person(yes(Scope::Once));
        let asked = |id| {
            let question = self.inbox.questions().into_iter().find(|q| q.id == id).unwrap();
            let QuestionBody::CallTool(call) = question.about else {
                panic!("another card than that of the call")
            };
            cards.push(call.findings);
            answer(id);
        };
        drop(request.approve(&self.gate, asked).await.unwrap());
        cards
    }
}

/// F2: a link is put in the place of a folder while the user reads the card.
#[tokio::test(start_paused = true)]
async fn a_path_that_leads_elsewhere_by_the_time_of_the_yes_is_asked_about_again() {
    let scene = scene().await;
    let moved = scene.call_with_path(Arc::new(|_| Box::pin(async { moved_to("/out/x".into()) })));
    let cards = scene.cards_of(moved).await;
    assert_eq!(cards.len(), 2);
    assert!(cards[0].links.is_empty());
    assert_eq!(cards[1].links[0].place, "/out/x");
    let same = scene.call(json!({"path": "/in/x"}), Claims::default(), definition());
    assert_eq!(scene.cards_of(same).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_path_that_moves_each_time_is_asked_about_as_not_known() {
    let scene = scene().await;
    let looks = Arc::new(AtomicUsize::new(0));
    let moves = scene.call_with_path(Arc::new(move |_| {
        let look = looks.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { moved_to(format!("/out/{look}")) })
    }));
    let cards = scene.cards_of(moves).await;
    let unchecked: Vec<bool> = cards.iter().map(|card| card.paths_unchecked).collect();
    assert_eq!(unchecked, [false, false, false, true]);
}

/// F2: between the look at the paths and the decision, a call may wait for another one of the same answer.
#[tokio::test(start_paused = true)]
async fn a_permission_for_a_folder_covers_no_path_that_leads_out_of_it_by_now() {
    let scene = scene().await;
    let below = Condition {
        at: "/path".into(),
        is: Test::Under("/in".into()),
    };
    let rule = Rule {
        when: vec![below],
        ..scene.permission()
    };
    scene.holds(rule).await;
    let stays = scene.call(json!({"path": "/in/x"}), Claims::default(), definition());
    drop(stays.approve(&scene.gate, nobody).await.unwrap());
    let moved = scene.call_with_path(Arc::new(|_| Box::pin(async { moved_to("/out/x".into()) })));
    let denied = moved.approve(&scene.gate, scene.person(no())).await;
    assert!(matches!(denied, Err(Denied::ByUser { .. })), "{denied:?}");
}

/// A window reads 9007199254740993 as 9007199254740992, and sends that back with whatever the user changed beside it.
#[tokio::test(start_paused = true)]
async fn a_large_number_that_was_not_changed_is_sent_as_the_model_wrote_it() {
    let scene = scene().await;
    let shown = json!({"page": 9007199254740993_i64, "title": "old"});
    let answer = Answer::Accept {
        scope: Scope::Once,
        arguments: json!({"page": 9007199254740992_i64, "title": "new"})
            .as_object()
            .cloned(),
        when: vec![],
    };
    let request = scene.call(shown, Claims::default(), definition());
    let permit = scene.person_says(request, answer).await.unwrap();
    assert_eq!(
        Value::Object(permit.effect().arguments.clone()),
        json!({"page": 9007199254740993_i64, "title": "new"})
    );
}
