//! Servers at an address: asked with all that leads there before anything is sent, opened again when the connection
//! breaks, and never sent the same call twice.

use serde_json::json;
use vestibule_consent::{Answer, QuestionBody};
use vestibule_host::view::{CallProblem, CallState, Problem, ServerProblem, ServerState, ServerView};
use vestibule_policy::Scope;
use vestibule_policy::inspect::UrlWarning;
use vestibule_store::ServerPlace;
use vestibule_tests::{Scene, Turn, Web, yes};

fn is_lost(view: &ServerView) -> bool {
    matches!(view.state, ServerState::Reopening { .. })
}

#[tokio::test]
async fn an_approved_server_at_an_address_is_connected_and_called() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[("X-Key", "horse")]).await;
    assert_eq!(web.methods().len(), 0, "nothing was sent before the card");
    let card = scene.connect(server, Scope::Once).await;
    assert_eq!(card.inspection.canonical, Some(web.url()));
    let headers: Vec<_> = card.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(headers, ["X-Key"]);
    assert!(card.inspection.warnings.contains(&UrlWarning::InsecureHttp));
    assert!(!format!("{card:?}").contains("horse"));
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "web__read", json!({})));
    model.will(Turn::words("Done."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    assert!(
        web.headers()
            .iter()
            .any(|line| line.eq_ignore_ascii_case("x-key: horse"))
    );
    let traffic = format!("{:?}", scene.host.server_traffic(server, 0).unwrap());
    assert!(
        traffic.contains("tools/call") && !traffic.contains("horse"),
        "{traffic}"
    );
    scene.close().await;
}

#[tokio::test]
async fn without_a_yes_nothing_is_sent() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    assert_eq!(web.headers(), Vec::<String>::new());
    scene.close().await;
}

/// Shows HO-014, AU-079.
#[tokio::test]
async fn a_permission_to_connect_ends_when_a_header_or_the_address_changes() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[("X-Key", "one")]).await;
    assert!(!scene.connect(server, Scope::Always).await.changed);
    scene.ready(server).await;
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", stopped).await;
    scene.host.server_start(server).await.unwrap();
    scene.ready(server).await;
    assert_eq!(scene.person.shown().len(), 1, "unchanged, it is not asked");
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", stopped).await;
    scene
        .host
        .server_secret(server, "X-Key", "two".into())
        .await
        .unwrap();
    assert!(scene.connect(server, Scope::Always).await.changed);
    scene.ready(server).await;
    let mut moved = scene.store.servers().await.unwrap().remove(0);
    let ServerPlace::Address(endpoint) = &mut moved.place else {
        panic!("{moved:?}")
    };
    endpoint.url.push_str("?to=elsewhere");
    scene.store.put_server(&moved).await.unwrap();
    let scene = scene.reopen().await;
    assert!(scene.connect(server, Scope::Once).await.changed);
    scene.ready(server).await;
    scene.close().await;
}

/// EU-022: signing in is a state of its own, and no page of the server's choice.
#[tokio::test]
async fn a_server_that_wants_a_sign_in_says_so() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    web.refuse(Some(401));
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    let wants = |view: &ServerView| matches!(view.state, ServerState::SignInNeeded { .. });
    let view = scene.server(server, "a wish to sign in", wants).await;
    let origin = format!("http://{}", web.address());
    let problem = Problem::Server(ServerProblem::SignInNeeded { origin, status: 401 });
    assert_eq!(view.state, ServerState::SignInNeeded { problem });
    assert_eq!(scene.person.shown().len(), 1, "only the connection was asked");
    assert_eq!(scene.opened(), [] as [&str; 0]);
    scene.close().await;
}

/// Shows EU-022, AU-077: a page a server wants visited is between the user and that page. Nothing comes back from it that we
/// could sign in with, and the call goes out again exactly as it was.
#[tokio::test]
async fn a_page_that_was_visited_signs_us_in_nowhere() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[("X-Key", "horse")]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call("one", "web__read", json!({})));
    model.will(Turn::words("Done."));
    scene.person.answers(|question| match question.about {
        QuestionBody::CallTool(_) => Some(yes(Scope::Once)),
        QuestionBody::OpenPage(_) => Some(Answer::Open),
        QuestionBody::VisitPage(_) => Some(Answer::Done),
        _ => None,
    });
    let page = "https://login.example.com/connect?code=4711";
    web.need_page(page);
    scene.say(chat, "Go.").await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    assert_eq!(scene.opened(), [page]);
    let calls = web
        .methods()
        .iter()
        .filter(|method| *method == "tools/call")
        .count();
    assert_eq!(calls, 2, "the same call once more");
    let headers = web.headers().join("\n").to_ascii_lowercase();
    assert!(headers.contains("x-key: horse"), "{headers}");
    for secret in ["authorization:", "cookie:", "4711"] {
        assert!(!headers.contains(secret), "{headers}");
    }
    let view = scene.window.now().servers[&server].clone();
    assert_eq!(view.sign_in.and_then(|it| it.held), None, "no access is kept");
    scene.close().await;
}

/// The user said yes once: the same connection is opened again without a question, and "now" does not wait.
#[tokio::test]
async fn a_lost_connection_is_opened_again_and_its_call_is_not() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    let (address, (chat, model)) = (web.address(), scene.scripted_chat().await);
    drop(web);
    model.will(Turn::call("one", "web__read", json!({})));
    model.will(Turn::words("It is gone."));
    scene.agrees();
    scene.say(chat, "Go.").await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(
        matches!(
            &call.state,
            CallState::Failed {
                problem: Problem::Call(CallProblem::CallNotSent { .. })
            }
        ),
        "{call:?}"
    );
    let view = scene.server(server, "a lost server", is_lost).await;
    assert_eq!(view.tool_count, 1, "its tools are still shown");
    let asked = scene.person.shown().len();
    let web = Web::at(address).await;
    scene.host.server_start(server).await.unwrap();
    scene.ready(server).await;
    assert_eq!(scene.person.shown().len(), asked, "nothing was asked again");
    assert!(!web.methods().iter().any(|method| method == "tools/call"));
    scene.close().await;
}

/// What waits to be opened again can be let be.
#[tokio::test]
async fn a_server_that_is_waited_for_can_be_stopped() {
    let scene = Scene::new().await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    puppet.exit(0).await;
    scene.server(server, "a lost server", is_lost).await;
    scene.host.server_stop(server).await.unwrap();
    let stopped = |view: &ServerView| view.state == ServerState::Stopped;
    scene.server(server, "a stopped server", stopped).await;
    scene.close().await;
}

/// L-16: what proxies and logs on the way read of a call is named on its card.
#[tokio::test]
async fn arguments_that_are_sent_as_headers_are_named_on_the_card() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    let properties = json!({
        "region": { "type": "string", "x-mcp-header": "Region" },
        "text": { "type": "string" },
    });
    web.be_modern(json!({ "name": "read", "inputSchema": { "type": "object", "properties": properties } }));
    let server = scene.add_at("web", &web.url(), &[]).await;
    scene.connect(server, Scope::Once).await;
    scene.ready(server).await;
    let (chat, model) = scene.scripted_chat().await;
    model.will(Turn::call(
        "one",
        "web__read",
        json!({ "region": "north", "text": "hello" }),
    ));
    model.will(Turn::words("Done."));
    scene.say(chat, "Go.").await;
    let question = scene.person.asked().await;
    let vestibule_consent::QuestionBody::CallTool(call) = &question.about else {
        panic!("{question:?}")
    };
    let named: Vec<_> = call
        .headers
        .iter()
        .map(|copy| (copy.at.join("."), copy.header.clone()))
        .collect();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0].0, "region");
    scene
        .person
        .say(&question, vestibule_tests::yes(Scope::Once))
        .await;
    let call = Scene::calls(&scene.finished(chat).await).remove(0);
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    let sent = format!("{}: north", named[0].1);
    assert!(
        web.headers().iter().any(|line| line.eq_ignore_ascii_case(&sent)),
        "{sent}: {:?}",
        web.headers()
    );
    scene.close().await;
}
