//! Permission to tell a server of folders: those the user left on the card, until they are taken back.

use super::*;
use crate::{FolderFacts, FolderReach, ShareFolders};
use vestibule_policy::Mention;

fn folder(path: &str, picked: bool) -> FolderFacts {
    FolderFacts {
        path: path.into(),
        uri: format!("file://{path}"),
        workspace: String::new(),
        files: 1,
        bytes: 1,
        whole: true,
        repository: false,
        secrets: vec![],
        more_secrets: 0,
        reach: FolderReach::Folder,
        trouble: None,
        shared: false,
        others: vec![],
        picked,
    }
}

impl Scene {
    async fn share(&self, answer: Answer) -> Result<Vec<String>, Denied> {
        let shown = ShareFolders {
            folders: vec![folder("/home/ada/notes", true), folder("/home/ada/mail", false)],
            asked: true,
        };
        let validate = Validate::now(|_| Ok(()));
        let (server, cause) = (self.server.clone(), Some(self.cause()));
        ShareRequest {
            server,
            cause,
            shown,
            validate,
        }
        .approve(&self.gate, self.person(answer))
        .await
    }
}

fn changed(arguments: Value) -> Answer {
    Answer::Accept {
        scope: Scope::Always,
        arguments: arguments.as_object().cloned(),
        when: vec![],
    }
}

/// RO-011.
#[tokio::test(start_paused = true)]
async fn only_the_folders_the_person_left_on_the_card_are_shared() {
    let scene = scene().await;
    assert_eq!(
        scene.share(yes(Scope::Always)).await.unwrap(),
        ["/home/ada/notes"]
    );
    let grant = scene.only(LedgerKind::Grant).await;
    assert_eq!(
        (grant.action.as_str(), grant.decision.as_deref()),
        ("roots.share", Some("allow"))
    );
    assert_eq!(grant.body["folders"], json!(["/home/ada/notes"]));
    let other = json!({"folders": ["/home/ada/mail"]});
    assert_eq!(scene.share(changed(other)).await.unwrap(), ["/home/ada/mail"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_yes_no_folder_is_shared() {
    let scene = scene().await;
    let refused = scene.share(no()).await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    let unreadable = scene.share(changed(json!({"everything": true}))).await;
    assert!(matches!(unreadable, Err(Denied::Dismissed)), "{unreadable:?}");
    let kinds = scene.kinds().await;
    assert_eq!(kinds, [(LedgerKind::Decision, Some("refused".into()))]);
}

#[tokio::test(start_paused = true)]
async fn what_a_server_is_told_and_what_is_taken_back_is_written_down() {
    let scene = scene().await;
    let (server, notes) = (scene.server.id, "/home/ada/notes");
    let permit = scene.gate.tell_roots(server, vec![notes.into()]).await.unwrap();
    assert_eq!(permit.because(), [Because::Person { scope: Scope::Always }]);
    let (told, _effect) = permit.begin().split();
    assert_eq!((told.server, told.folders), (server, vec![notes.to_owned()]));
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), &intent.body["folders"]),
        ("roots.tell", &json!([notes]))
    );
    let names = scene.store.ledger_names(server).await.unwrap();
    assert_eq!(names[0].named, Mention::File(notes.into()));

    scene.gate.unshare_folder(server, notes).await.unwrap();
    let revoke = scene.only(LedgerKind::Revoke).await;
    assert_eq!(
        (revoke.action.as_str(), &revoke.body["folders"]),
        ("roots.share", &json!([notes]))
    );
}
