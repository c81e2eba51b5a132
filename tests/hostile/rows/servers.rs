//! Servers inserted or edited in the file.

use super::*;

/// A second copy of a server that may start, with a permission for the very same launch.
fn insert_wanted(server: ServerId, data_folder: &Path) -> String {
    // The copy has to work in the folder of the server to be the same launch.
    let folder = data_folder.join("servers").join(server.to_string());
    let folder = folder.display();
    let id = "00000000-0000-4000-8000-00000000000a";
    let rule = "00000000-0000-4000-8000-00000000000b";
    format!(
        "INSERT INTO servers (id, name, command, args, env, cwd, wanted, created, era, url, transport, headers)
             SELECT '{id}', 'helper', command, args, env, '{folder}', 1, created, era, url, transport, headers
             FROM servers WHERE id = '{server}';
         INSERT INTO rules (id, server, chat, body, created, last_used, expires)
             SELECT '{rule}', '{id}', chat,
                    json_set(replace(body, '{server}', '{id}'), '$.id', '{rule}'), created, last_used, expires
             FROM rules WHERE server = '{server}' AND body ->> '$.decision' = 'allow';"
    )
}

/// A scene with a server that starts by itself, and nothing else.
async fn with_starting_server(keychain: Arc<TestKeychain>) -> (Opening, ServerId, Stage) {
    let scene = Opening::default().keeping(keychain).open().await;
    let stage = Stage::new(scene.folder(), "notes");
    let server = scene.add("notes", stage.args(), &[]).await;
    scene.start(server, Scope::Always).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&tools()).await;
    scene.ready(server).await;
    drop(puppet);
    (scene.close().await, server, stage)
}

/// Attack L2: a server written into the file with the permission to start it.
#[tokio::test]
async fn an_inserted_server_is_not_started_and_is_shown() {
    let keychain = Arc::new(TestKeychain::default());
    let (opening, server, stage) = with_starting_server(keychain).await;
    edit(&opening, run(&insert_wanted(server, opening.folder())));
    let scene = opening.open().await;
    let mut honest = stage.puppet().await;
    honest.greet(&tools()).await;
    scene.ready(server).await;
    let forged: ServerId = "00000000-0000-4000-8000-00000000000a".parse().unwrap();
    let view = scene.window.now().servers[&forged].clone();
    assert_eq!(view.state, ServerState::Stopped);
    let found = scene.host.rows().findings;
    let tables: Vec<_> = found.iter().map(|found| (found.row.table, found.fault)).collect();
    let unsigned = RowFault::Unsigned;
    assert_eq!(tables, [(RowTable::Server, unsigned), (RowTable::Rule, unsigned)]);
    // The user's own start is asked about: the permission in the file does not count.
    scene.host.server_start(forged).await.unwrap();
    let question = scene.person.asked().await;
    assert!(
        matches!(question.about, QuestionBody::StartServer(_)),
        "{question:?}"
    );
    assert_eq!(question.server.id, forged);
    scene.person.say(&question, Answer::Refuse { reason: None }).await;
    scene.host.row_remove(found[0].row.clone()).await.unwrap();
    assert_eq!(scene.host.rows().findings, []);
    scene
        .window
        .until("one server", |seen| seen.servers.len() == 1)
        .await;
    scene.close().await;
}

/// Control: where there is no keychain the same edit is believed, and the screen says that edits cannot be noticed.
#[tokio::test]
async fn without_a_keychain_an_edit_is_believed_and_the_screen_says_so() {
    let keychain = Arc::new(TestKeychain::default());
    keychain.turn(KeychainMood::Away);
    let (opening, server, stage) = with_starting_server(keychain).await;
    edit(&opening, run(&insert_wanted(server, opening.folder())));
    let scene = opening.open().await;
    let forged: ServerId = "00000000-0000-4000-8000-00000000000a".parse().unwrap();
    let protection = scene.host.rows().protection;
    assert!(matches!(protection, RowsProtection::Off { .. }), "{protection:?}");
    let mut puppets = vec![];
    for _ in 0..2 {
        let mut puppet = stage.puppet().await;
        puppet.greet(&tools()).await;
        puppets.push(puppet);
    }
    scene.ready(server).await;
    scene.ready(forged).await;
    assert_eq!(scene.host.rows().findings, []);
    scene.close().await;
}

/// A server that was renamed or told to run is not started by itself; the user can keep it as it is.
#[tokio::test]
async fn an_edited_server_is_not_started_until_it_is_kept() {
    let keychain = Arc::new(TestKeychain::default());
    let (opening, server, stage) = with_starting_server(keychain).await;
    edit(&opening, run("UPDATE servers SET name = 'calendar'"));
    let scene = opening.open().await;
    let found = scene.host.rows().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].row.table, found[0].fault),
        (RowTable::Server, RowFault::Changed)
    );
    assert_eq!(scene.window.now().servers[&server].state, ServerState::Stopped);
    scene.host.row_keep(found[0].row.clone()).await.unwrap();
    assert_eq!(scene.host.rows().findings, []);
    let scene = scene.reopen().await;
    let mut puppet = stage.puppet().await;
    puppet.greet(&tools()).await;
    scene.ready(server).await;
    scene.close().await;
}
