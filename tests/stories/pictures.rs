//! Pictures of tools in requests to a model: the newest ones, each small enough, however many and however large they are.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageBuffer, ImageFormat, Rgb};
use serde_json::{Value, json};
use vestibule_host::view::{ModelDraft, SettingsChange};
use vestibule_policy::Scope;
use vestibule_protocol::ChatId;
use vestibule_tests::{Model, Scene, Turn, model_draft, text_result, tool, yes};

/// What a request may have, in bytes.
const REQUEST: usize = 4 * 1024 * 1024;

/// A picture that does not compress, as a file of about 400 kB.
fn screenshot(seed: u32) -> String {
    let mut state = seed;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let picture = ImageBuffer::from_fn(420, 320, |_, _| Rgb([noise(), noise(), noise()]));
    let mut file = Cursor::new(vec![]);
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    STANDARD.encode(file.into_inner())
}

fn pictures_result(pictures: &[String]) -> Value {
    let content = pictures
        .iter()
        .map(|data| json!({ "type": "image", "mimeType": "image/png", "data": data }));
    json!({ "content": content.collect::<Vec<_>>() })
}

/// The pictures of a request, as files.
fn pictures(request: &Value) -> Vec<Vec<u8>> {
    let text = request.to_string();
    let parts = text.split("data:image/").skip(1);
    let base64 = parts.filter_map(|part| part.split_once(";base64,")?.1.split('"').next());
    base64.map(|data| STANDARD.decode(data).unwrap()).collect()
}

fn edge(file: &[u8]) -> u32 {
    let picture = image::load_from_memory(file).unwrap();
    picture.width().max(picture.height())
}

/// A chat with a model that sees.
async fn seeing_chat(scene: &Scene) -> (ChatId, Model) {
    let (chat, model) = scene.scripted_chat().await;
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
    (chat, model)
}

#[tokio::test]
async fn twenty_screenshots_make_a_request_of_four_megabytes_at_most() {
    let scene = Scene::new().await;
    let (_, mut camera, _stage) = scene.puppet("camera", &[tool("shoot")]).await;
    let (chat, mut model) = seeing_chat(&scene).await;
    scene.agrees();
    let calls = |round: u32| -> Turn {
        let ids: Vec<String> = (0..5).map(|call| format!("shot-{round}-{call}")).collect();
        let calls: Vec<_> = ids
            .iter()
            .map(|id| (id.as_str(), "camera__shoot", "{}"))
            .collect();
        Turn::calls(&calls)
    };
    model.will(calls(0));
    scene.say(chat, "Photograph everything.").await;
    assert!(pictures(&model.asked().await).is_empty());
    for round in 0..2 {
        for call in 0..5 {
            let request = camera.hear("tools/call").await;
            let seed = 10 * round + 2 * call;
            let two = [screenshot(seed), screenshot(seed + 1)];
            camera.answer(&request, pictures_result(&two)).await;
        }
        model.will(if round == 0 {
            calls(1)
        } else {
            Turn::words("Seen.")
        });
        let request = model.asked().await;
        assert_eq!(
            pictures(&request).len(),
            8,
            "what the model has not seen, as far as it fits"
        );
        assert!(request.to_string().len() <= REQUEST);
        assert!(request.to_string().contains("only the newest pictures"));
    }
    scene.finished(chat).await;

    model.will(Turn::words("Welcome."));
    scene.say(chat, "Thank you.").await;
    let before = pictures(&model.asked().await);
    assert_eq!(before.len(), 4, "the newest are sent again");
    scene.finished(chat).await;
    let change = SettingsChange {
        picture_edge: Some(300),
        pictures_sent: Some(1),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    model.will(Turn::words("Bye."));
    scene.say(chat, "Good bye.").await;
    let after = pictures(&model.asked().await);
    assert_eq!(after.iter().map(|file| edge(file)).collect::<Vec<_>>(), [300]);
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn a_gif_and_a_webp_are_drawn_as_small_as_the_others() {
    let scene = Scene::new().await;
    let (_, mut camera, _stage) = scene.puppet("camera", &[tool("shoot")]).await;
    let (chat, mut model) = seeing_chat(&scene).await;
    let change = SettingsChange {
        picture_edge: Some(300),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
    model.will(Turn::call("shot", "camera__shoot", json!({})));
    scene.say(chat, "Photograph this.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let request = camera.hear("tools/call").await;
    let wide = ImageBuffer::from_fn(800, 400, |x, y| Rgb([(x / 4) as u8, (y / 2) as u8, 7u8]));
    let content = [(ImageFormat::Gif, "gif"), (ImageFormat::WebP, "webp")].map(|(format, kind)| {
        let mut file = Cursor::new(vec![]);
        let picture = image::DynamicImage::from(wide.clone());
        picture.write_to(&mut file, format).unwrap();
        let data = STANDARD.encode(file.into_inner());
        json!({ "type": "image", "mimeType": format!("image/{kind}"), "data": data })
    });
    camera.answer(&request, json!({ "content": content })).await;
    model.will(Turn::words("Seen."));
    let sent = pictures(&model.asked().await);
    assert_eq!(sent.iter().map(|file| edge(file)).collect::<Vec<_>>(), [300, 300]);
    let kinds: Vec<_> = sent
        .iter()
        .map(|file| image::guess_format(file).unwrap())
        .collect();
    assert_eq!(kinds, [ImageFormat::Png, ImageFormat::Jpeg]);
    scene.finished(chat).await;
    scene.close().await;
}

/// A picture that cannot be decoded is named to the model, and the chat goes on.
#[tokio::test]
async fn a_damaged_picture_becomes_a_sentence() {
    let scene = Scene::new().await;
    let (_, mut camera, _stage) = scene.puppet("camera", &[tool("shoot")]).await;
    let (chat, mut model) = seeing_chat(&scene).await;
    model.will(Turn::call("shot", "camera__shoot", json!({})));
    scene.say(chat, "Photograph this.").await;
    model.asked().await;
    let question = scene.person.asked().await;
    scene.person.say(&question, yes(Scope::Once)).await;
    let request = camera.hear("tools/call").await;
    let mut file = STANDARD.decode(screenshot(1)).unwrap();
    file[60..].fill(0);
    camera
        .answer(&request, pictures_result(&[STANDARD.encode(file)]))
        .await;
    model.will(Turn::words("A pity."));
    let told = model.asked().await;
    assert!(pictures(&told).is_empty());
    assert!(told.to_string().contains("the picture is damaged"), "{told}");
    scene.finished(chat).await;
    scene.close().await;
}

/// Without a word of the user the request of a round is the beginning of the next one, as text.
#[tokio::test]
async fn each_request_of_a_turn_begins_with_the_one_before() {
    let scene = Scene::new().await;
    let (_, mut notes, _notes) = scene.puppet("notes", &[tool("read"), tool("add")]).await;
    let (_, _web, _web_stage) = scene.puppet("web", &[tool("search")]).await;
    let (chat, mut model) = scene.scripted_chat().await;
    scene.agrees();
    let mut before: Option<(String, String)> = None;
    for round in 0..4 {
        let next = match round {
            3 => Turn::words("Done."),
            _ => Turn::call(
                &format!("call-{round}"),
                "notes__read",
                json!({ "b": 1, "a": round }),
            ),
        };
        model.will(next);
        if round == 0 {
            scene.say(chat, "Read my notes.").await;
        }
        let mut request = model.asked().await;
        let talk = request
            .as_object_mut()
            .unwrap()
            .remove("messages")
            .unwrap()
            .to_string();
        let talk = talk.strip_suffix(']').unwrap().to_owned();
        if let Some((rest, earlier)) = &before {
            assert_eq!(request.to_string(), *rest);
            assert!(talk.starts_with(earlier), "{talk} after {earlier}");
        }
        before = Some((request.to_string(), talk));
        if round < 3 {
            let call = notes.hear("tools/call").await;
            notes.answer(&call, text_result(&format!("note {round}"))).await;
        }
    }
    scene.finished(chat).await;
    scene.close().await;
}
