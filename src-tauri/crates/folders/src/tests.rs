//! Shares end when they are taken back and with their folders, whatever happens at the same moment.

use vestibule_consent::{Gate, Inbox, ServerSummary};
use vestibule_protocol::EraChoice;
use vestibule_store::{LedgerFilter, LedgerKind, Program, ServerPlace, ServerRecord};

use super::*;

struct Scene {
    folders: Folders,
    store: Store,
    server: ServerSummary,
    /// The folder that holds those of the workspace.
    place: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        let store = Store::in_memory().unwrap();
        let id = ServerId::new();
        let record = ServerRecord {
            id,
            name: "notes".into(),
            place: ServerPlace::Here(Program::default()),
            era: EraChoice::Auto,
            wanted: false,
            created: Timestamp::now(),
        };
        store.put_server(&record).await.unwrap();
        Self {
            folders: Folders::new(store.clone(), EventStream::default()),
            store,
            server: ServerSummary {
                id,
                name: "notes".into(),
                provenance: "npx notes".into(),
            },
            place: tempfile::tempdir().unwrap(),
        }
    }

    /// Makes a folder and adds it to the workspace every chat begins in.
    async fn add(&self, name: &str) -> String {
        let path = self.place.path().canonicalize().unwrap().join(name);
        std::fs::create_dir(&path).unwrap();
        let record = FolderRecord {
            workspace: WorkspaceId::home(),
            path: path.to_str().unwrap().to_owned(),
            added: Timestamp::now(),
        };
        self.store.add_folder(&record).await.unwrap();
        record.path
    }

    async fn shared(&self) -> Vec<String> {
        let shares = self.store.shares().await.unwrap();
        shares.into_iter().map(|share| share.path).collect()
    }
}

#[tokio::test]
async fn two_folders_taken_back_at_the_same_moment_are_both_taken_back() {
    let scene = Scene::new().await;
    let (one, two) = (scene.add("one").await, scene.add("two").await);
    let server = scene.server.id;
    // How the two meet at the thread of the store is up to the system, so they meet often.
    for _ in 0..50 {
        let both = vec![one.clone(), two.clone()];
        scene.store.share(server, both, Timestamp::now()).await.unwrap();
        let (first, second) = tokio::join!(
            scene.folders.unshare(server, &one),
            scene.folders.unshare(server, &two)
        );
        first.and(second).unwrap();
        assert_eq!(scene.shared().await, [] as [&str; 0]);
    }
}

/// RO-008: a folder that the user removes while the question waits is shared with nobody, and the ledger says so.
#[tokio::test]
async fn a_folder_removed_while_the_question_waited_is_not_shared() {
    let scene = Scene::new().await;
    let (stays, goes) = (scene.add("stays").await, scene.add("goes").await);
    let gate = Gate::open(scene.store.clone(), Inbox::new(Timestamp::now), Timestamp::now)
        .await
        .unwrap();
    let picked = vec![stays.clone(), goes.clone()];
    let before = offer::identities(picked.clone()).await;
    let on_card = picked.iter().cloned().collect();
    scene
        .store
        .remove_folder(WorkspaceId::home(), &goes)
        .await
        .unwrap();
    let share = |picked| {
        scene
            .folders
            .share_unchanged(&gate, &scene.server, picked, &before, &on_card)
    };
    share(picked).await.unwrap();
    assert_eq!(scene.shared().await, [stays.as_str()]);
    assert!(!scene.folders.declined().contains(&scene.server.id));
    let ledger = scene.store.ledger(LedgerFilter {
        limit: 10,
        ..LedgerFilter::default()
    });
    let ledger = ledger.await.unwrap();
    let [revoked] = &ledger[..] else {
        panic!("{ledger:?}")
    };
    assert_eq!(revoked.kind, LedgerKind::Revoke);
    assert_eq!(revoked.body["folders"], json!([goes]));

    share(vec![goes]).await.unwrap();
    assert_eq!(scene.shared().await, [] as [&str; 0]);
    assert!(
        scene.folders.declined().contains(&scene.server.id),
        "the server does not bring the card again"
    );
}

#[tokio::test]
async fn a_shared_folder_is_on_the_card_however_many_folders_are_before_it() {
    let scene = Scene::new().await;
    let mut last = String::new();
    for number in 0..offer::MOST + 5 {
        last = scene.add(&format!("{number:03}")).await;
    }
    let server = scene.server.id;
    let share = vec![last.clone()];
    scene.store.share(server, share, Timestamp::now()).await.unwrap();
    let (card, _) = scene.folders.facts(&scene.server, None, false).await.unwrap();
    assert_eq!(card.folders.len(), offer::MOST);
    let shared: Vec<&str> = card
        .folders
        .iter()
        .filter(|folder| folder.shared)
        .map(|folder| folder.path.as_str())
        .collect();
    assert_eq!(shared, [last.as_str()]);
    assert_eq!(card.folders[0].path, last);
}

#[tokio::test]
async fn a_share_that_had_no_room_on_the_card_is_kept() {
    let scene = Scene::new().await;
    let mut all = vec![];
    for number in 0..offer::MOST + 5 {
        all.push(scene.add(&format!("{number:03}")).await);
    }
    let server = scene.server.id;
    scene.store.share(server, all, Timestamp::now()).await.unwrap();
    let (card, before) = scene.folders.facts(&scene.server, None, false).await.unwrap();
    let on_card: BTreeSet<String> = card.folders.into_iter().map(|folder| folder.path).collect();
    let first = on_card.first().unwrap().clone();
    let unseen = scene
        .shared()
        .await
        .into_iter()
        .filter(|path| !on_card.contains(path));
    let mut kept: Vec<String> = unseen.chain([first.clone()]).collect();
    kept.sort();
    assert_eq!(kept.len(), 6);

    let gate = Gate::open(scene.store.clone(), Inbox::new(Timestamp::now), Timestamp::now)
        .await
        .unwrap();
    let shared = scene
        .folders
        .share_unchanged(&gate, &scene.server, vec![first], &before, &on_card);
    shared.await.unwrap();
    assert_eq!(scene.shared().await, kept);
}

/// RO-008: what is shared is the folder whose content the card shows.
#[tokio::test]
async fn a_folder_that_was_swapped_after_it_was_looked_into_is_not_shared() {
    let scene = Scene::new().await;
    let (stays, swapped) = (scene.add("stays").await, scene.add("swapped").await);
    let gate = Gate::open(scene.store.clone(), Inbox::new(Timestamp::now), Timestamp::now)
        .await
        .unwrap();
    let (card, before) = scene.folders.facts(&scene.server, None, false).await.unwrap();
    let on_card: BTreeSet<String> = card.folders.into_iter().map(|folder| folder.path).collect();
    std::fs::rename(&swapped, format!("{swapped}, as shown")).unwrap();
    std::fs::create_dir(&swapped).unwrap();

    let picked = vec![stays.clone(), swapped];
    let shared = scene
        .folders
        .share_unchanged(&gate, &scene.server, picked, &before, &on_card);
    shared.await.unwrap();
    assert_eq!(scene.shared().await, [stays.as_str()]);
}
