//! The proxy and the certificates of this computer: no server gets them by itself, and one that the user gives them to is
//! asked about with their values before it starts.

use vestibule_consent::{Answer, NamedValue, QuestionBody, ValueDisplay};
use vestibule_host::view::{EnvPair, PlaceDraft, ServerState, ServerView};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;
use vestibule_tests::{Opening, Scene, Stage, naming, tool};

const CERTIFICATES: (&str, &str) = ("NODE_EXTRA_CA_CERTS", "/etc/company-19f2.pem");
const PROXY: (&str, &str) = ("https_proxy", "http://ann:canary-5d11@proxy-19f2.example:8080");

/// Names and values as a card shows them.
fn shown(variables: &[NamedValue]) -> Vec<(String, String)> {
    let one = |variable: &NamedValue| match &variable.value {
        ValueDisplay::Shown { text } => (variable.name.clone(), text.clone()),
        other => panic!("{other:?}"),
    };
    variables.iter().map(one).collect()
}

/// Starts a server and gives back the variables on its card and its whole environment.
async fn started(scene: &Scene, server: ServerId, stage: &Stage) -> (Vec<NamedValue>, String) {
    scene.host.server_start(server).await.unwrap();
    let question = scene.person.asked().await;
    let QuestionBody::StartServer(launch) = &question.about else {
        panic!("{question:?}")
    };
    let variables = launch.variables.clone();
    let yes = Answer::Accept {
        scope: Scope::Once,
        arguments: None,
        when: vec![],
    };
    scene.person.say(&question, yes).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&[tool("read")]).await;
    scene.ready(server).await;
    let process = naming(&stage.args()[1]).remove(0).0;
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap();
    (variables, String::from_utf8_lossy(&environment).into_owned())
}

fn is_stopped(view: &ServerView) -> bool {
    view.state == ServerState::Stopped
}

#[tokio::test]
async fn a_server_gets_the_proxy_and_certificates_of_this_computer_only_where_the_user_gives_them() {
    let scene = Opening::default().behind(&[CERTIFICATES, PROXY]).open().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    let (variables, environment) = started(&scene, server, &stage).await;
    assert!(
        variables.is_empty() && !environment.contains("19f2"),
        "{environment}"
    );
    scene.host.server_stop(server).await.unwrap();
    scene.server(server, "a stopped server", is_stopped).await;

    let offered = scene.host.network_variables();
    let expected = [
        ("HTTPS_PROXY", "http://•••@proxy-19f2.example:8080"),
        CERTIFICATES,
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(shown(&offered), expected);
    let mut draft = scene.host.server_draft(server).unwrap();
    let PlaceDraft::Here(program) = &mut draft.place else {
        panic!("{draft:?}")
    };
    program.env = offered.iter().map(taken_over).collect();
    scene.host.server_edit(server, draft).await.unwrap();

    let (variables, environment) = started(&scene, server, &stage).await;
    assert_eq!(shown(&variables), expected, "asked again, with what it gets");
    for (_, value) in [CERTIFICATES, PROXY] {
        assert!(environment.contains(value), "{environment}");
    }
    scene.close().await;
}

fn taken_over(variable: &NamedValue) -> EnvPair {
    EnvPair {
        name: variable.name.clone(),
        value: String::new(),
        pasted: false,
        from_computer: true,
    }
}

/// A name that is none of them is no way to read the environment of the application.
#[tokio::test]
async fn no_other_variable_of_this_computer_can_be_taken_over() {
    let scene = Opening::default()
        .behind(&[CERTIFICATES, ("AWS_SECRET_ACCESS_KEY", "canary-aws")])
        .open()
        .await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    let mut draft = scene.host.server_draft(server).unwrap();
    let PlaceDraft::Here(program) = &mut draft.place else {
        panic!("{draft:?}")
    };
    program.env = vec![EnvPair {
        name: "AWS_SECRET_ACCESS_KEY".into(),
        value: "ignored".into(),
        pasted: false,
        from_computer: true,
    }];
    scene.host.server_edit(server, draft).await.unwrap();
    let missing = scene.server(server, "a server that lacks a value", |view| {
        !view.missing.is_empty()
    });
    assert_eq!(missing.await.missing, ["AWS_SECRET_ACCESS_KEY"]);
    scene.close().await;
}
