//! Roots: a server gets no folder before the user shares it, and revoking acts at once.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use vestibule_consent::{Answer, FolderTrouble, Question, QuestionBody, ShareFolders};
use vestibule_policy::Scope;
use vestibule_protocol::WorkspaceId;
use vestibule_store::LedgerKind;
use vestibule_tests::{Puppet, Scene, Turn, grants, records, tool, yes};

/// A folder with something in it, beside the scene's own files.
fn folder(scene: &Scene, name: &str) -> String {
    let path = scene.folder().canonicalize().unwrap().join(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("note.txt"), "hello").unwrap();
    path.display().to_string()
}

/// The user has these folders in the workspace every chat begins in.
async fn at_home(scene: &Scene, folders: &[&String]) {
    for folder in folders {
        let added = scene.host.folder_add(WorkspaceId::home(), (*folder).clone());
        added.await.unwrap();
    }
}

/// A link to one folder stands in the place of another.
fn swap(scene: &Scene, folder: &str, link_to: &str) {
    let place = scene.folder().canonicalize().unwrap();
    fs::remove_dir_all(place.join(folder)).unwrap();
    std::os::unix::fs::symlink(place.join(link_to), place.join(folder)).unwrap();
}

async fn asks(puppet: &mut Puppet, id: &str) {
    puppet
        .say(json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list" }))
        .await;
}

async fn roots(puppet: &mut Puppet, id: &str) -> Value {
    puppet.hear_answer(&json!(id)).await["result"]["roots"].clone()
}

fn share(question: &Question) -> &ShareFolders {
    match &question.about {
        QuestionBody::ShareFolders(share) => share,
        other => panic!("{other:?}"),
    }
}

fn only(folders: &[&str]) -> Answer {
    Answer::Accept {
        scope: Scope::Always,
        arguments: json!({ "folders": folders }).as_object().cloned(),
        when: vec![],
    }
}

/// Shows RO-002, RO-003, RO-008, RO-011, RO-015: the user decides, and the server hears exactly that.
#[tokio::test]
async fn a_server_is_told_what_the_person_shared_and_nothing_else() {
    let scene = Scene::new().await;
    let (code, private) = (folder(&scene, "my code"), folder(&scene, "private"));
    fs::write(Path::new(&private).join(".env"), "KEY=1").unwrap();
    fs::create_dir(Path::new(&code).join(".git")).unwrap();
    at_home(&scene, &[&code, &private]).await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    let shown = share(&card).clone();
    assert!(shown.asked);
    let (first, second) = (&shown.folders[0], &shown.folders[1]);
    assert_eq!(
        (first.path.as_str(), first.files, first.repository, first.picked),
        (code.as_str(), 1, true, true)
    );
    assert_eq!(
        (second.files, second.picked),
        (2, false),
        "what holds secrets is picked by hand"
    );
    assert_eq!(second.secrets, [".env"]);
    assert_eq!(
        grants(&records(&scene.store).await),
        [],
        "nothing is shared while the question waits"
    );
    scene.person.say(&card, yes(Scope::Always)).await;
    let uri = format!("file://{}", code.replace(' ', "%20"));
    let expected = json!([{ "uri": uri, "name": "my code" }]);
    assert_eq!(roots(&mut puppet, "r1").await, expected);
    asks(&mut puppet, "r2").await;
    assert_eq!(
        roots(&mut puppet, "r2").await,
        expected,
        "what was decided is not asked again"
    );

    let told = |view: &vestibule_host::view::WorkspaceView| {
        let shares = &view.folders[0].shares;
        shares.len() == 1 && shares[0].server == server && shares[0].told_ms.is_some()
    };
    scene
        .window
        .until("who was told", |seen| told(&seen.workspaces[0]))
        .await;
    scene.close().await;
}

/// Shows RO-014: a no is an empty list, and is not asked again in this run.
#[tokio::test]
async fn a_no_is_an_empty_list() {
    let scene = Scene::new().await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    asks(&mut puppet, "r0").await;
    assert_eq!(
        roots(&mut puppet, "r0").await,
        json!([]),
        "without folders there is no question"
    );
    let code = folder(&scene, "code");
    at_home(&scene, &[&code]).await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, Answer::Refuse { reason: None }).await;
    assert_eq!(roots(&mut puppet, "r1").await, json!([]));
    asks(&mut puppet, "r2").await;
    assert_eq!(roots(&mut puppet, "r2").await, json!([]));
    assert_eq!(scene.person.shown().len(), 2, "a start and one card");
    scene.close().await;
}

/// Shows RO-004: who knows of folders hears when they change, by hand, by taking back and when one is gone.
#[tokio::test]
async fn a_server_hears_that_its_folders_changed() {
    const CHANGED: &str = "notifications/roots/list_changed";
    let scene = Scene::new().await;
    let (one, two) = (folder(&scene, "one"), folder(&scene, "two"));
    at_home(&scene, &[&one, &two]).await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    let (_other, mut bystander, _other_stage) = scene.puppet("other", &[tool("x")]).await;
    scene.host.folders_share(server).unwrap();
    let card = scene.person.asked().await;
    assert!(!share(&card).asked);
    scene.person.say(&card, only(&[&one, &two])).await;
    puppet.hear(CHANGED).await;
    asks(&mut puppet, "r1").await;
    assert_eq!(roots(&mut puppet, "r1").await.as_array().unwrap().len(), 2);

    scene.host.folder_unshare(server, &two).await.unwrap();
    puppet.hear(CHANGED).await;
    asks(&mut puppet, "r2").await;
    assert_eq!(roots(&mut puppet, "r2").await[0]["name"], "one");
    assert!(records(&scene.store).await.iter().any(|record| {
        record.kind == LedgerKind::Revoke
            && record.action == "roots.share"
            && record.body["folders"] == json!([two])
    }));

    fs::remove_dir_all(&one).unwrap();
    puppet.hear(CHANGED).await;
    let gone = |seen: &vestibule_tests::Projection| {
        seen.workspaces[0].folders[0].trouble == Some(FolderTrouble::Gone)
    };
    scene.window.until("a folder that is gone", gone).await;
    asks(&mut puppet, "r3").await;
    assert_eq!(roots(&mut puppet, "r3").await, json!([]));
    scene.close().await;
    while let Some(message) = bystander.next().await {
        assert_ne!(message["method"], CHANGED, "who shares in nothing hears nothing");
    }
}

/// Shows RO-009, F2: a folder that is swapped for a link while the user reads is not shared.
#[tokio::test]
async fn a_folder_swapped_under_the_question_is_not_shared() {
    let scene = Scene::new().await;
    let code = folder(&scene, "code");
    folder(&scene, "secret");
    at_home(&scene, &[&code]).await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    swap(&scene, "code", "secret");
    scene.person.say(&card, yes(Scope::Always)).await;
    assert_eq!(roots(&mut puppet, "r1").await, json!([]));
    assert!(scene.store.shares().await.unwrap().is_empty());
    scene.close().await;
}

/// Shows RO-009, F2: the same where it is not the folder that is swapped but one it lies in.
#[tokio::test]
async fn a_folder_whose_parent_is_swapped_under_the_question_is_not_shared() {
    let scene = Scene::new().await;
    let code = folder(&scene, "work/code");
    folder(&scene, "secret/code");
    at_home(&scene, &[&code]).await;
    let (_, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    swap(&scene, "work", "secret");
    scene.person.say(&card, yes(Scope::Always)).await;
    assert_eq!(roots(&mut puppet, "r1").await, json!([]));
    assert!(scene.store.shares().await.unwrap().is_empty());
    scene.close().await;
}

/// Shows RO-009, RO-013, F2: a yes is for the folder that was shown. Swapped after it, the server is told of nothing,
/// the user reads what became of the folder, and a healthy server gets the folders that are shared with it.
#[tokio::test]
async fn a_folder_swapped_after_the_yes_is_not_told() {
    let scene = Scene::new().await;
    let (code, inner) = (folder(&scene, "code"), folder(&scene, "work/inner"));
    let fine = folder(&scene, "fine");
    for path in ["secret", "secret/inner"] {
        folder(&scene, path);
    }
    at_home(&scene, &[&code, &inner, &fine]).await;
    let (server, mut puppet, _stage) = scene.puppet("notes", &[]).await;
    let (other, mut neighbour, _other_stage) = scene.puppet("other", &[]).await;
    for (server, folders) in [(server, vec![&*code, &*inner]), (other, vec![&*fine])] {
        scene.host.folders_share(server).unwrap();
        let card = scene.person.asked().await;
        scene.person.say(&card, only(&folders)).await;
    }
    asks(&mut puppet, "r1").await;
    assert_eq!(roots(&mut puppet, "r1").await.as_array().unwrap().len(), 2);
    swap(&scene, "code", "secret");
    swap(&scene, "work", "secret");
    asks(&mut puppet, "r2").await;
    assert_eq!(roots(&mut puppet, "r2").await, json!([]));
    let replaced = |seen: &vestibule_tests::Projection| {
        let folders = seen.workspaces[0].folders.iter();
        let replaced = folders.filter(|folder| folder.trouble == Some(FolderTrouble::Replaced));
        replaced.map(|folder| &folder.path).eq([&code, &inner])
    };
    scene
        .window
        .until("two folders that were replaced", replaced)
        .await;
    asks(&mut neighbour, "r3").await;
    assert_eq!(roots(&mut neighbour, "r3").await[0]["name"], "fine");
    scene.close().await;
}

/// Shows RO-010: a path outside of what was shared is marked on the card of the call.
#[tokio::test]
async fn a_path_outside_is_marked_on_the_card() {
    let scene = Scene::new().await;
    let code = folder(&scene, "code");
    at_home(&scene, &[&code]).await;
    let (_, mut puppet, _stage) = scene.puppet("files", &[tool("read")]).await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Always)).await;
    roots(&mut puppet, "r1").await;
    let (chat, model) = scene.scripted_chat().await;
    let arguments =
        json!({ "a": format!("{code}/note.txt"), "b": format!("{code}/../x"), "c": "/etc/passwd" });
    model.will(Turn::call("one", "files__read", arguments));
    model.will(Turn::words("Done."));
    scene.say(chat, "Go.").await;
    let card = scene.person.asked().await;
    let QuestionBody::CallTool(call) = &card.about else {
        panic!("{card:?}")
    };
    let marked: Vec<_> = call
        .outside
        .iter()
        .map(|outside| outside.at[0].as_str())
        .collect();
    assert_eq!(marked, ["b", "c"]);
    assert_eq!(call.roots, [code]);
    scene.person.say(&card, Answer::Cancel).await;
    scene.finished(chat).await;
    scene.close().await;
}

/// Shows RO-012: several workspaces, each chat in one; a question because of a chat offers that chat's folders.
#[tokio::test]
async fn a_chat_belongs_to_a_workspace() {
    let scene = Scene::new().await;
    let (home, site) = (folder(&scene, "home"), folder(&scene, "site"));
    let web = scene.host.workspace_create("Website").await.unwrap();
    assert!(
        scene.host.workspace_create("Website").await.is_err(),
        "names are told apart"
    );
    at_home(&scene, &[&home]).await;
    scene.host.folder_add(web, site.clone()).await.unwrap();
    let (_, mut puppet, _stage) = scene.puppet("files", &[tool("read")]).await;
    let (chat, model) = scene.scripted_chat().await;
    let change = scene.host.chat_workspace(chat, web).await.unwrap();
    scene.agreed(change).await;
    model.will(Turn::call("one", "files__read", json!({})));
    model.will(Turn::words("Done."));
    scene.say(chat, "Go.").await;
    let card = scene.person.asked().await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let call = puppet.hear("tools/call").await;
    asks(&mut puppet, "r1").await;
    let card = scene.person.asked().await;
    assert_eq!(card.cause.as_ref().map(|cause| cause.chat), Some(chat));
    let offered: Vec<_> = share(&card)
        .folders
        .iter()
        .map(|folder| folder.path.as_str())
        .collect();
    assert_eq!(offered, [site.as_str()]);
    scene.person.say(&card, yes(Scope::Always)).await;
    assert_eq!(roots(&mut puppet, "r1").await[0]["name"], "site");
    puppet.answer(&call, vestibule_tests::text_result("ok")).await;
    scene.finished(chat).await;
    let change = scene.host.workspace_remove(web).await.unwrap();
    scene.agreed(change).await;
    scene
        .window
        .until("the chat at home", |seen| {
            seen.chats[&chat].workspace == WorkspaceId::home()
        })
        .await;
    scene.close().await;
}

/// A workspace gets another name: the window hears it, the store keeps it, and nothing that belongs to it moves.
#[tokio::test]
async fn a_workspace_gets_another_name_and_keeps_what_is_in_it() {
    let scene = Scene::new().await;
    let site = folder(&scene, "site");
    let web = scene.host.workspace_create("Website").await.unwrap();
    scene.host.workspace_create("Garden").await.unwrap();
    scene.host.folder_add(web, site.clone()).await.unwrap();
    let (chat, _model) = scene.scripted_chat().await;
    let change = scene.host.chat_workspace(chat, web).await.unwrap();
    scene.agreed(change).await;

    scene.host.workspace_rename(web, "  Shop ").await.unwrap();
    let renamed = |seen: &vestibule_tests::Projection| {
        let view = seen.workspaces.iter().find(|view| view.id == web);
        view.is_some_and(|view| view.name == "Shop" && view.folders[0].path == site)
    };
    scene.window.until("the new name", renamed).await;
    let kept = scene.store.workspaces().await.unwrap();
    assert!(
        kept.iter()
            .any(|record| record.id == web && record.name == "Shop")
    );
    scene
        .window
        .until("the chat where it was", |seen| seen.chats[&chat].workspace == web)
        .await;

    for (workspace, name) in [(web, "Garden"), (web, " "), (WorkspaceId::home(), "Elsewhere")] {
        scene
            .host
            .workspace_rename(workspace, name)
            .await
            .expect_err("taken, empty, or the one every chat begins in");
    }
    let names = |all: &[vestibule_store::WorkspaceRecord]| -> Vec<String> {
        all.iter().map(|record| record.name.clone()).collect()
    };
    let now = scene.store.workspaces().await.unwrap();
    assert_eq!(
        names(&now),
        names(&kept),
        "a name that cannot be used changes nothing"
    );
    scene.close().await;
}
