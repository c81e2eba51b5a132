//! The folder that a server works in.

use super::*;

/// L-15: what is in the home folder, such as `node_modules/.bin` and `.npmrc`, is no part of a new server.
#[tokio::test]
async fn a_new_server_works_in_an_empty_folder_of_its_own() {
    let started = Started::running(|folder, stage| {
        let file = folder.join("server");
        executable(&file, &script(stage, "pwd > \"$0.pwd\"; ls -A >> \"$0.pwd\""));
        (file, vec![])
    })
    .await;
    let folder = started.own_folder();
    let (question, launch) = started.card().await;
    assert_eq!(launch.folder, folder.display().to_string());
    assert!(!folder.exists(), "nothing is made before the yes");
    started.scene.person.say(&question, yes(Scope::Once)).await;
    let _puppet = started.greets().await;
    let seen = fs::read_to_string(started.scene.folder().join("server.pwd")).unwrap();
    assert_eq!(seen, format!("{}\n", folder.display()), "and it is empty");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    started.scene.host.server_remove(started.server).await.unwrap();
    assert!(!folder.exists());
    started.scene.close().await;
}

/// L-15: a server from before there were such folders stays where it was.
#[tokio::test]
async fn a_server_without_a_folder_in_its_record_still_works_in_the_home_folder() {
    let mut started = Started::running(|folder, stage| {
        let file = folder.join("server");
        executable(&file, &script(stage, ""));
        (file, vec![])
    })
    .await;
    let mut record = started.scene.store.servers().await.unwrap().remove(0);
    let ServerPlace::Here(program) = &mut record.place else {
        panic!("{record:?}")
    };
    program.cwd = None;
    started.scene.store.put_server(&record).await.unwrap();
    started.scene = started.scene.reopen().await;
    let (question, launch) = started.card().await;
    assert_eq!(launch.folder, std::env::home_dir().unwrap().display().to_string());
    started.refuse(&question).await;
    started.scene.close().await;
}
