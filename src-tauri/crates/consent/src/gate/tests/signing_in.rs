//! Permission to sign in: the page that was shown, and nothing where an address of it is blocked.

use super::*;
use crate::tests::cards::{address, sign_in as card};
use crate::{IssuerLookUp, IssuerSite, LookUpRequest, SignIn, SignInRequest, SignInServer};
use vestibule_policy::Mention;

impl Scene {
    async fn sign_in(&self, sign_in: SignIn, answer: Answer) -> Result<Permit<SignInServer>, Denied> {
        let request = SignInRequest {
            server: self.server.clone(),
            sign_in,
        };
        request.approve(&self.gate, self.person(answer)).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_sign_in_opens_the_page_that_was_shown() {
    let scene = scene().await;
    let permit = scene.sign_in(card(), yes(Scope::Once)).await.unwrap();
    assert_eq!(
        permit.effect().page.as_deref(),
        Some("https://login.example.com/authorize")
    );
    assert_eq!(permit.effect().server, scene.server.id);
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str()),
        ("server.sign_in", "login.example.com")
    );
    assert_eq!(intent.body["scopes"], json!(["mail"]));
    let names = scene.store.ledger_names(scene.server.id).await.unwrap();
    assert_eq!(names[0].named, Mention::Host("login.example.com".into()));
    let without = SignIn { page: None, ..card() };
    let permit = scene.sign_in(without, yes(Scope::Once)).await.unwrap();
    assert_eq!(permit.effect().page, None);
}

#[tokio::test(start_paused = true)]
async fn without_a_yes_nobody_is_signed_in() {
    let scene = scene().await;
    let refused = scene.sign_in(card(), no()).await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    let decision = scene.only(LedgerKind::Decision).await;
    assert_eq!(decision.object, "login.example.com");
}

#[tokio::test(start_paused = true)]
async fn an_issuer_is_looked_up_after_a_yes_and_not_after_a_no() {
    let scene = scene().await;
    let look_up = |issuer| LookUpRequest {
        server: scene.server.clone(),
        look_up: IssuerLookUp {
            issuer,
            site: IssuerSite::Other,
            proxy: None,
        },
    };
    let request = look_up(address("https://login.example.net/tenant"));
    let permit = request.approve(&scene.gate, scene.person(yes(Scope::Once))).await;
    let permit = permit.unwrap();
    assert_eq!(permit.effect().issuer, "https://login.example.net/tenant");
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str()),
        ("issuer.look_up", "login.example.net")
    );
    let request = look_up(address("https://login.example.net"));
    let refused = request.approve(&scene.gate, scene.person(no())).await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
}

#[test]
fn each_blocked_address_blocks_the_sign_in() {
    let blocked = || address("https://10.0.0.1/");
    let spoiled = [
        SignIn {
            issuer: blocked(),
            ..card()
        },
        SignIn {
            page: Some(blocked()),
            ..card()
        },
        SignIn {
            token_endpoint: blocked(),
            ..card()
        },
        SignIn {
            registration: Some(blocked()),
            ..card()
        },
    ];
    assert!(!card().is_blocked());
    assert!(spoiled.iter().all(SignIn::is_blocked));
}
