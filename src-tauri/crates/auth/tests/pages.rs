//! A sign-in page that belongs to somebody else than the issuer that names it (attack O4): the user signs in at a
//! genuine page, and the code goes to the issuer's own token endpoint.

use serde_json::{Value, json};
use vestibule_app_protocol::{SignInClient, SignInOddity};
use vestibule_auth::*;

use crate::support::*;

const PAGE: &str = "https://accounts.real.example/authorize";

/// An issuer whose page is somebody else's, and whose answer need not name it.
async fn attack() -> World {
    let world = World::new().await;
    world.change_metadata(|it| {
        it["authorization_endpoint"] = json!(PAGE);
        it["authorization_response_iss_parameter_supported"] = json!(false);
    });
    world.visitor.decline(true);
    world
}

fn page(confirmed: bool) -> SignInOddity {
    SignInOddity::OtherPage {
        origin: "https://accounts.real.example".into(),
        confirmed,
    }
}

async fn asked(world: &World, settings: AuthSettings) -> SignInPrompt {
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!(error.reason, Reason::Declined, "{error}");
    let request = world.visitor.asked().pop().unwrap();
    assert_eq!(request.authorization_endpoint.as_ref().unwrap().as_str(), PAGE);
    request
}

/// AU-045.
#[tokio::test]
async fn a_page_of_another_site_is_refused_where_nothing_proves_who_answered() {
    for change in [
        |_: &mut Value| {},
        // The tokens of the page's owner would go to the server as the issuer's.
        |it: &mut Value| it["token_endpoint"] = json!("https://accounts.real.example/token"),
        |it: &mut Value| it["registration_endpoint"] = json!("https://accounts.real.example/register"),
    ] {
        let world = attack().await;
        world.change_metadata(change);
        let error = world.call(&world.authorizer()).await.unwrap_err();
        assert_eq!(error.step, Step::Server);
        let words = error.to_string();
        assert!(words.contains("https://accounts.real.example"), "{words}");
        assert!(words.contains(&world.issuer), "{words}");
        assert!(world.visitor.asked().is_empty());
        for path in ["/register", "/authorize", "/token"] {
            assert!(world.at(Party::Issuer, path).is_empty(), "{path}");
        }
    }
}

#[tokio::test]
async fn a_page_of_another_site_is_named_where_its_answer_names_the_issuer() {
    let world = attack().await;
    world.change_metadata(|it| it["authorization_response_iss_parameter_supported"] = json!(true));
    let request = asked(&world, world.settings()).await;
    assert_eq!(request.oddities, [page(true)]);
}

#[tokio::test]
async fn a_page_of_another_site_is_named_where_the_user_entered_the_client() {
    let world = attack().await;
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, None)),
        ..world.settings()
    };
    assert_eq!(asked(&world, settings).await.oddities, [page(false)]);
}

/// An issuer that is only a front: everything of the sign-in is at the page's site. A client that was registered before
/// the endpoints moved there is not shown to that page.
#[tokio::test]
async fn a_front_is_named_and_uses_no_client_that_was_registered_elsewhere() {
    let world = World::new().await;
    world.call(&world.authorizer()).await.unwrap();
    world.change_metadata(|it| {
        for name in ["authorization", "token", "registration"] {
            it[format!("{name}_endpoint")] = json!(format!("https://accounts.real.example/{name}"));
        }
        it["authorization_endpoint"] = json!(PAGE);
        it["authorization_response_iss_parameter_supported"] = json!(false);
    });
    world.visitor.decline(true);
    let error = world.authorizer().sign_in().await.unwrap_err();
    assert_eq!(error.reason, Reason::Declined, "{error}");
    let request = world.visitor.asked().pop().unwrap();
    assert!(request.oddities.contains(&page(false)), "{request:?}");
    assert_eq!(request.client, SignInClient::ToBeRegistered);
}

/// A grant without a page opens none, so whose it is does not matter.
#[tokio::test]
async fn a_page_that_is_not_opened_is_not_judged() {
    let world = attack().await;
    world.change_metadata(|it| it["grant_types_supported"] = json!(["client_credentials"]));
    let settings = AuthSettings {
        entered: Some(entered(&world.issuer, Some("secret-canary"))),
        grant: Grant::ClientCredentials { key: None },
        ..world.settings()
    };
    let error = world.call(&world.authorizer_with(settings)).await.unwrap_err();
    assert_eq!(error.reason, Reason::Declined, "{error}");
    assert!(world.visitor.asked()[0].oddities.is_empty());
}
