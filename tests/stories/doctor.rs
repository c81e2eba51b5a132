//! The doctor, from a real start to what a window gets: the cause of a failure and one next step that changes nothing by
//! itself.

use vestibule_host::view::{
    FailureCause, FormPart, NextStep, ProgramDraft, ServerDraft, ServerState, ServerView,
};
use vestibule_tests::{Scene, Web};

fn has_failed(view: &ServerView) -> bool {
    matches!(view.state, ServerState::Failed { .. })
}

/// Adds and starts this program, and gives back what is said of its failure.
async fn failure(scene: &Scene, name: &str, program: ProgramDraft) -> (FailureCause, NextStep) {
    let server = scene
        .host
        .server_add(ServerDraft::here(name, program))
        .await
        .unwrap();
    scene.host.server_start(server).await.unwrap();
    let view = scene.server(server, "a failed server", has_failed).await;
    let found = view.diagnosis.unwrap_or_else(|| panic!("{:?}", view.state));
    (found.cause, found.step)
}

fn shell(script: &str) -> ProgramDraft {
    ProgramDraft {
        command: "sh".into(),
        args: vec!["-c".into(), script.into()],
        ..ProgramDraft::default()
    }
}

#[tokio::test]
async fn a_program_that_does_not_come_up_says_why_and_what_to_do() {
    let scene = Scene::new().await;
    scene.lets_servers_start();
    let (cause, step) = failure(&scene, "key", shell("echo 'NOTES_KEY is required' >&2; exit 1")).await;
    assert_eq!(
        cause,
        FailureCause::ValueMissing {
            name: "NOTES_KEY".into()
        }
    );
    assert!(
        matches!(
            step,
            NextStep::Edit {
                part: FormPart::Variables,
                ..
            }
        ),
        "{step:?}"
    );
    let (cause, step) = failure(&scene, "noise", shell("echo 'Welcome to notes'")).await;
    let line = "Welcome to notes".to_owned();
    assert_eq!(cause, FailureCause::OutputNotMessages { line });
    assert_eq!(step, NextStep::Log);
    let (cause, _) = failure(&scene, "silent", shell("exit 0")).await;
    assert_eq!(cause, FailureCause::SilentEnd);
    let elsewhere = ProgramDraft {
        folder: Some("/no/such/folder".into()),
        ..shell("exit 0")
    };
    let (cause, step) = failure(&scene, "folder", elsewhere).await;
    assert_eq!(
        cause,
        FailureCause::FolderMissing {
            folder: "/no/such/folder".into()
        }
    );
    assert!(
        matches!(
            step,
            NextStep::Edit {
                part: FormPart::Folder,
                ..
            }
        ),
        "{step:?}"
    );
    scene.close().await;
}

#[tokio::test]
async fn an_address_without_a_server_offers_the_usual_one() {
    let scene = Scene::new().await;
    let web = Web::start().await;
    web.refuse(Some(404));
    let url = web.url().replace("/mcp", "/sse");
    let server = scene.add_at("web", &url, &[]).await;
    scene.agrees();
    scene.host.server_start(server).await.unwrap();
    let view = scene.server(server, "a failed server", has_failed).await;
    let found = view.diagnosis.unwrap();
    assert_eq!(found.cause, FailureCause::NothingAtPath { path: "/sse".into() });
    let NextStep::Edit { corrections, .. } = found.step else {
        panic!("{:?}", found.step)
    };
    assert_eq!(
        corrections,
        [vestibule_host::view::Correction::Address { url: web.url() }]
    );
    scene.close().await;
}
