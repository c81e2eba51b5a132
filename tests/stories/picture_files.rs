//! Pictures of chats are saved as files: what the chat has, where the user said, and nothing that is no picture.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use vestibule_host::view::{
    AttachmentView, EntryBody, EntryView, FilesAttached, InputProblem, ModelDraft, PicturePlace, Problem,
    StoreProblem,
};
use vestibule_policy::Scope;
use vestibule_protocol::{ChatId, EntryId};
use vestibule_tests::{Scene, Turn, model_draft, tool, yes};

/// The smallest GIF whose size can be read.
const GIF: &[u8] = b"GIF89a\x04\0\x03\0\0\0\0,\0\0\0\0\x04\0\x03\0\0\x02\x02\x44\x01\0;";
const GONE: Problem = Problem::Input(InputProblem::Gone);

/// The problem that a place has.
async fn problem(scene: &Scene, place: PicturePlace) -> Problem {
    match scene.host.picture_file(place).await {
        Ok(picture) => panic!("{} can be saved", picture.name),
        Err(problem) => problem,
    }
}

/// Saves a picture in the folder of the scene under the name that is proposed. Returns that name and what was written.
async fn save(scene: &Scene, place: PicturePlace) -> (String, Vec<u8>) {
    let picture = scene.host.picture_file(place).await.unwrap();
    let name = picture.name.clone();
    let path = scene.folder().join(&name);
    let saved = scene.host.picture_write(path.clone(), picture).await.unwrap();
    assert_eq!(Path::new(&saved), path);
    (name, std::fs::read(path).unwrap())
}

/// The entry of a call whose result has these parts.
async fn answered(scene: &Scene, content: serde_json::Value) -> (ChatId, EntryId) {
    let (_, mut camera, _stage) = scene.puppet("camera", &[tool("shoot")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("shot", "camera__shoot", json!({})));
    scene.say(chat, "Photograph this.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let request = camera.hear("tools/call").await;
    camera.answer(&request, json!({ "content": content })).await;
    model.will(Turn::words("Done."));
    model.asked().await;
    let entries = scene.finished(chat).await;
    let is_call = |entry: &&EntryView| matches!(entry.body, EntryBody::Call(_));
    (chat, entries.iter().find(is_call).unwrap().id)
}

fn image(mime: &str, bytes: &[u8]) -> serde_json::Value {
    json!({ "type": "image", "mimeType": mime, "data": STANDARD.encode(bytes) })
}

#[tokio::test]
async fn a_picture_of_a_result_is_saved_as_it_came_and_replaces_a_file_at_once() {
    let scene = Scene::new().await;
    let content = json!([{ "type": "text", "text": "Here." }, image("image/gif", GIF)]);
    let (_, entry) = answered(&scene, content).await;
    let folder = scene.folder().to_owned();
    std::fs::write(folder.join("camera shoot.gif"), "an older file that is longer").unwrap();
    let before = std::fs::read_dir(&folder).unwrap().count();
    let saved = save(&scene, PicturePlace::Result { entry, part: 1 }).await;
    assert_eq!(saved, ("camera shoot.gif".to_owned(), GIF.to_vec()));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), before);
    for part in [0, 2] {
        assert_eq!(problem(&scene, PicturePlace::Result { entry, part }).await, GONE);
    }
    scene.close().await;
}

#[tokio::test]
async fn what_only_claims_to_be_a_picture_is_not_saved() {
    let scene = Scene::new().await;
    let mut damaged = image("image/gif", b"GIF89a\x04\0\x03\0\0\0\0,\0\0\0\0\x04\0\x03\0\0\0");
    // Its beginning can be read, its end cannot.
    damaged["data"] = json!(format!("{}A", damaged["data"].as_str().unwrap()));
    let content = json!([damaged, image("image/png", b"\x7fELF\x02\x01")]);
    let (_, entry) = answered(&scene, content).await;
    let damaged = InputProblem::PictureDamaged {
        name: "camera shoot".to_owned(),
    };
    for (part, expected) in [(0, Problem::Input(damaged)), (1, GONE)] {
        assert_eq!(
            problem(&scene, PicturePlace::Result { entry, part }).await,
            expected
        );
    }
    scene.close().await;
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named_and_stays_as_it_was() {
    let scene = Scene::new().await;
    let (_, entry) = answered(&scene, json!([image("image/gif", GIF)])).await;
    let place = PicturePlace::Result { entry, part: 0 };
    let picture = scene.host.picture_file(place).await.unwrap();
    let path = scene.folder().join("missing").join("a.gif");
    let failed = scene.host.picture_write(path.clone(), picture).await.unwrap_err();
    let Problem::Store(StoreProblem::NotExported { path: named, .. }) = failed else {
        panic!("{failed:?}")
    };
    assert_eq!(Path::new(&named), path);

    // A folder has the name, so that the file that is whole cannot take its place.
    let folder = scene.folder().join("taken.gif");
    std::fs::create_dir(&folder).unwrap();
    let before = std::fs::read_dir(scene.folder()).unwrap().count();
    let picture = scene.host.picture_file(place).await.unwrap();
    let failed = scene.host.picture_write(folder.clone(), picture).await;
    assert!(
        matches!(failed, Err(Problem::Store(StoreProblem::NotExported { .. }))),
        "{failed:?}"
    );
    assert!(folder.is_dir());
    assert_eq!(
        std::fs::read_dir(scene.folder()).unwrap().count(),
        before,
        "nothing is left of the part that was written"
    );
    scene.close().await;
}

#[tokio::test]
async fn a_picture_of_the_user_is_saved_before_and_after_it_is_sent() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let added = scene.store.models().await.unwrap();
    let id = added
        .iter()
        .find(|record| record.connection.is_some())
        .unwrap()
        .id;
    let sees = ModelDraft {
        images: Some(true),
        ..model_draft(id, "Seeing")
    };
    scene.host.model_save(sees).await.unwrap();
    let path = scene.folder().join("map.2024.txt");
    std::fs::write(&path, GIF).unwrap();
    let FilesAttached { attached, .. } = scene.host.attach_files(chat, vec![path]).await.unwrap();
    let AttachmentView { id: attachment, .. } = attached[0];
    let waiting = |chat| PicturePlace::Waiting {
        chat,
        attachment,
        part: 0,
    };
    let expected = ("map 2024.gif".to_owned(), GIF.to_vec());
    assert_eq!(save(&scene, waiting(chat)).await, expected);
    assert_eq!(problem(&scene, waiting(scene.chat().await)).await, GONE);

    model.will(Turn::words("In Oslo."));
    scene.say_with(chat, "Where is this?", &[attachment]).await;
    model.asked().await;
    let entry = scene.finished(chat).await[0].id;
    let sent = PicturePlace::Message {
        entry,
        attachment,
        part: 0,
    };
    assert_eq!(save(&scene, sent).await, expected);
    assert_eq!(problem(&scene, waiting(chat)).await, GONE);
    let of_a_call = PicturePlace::Result { entry, part: 0 };
    assert_eq!(problem(&scene, of_a_call).await, GONE);
    scene.close().await;
}
