//! Shares end when they are taken back, whatever happens at the same moment.

use vestibule_protocol::EraChoice;
use vestibule_store::{Program, ServerPlace, ServerRecord};

use super::*;

struct Scene {
    folders: Folders,
    store: Store,
    server: ServerId,
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
            server: id,
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
    let both = vec![one.clone(), two.clone()];
    let server = scene.server;
    scene.store.share(server, both, Timestamp::now()).await.unwrap();
    let (first, second) = tokio::join!(
        scene.folders.unshare(server, &one),
        scene.folders.unshare(server, &two)
    );
    first.and(second).unwrap();
    assert_eq!(scene.shared().await, [] as [&str; 0]);
}
