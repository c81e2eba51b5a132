//! What is refused halfway leaves nothing behind: a change of a server that is removed meanwhile, a server or a connection
//! that cannot be added.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use vestibule_host::view::{
    ChangeEnd, ConnectionDraft, EnvPair, HeaderDraft, InputProblem, Problem, ProgramDraft, SecretsState,
    ServerDraft,
};
use vestibule_host::{MemorySecrets, SecretName, Secrets, SecretsError};
use vestibule_policy::Scope;
use vestibule_tests::{Model, Opening, Scene, Stage, connection_draft, program, yes};

/// The value that the keychain does not keep.
const REFUSED: &str = "refused";

/// A keychain that can be looked through, and keeps every value but one.
struct OpenKeychain {
    held: MemorySecrets,
    names: Mutex<Vec<SecretName>>,
}

impl OpenKeychain {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            held: MemorySecrets::new("a test"),
            names: Mutex::default(),
        })
    }

    /// The values of servers and connections that are kept.
    async fn kept(&self) -> Vec<SecretName> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut kept = vec![];
        for name in names {
            let is_value = matches!(
                name,
                SecretName::Variable { .. }
                    | SecretName::Header { .. }
                    | SecretName::ConnectionKey(_)
                    | SecretName::ConnectionHeader { .. }
            );
            if is_value && self.held.get(&name).await.unwrap().is_some() {
                kept.push(name);
            }
        }
        kept
    }
}

#[async_trait]
impl Secrets for OpenKeychain {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        self.held.get(name).await
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        if secret.expose_secret() == REFUSED {
            return Err(SecretsError("the keychain is full".to_owned()));
        }
        self.names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(name.clone());
        self.held.set(name, secret).await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        self.held.remove(name).await
    }

    fn state(&self) -> SecretsState {
        self.held.state()
    }
}

/// Refuses every new row of a table from now on.
fn fill_disk(scene: &Scene, table: &str) {
    let full =
        format!("CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no room'); END");
    let database = rusqlite::Connection::open(scene.database()).unwrap();
    database.execute_batch(&full).unwrap();
}

fn pair(name: &str, value: &str) -> EnvPair {
    EnvPair {
        name: name.to_owned(),
        value: value.to_owned(),
        pasted: true,
        from_computer: false,
    }
}

/// The change is begun while the server shuts down, and waits for that.
#[tokio::test]
async fn a_server_that_is_removed_while_another_change_waits_does_not_come_back() {
    let keychain = OpenKeychain::new();
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let gone = Err(Problem::Input(InputProblem::Gone));
    for change in ["start", "stop", "value", "everything"] {
        let stage = Stage::new(scene.folder(), change);
        let own = ProgramDraft {
            command: program("vestibule-server").display().to_string(),
            args: stage.args(),
            env: vec![pair("TOKEN", "t")],
            folder: None,
        };
        let draft = ServerDraft::here(change, own);
        let server = scene.host.server_add(draft).await.unwrap();
        scene.start(server, Scope::Once).await;
        let mut puppet = stage.puppet().await;
        puppet.greet(&[]).await;
        scene.ready(server).await;
        let host = &scene.host;
        let changed = async {
            match change {
                "start" => host.server_start(server).await,
                "stop" => host.server_stop(server).await,
                "value" => host.server_secret(server, "TOKEN", "typed".into()).await,
                _ => host.stop_everything().await,
            }
        };
        let (removed, changed) = tokio::join!(host.server_remove(server), changed);
        removed.unwrap();
        let is_stop = ["stop", "everything"].contains(&change);
        assert_eq!(changed, if is_stop { Ok(()) } else { gone.clone() }, "{change}");
        assert_eq!(scene.store.servers().await.unwrap(), [], "{change}");
        assert_eq!(keychain.kept().await, [], "{change}");
    }
    let scene = scene.reopen().await;
    assert_eq!(scene.store.servers().await.unwrap(), []);
    assert_eq!(scene.window.now().servers.len(), 0);
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_could_not_be_added_leaves_no_value_in_the_keychain() {
    let keychain = OpenKeychain::new();
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    for second in [pair("A=B", "s"), pair("SECOND", REFUSED), pair("SECOND", "s")] {
        if second.value == "s" && second.name == "SECOND" {
            fill_disk(&scene, "servers");
        }
        let program = ProgramDraft {
            command: "true".to_owned(),
            env: vec![pair("FIRST", "f"), second],
            ..ProgramDraft::default()
        };
        let added = scene.host.server_add(ServerDraft::here("notes", program)).await;
        assert!(added.is_err(), "{added:?}");
        assert_eq!(keychain.kept().await, []);
        assert_eq!(scene.store.servers().await.unwrap(), []);
    }
    scene.close().await;
}

#[tokio::test]
async fn a_connection_that_could_not_be_added_leaves_no_key_in_the_keychain() {
    let keychain = OpenKeychain::new();
    let scene = Opening::default().keeping(keychain.clone()).open().await;
    let model = Model::start().await;
    let header = |name: &str, value: &str| HeaderDraft {
        name: name.to_owned(),
        value: Some(value.to_owned()),
    };
    scene.person.judges_models();
    fill_disk(&scene, "connections");
    for place in [REFUSED, "two"] {
        let draft = ConnectionDraft {
            headers: vec![header("X-Team", "one"), header("X-Place", place)],
            ..connection_draft(&model.base_url, Some("sk-1"), &["scripted"])
        };
        let change = scene.host.connection_save(draft).await.unwrap().change;
        let (_, end) = scene.answered(change, yes(Scope::Once)).await;
        assert!(matches!(end, ChangeEnd::Failed { .. }), "{end:?}");
        assert_eq!(keychain.kept().await, []);
    }
    scene.close().await;
}
