//! More access than there is: asked for as a difference, a few times, and not after a no.

use vestibule_app_protocol::SignInHistory;
use vestibule_auth::*;

use crate::support::*;
use crate::tokens::signed_in;

fn insufficient(world: &World, scope: &str) {
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    world.change(|plan| plan.challenge = Some((403, challenge)));
}

/// AU-071, AU-072, AU-074.
#[tokio::test]
async fn more_access_is_asked_for_on_top_of_what_there_was() {
    let (world, authorizer) = signed_in().await;
    insufficient(&world, "mcp:write");
    let mut attempt = authorizer.ready().await.unwrap();
    let refused = world.send(&authorizer).await.unwrap();
    let outcome = authorizer.on_challenge(&mut attempt, &refused).await;
    let new_scopes = Scopes::parse("mcp:write");
    assert_eq!(
        outcome,
        ChallengeOutcome::SignInNeeded {
            new_scopes: new_scopes.clone()
        }
    );
    authorizer.sign_in().await.unwrap();
    let asked = world.visitor.asked().pop().unwrap();
    assert_eq!(asked.relation, SignInHistory::MoreScopes);
    assert_eq!(
        (asked.scopes.to_string().as_str(), asked.new_scopes),
        ("mcp:basic mcp:write", new_scopes)
    );
    let page = world.at(Party::Issuer, "/authorize").pop().unwrap();
    assert_eq!(page.query["scope"], "mcp:basic mcp:write");
}

/// AU-073. Attack O14.
#[tokio::test]
async fn a_server_that_always_wants_more_gets_three_prompts_and_then_an_error() {
    for same in [true, false] {
        let world = World::new().await;
        let authorizer = world.authorizer();
        insufficient(&world, "mcp:write");
        let mut attempt = authorizer.ready().await.unwrap();
        let mut round = 0;
        let error = loop {
            let refused = world.send(&authorizer).await.unwrap();
            round += 1;
            if !same {
                insufficient(&world, &format!("mcp:{round}"));
            }
            match authorizer.on_challenge(&mut attempt, &refused).await {
                ChallengeOutcome::Retry => {}
                ChallengeOutcome::SignInNeeded { .. } => authorizer.sign_in().await.unwrap(),
                ChallengeOutcome::GiveUp(error) => break error,
            }
        };
        assert!(matches!(error.reason, Reason::Exhausted(3)), "{error}");
        assert!(world.at(Party::Issuer, "/authorize").len() <= 3);
        if same {
            // Another request for the same does not begin all over.
            assert!(world.call(&authorizer).await.is_err());
            assert!(world.at(Party::Issuer, "/authorize").len() <= 3);
        }
    }
}

fn wants(scope: &str) -> vestibule_transport::Challenge {
    vestibule_transport::Challenge {
        status: 403,
        www_authenticate: vec![format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"")],
    }
}

/// AU-071, AU-073: however many need the same at once, there is one question, and none of them gives up.
#[tokio::test]
async fn requests_that_need_the_same_at_once_share_one_question() {
    let (world, authorizer) = signed_in().await;
    let mut attempts = Vec::new();
    for _ in 0..8 {
        attempts.push(authorizer.ready().await.unwrap());
    }
    for attempt in &mut attempts {
        let outcome = authorizer.on_challenge(attempt, &wants("mcp:write")).await;
        assert!(
            matches!(outcome, ChallengeOutcome::SignInNeeded { .. }),
            "{outcome:?}"
        );
        assert!(!authorizer.is_overtaken(attempt));
    }
    let all = attempts.iter().map(|_| authorizer.sign_in());
    for outcome in futures::future::join_all(all).await {
        outcome.unwrap();
    }
    assert_eq!(world.visitor.asked().len(), 2, "the sign-in, and once for more");
    assert!(attempts.iter().all(|attempt| authorizer.is_overtaken(attempt)));
}

/// AU-071, AU-073: requests that need different things are asked about one after the other, and each gets its turn.
#[tokio::test]
async fn requests_that_need_different_things_wait_for_one_another() {
    let (world, authorizer) = signed_in().await;
    let scopes = ["one", "two", "three", "four", "five"];
    let mut waiting = Vec::new();
    for scope in scopes {
        waiting.push((scope, authorizer.ready().await.unwrap()));
    }
    for round in 0..scopes.len() {
        for (scope, attempt) in &mut waiting {
            let outcome = authorizer.on_challenge(attempt, &wants(scope)).await;
            assert!(
                matches!(outcome, ChallengeOutcome::SignInNeeded { .. }),
                "{round}: {scope}: {outcome:?}"
            );
        }
        // The demand of the last one is what is asked about, and its request is the one that gets through.
        authorizer.sign_in().await.unwrap();
        waiting.pop();
    }
    assert_eq!(world.visitor.asked().len(), 1 + scopes.len());
    let last = world.visitor.asked().pop().unwrap();
    assert_eq!(last.scopes.iter().count(), 1 + scopes.len(), "{:?}", last.scopes);
}

/// AU-073: a no is remembered, and what there was goes on to count.
#[tokio::test]
async fn declined_access_is_not_asked_for_again() {
    let (world, authorizer) = signed_in().await;
    insufficient(&world, "mcp:write");
    world.visitor.decline(true);
    assert_eq!(
        world.call(&authorizer).await.unwrap_err().reason,
        Reason::Declined
    );
    assert_eq!(
        world.call(&authorizer).await.unwrap_err().reason,
        Reason::Declined
    );
    assert_eq!(
        world.visitor.asked().len(),
        2,
        "once for the sign-in, once for more"
    );
    world.change(|plan| plan.challenge = Some((401, "Bearer".into())));
    world.call(&authorizer).await.unwrap();
    authorizer.forget_refusals();
    insufficient(&world, "mcp:write");
    assert!(world.call(&authorizer).await.is_err());
    assert_eq!(
        world.visitor.asked().len(),
        3,
        "asked again because the user wants to try"
    );
}
