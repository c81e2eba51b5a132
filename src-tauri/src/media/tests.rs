//! Which window gets which stored picture, and by which address.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use vestibule_egress::Proxies;
use vestibule_host::{HelperProgram, HostOptions, MemorySecrets};
use vestibule_protocol::{ChatId, WorkspaceId};
use vestibule_store::{BlobKind, ChatRecord, NewBlob, Store};
use vestibule_transport::browser::Browser;

use super::*;
use crate::words;

const ENTRY: &str = "01a20690-3b85-716d-87c2-b1dab5b5f6bc";
const PICTURE: &[u8] = b"a picture";

async fn host(store: Store) -> Host {
    let missing = HelperProgram {
        program: "/nonexistent".into(),
        leading_args: vec![],
    };
    let options = HostOptions {
        store,
        secrets: Arc::new(MemorySecrets::new("a test")),
        guard: missing.clone(),
        worker: missing,
        browser: Browser::default(),
        callback_page: words::callback_page,
        proxies: Proxies::default(),
        data_folder: "/nonexistent".into(),
        own_folders: vec![],
        app_folders: Default::default(),
        network_variables: Default::default(),
        tour: None,
    };
    Host::open(options).await.unwrap()
}

fn blob(number: u32, kind: BlobKind, mime: &str) -> NewBlob {
    NewBlob {
        number,
        kind,
        mime: Some(mime.to_owned()),
        content: PICTURE.to_vec(),
    }
}

/// An entry with a picture, a picture of a kind that can run something, a sound and a text.
async fn put_entry(store: &Store, chat: ChatId) -> EntryId {
    let now = Timestamp::now();
    let chat = ChatRecord {
        id: chat,
        workspace: WorkspaceId::home(),
        title: String::new(),
        model: None,
        settings: None,
        created: now,
        updated: now,
        pinned: false,
        archived: false,
        trashed: None,
    };
    store.create_chat(&chat).await.unwrap();
    let entry = EntryId::in_chat(chat.id);
    store
        .append_entry(chat.id, entry, now, json!({ "kind": "call" }))
        .await
        .unwrap();
    let blobs = vec![
        blob(0, BlobKind::Image, "image/png"),
        blob(1, BlobKind::Image, "image/svg+xml"),
        blob(2, BlobKind::Audio, "audio/wav"),
        blob(3, BlobKind::Text, "image/png"),
    ];
    store
        .update_entry_with(entry, &json!({ "kind": "call" }), blobs)
        .await
        .unwrap();
    entry
}

async fn asked(host: &Host, label: &str, method: Method, address: &str) -> Response<Vec<u8>> {
    answer(host, label, &method, &address.parse().unwrap()).await
}

fn header(answer: &Response<Vec<u8>>, name: HeaderName) -> Option<&str> {
    answer.headers().get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_stored_picture_is_answered_for_the_main_window_alone() {
    let store = Store::in_memory().unwrap();
    let host = host(store.clone()).await;
    for chat in [ChatId::new(), ChatId::temporary()] {
        let entry = put_entry(&store, chat).await;
        let address = format!("{SCHEME}://localhost/{entry}/0");
        let shown = asked(&host, MAIN, Method::GET, &address).await;
        assert_eq!(
            (shown.status(), shown.body().as_slice()),
            (StatusCode::OK, PICTURE)
        );
        assert_eq!(header(&shown, CONTENT_TYPE), Some("image/png"));
        assert_eq!(header(&shown, X_CONTENT_TYPE_OPTIONS), Some("nosniff"));
        assert_eq!(header(&shown, CACHE_CONTROL), Some("no-store"));
        for label in ["consent", "failed", "", "Main", "main2"] {
            let refused = asked(&host, label, Method::GET, &address).await;
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{label}");
            assert!(refused.body().is_empty(), "{label}");
        }
        let posted = asked(&host, MAIN, Method::POST, &address).await;
        assert_eq!(posted.status(), StatusCode::NOT_FOUND);
        let other = EntryId::in_chat(chat);
        for (of, number) in [(entry, 1), (entry, 2), (entry, 3), (entry, 4), (other, 0)] {
            let address = format!("{SCHEME}://localhost/{of}/{number}");
            let missing = asked(&host, MAIN, Method::GET, &address).await;
            assert_eq!(missing.status(), StatusCode::NOT_FOUND, "{address}");
            assert!(missing.body().is_empty(), "{address}");
        }
    }
}

#[test]
fn only_the_one_address_of_a_picture_names_it() {
    let named = |text: &str| text.parse::<Uri>().ok().and_then(|uri| place(&uri));
    let found = named(&format!("{SCHEME}://localhost/{ENTRY}/3"));
    assert_eq!(found, Some((ENTRY.parse().unwrap(), 3)));
    for other in [
        format!("{SCHEME}://localhost/{ENTRY}/3?x=1"),
        format!("{SCHEME}://localhost/{ENTRY}/03"),
        format!("{SCHEME}://localhost/{ENTRY}/3/"),
        format!("{SCHEME}://localhost/{ENTRY}/-1"),
        format!("{SCHEME}://localhost/../{ENTRY}/3"),
        format!("{SCHEME}://other/{ENTRY}/3"),
        format!("{SCHEME}://localhost:1/{ENTRY}/3"),
        format!("http://localhost/{ENTRY}/3"),
        format!("{SCHEME}://localhost/{}/3", ENTRY.to_uppercase()),
        format!("{SCHEME}://localhost/{ENTRY}"),
        format!("{SCHEME}://localhost/"),
    ] {
        assert_eq!(named(&other), None, "{other}");
    }
}
