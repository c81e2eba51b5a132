//! What stands between this computer and a model is said before it is used, and is used.

use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use vestibule_app_protocol::{EventStream, SecretsState};
use vestibule_egress::Proxies;
use vestibule_models::ModelProvider;
use vestibule_servers::config::secrets::MemorySecrets;
use vestibule_servers::config::secrets::{SecretName, SecretsError};
use vestibule_store::{ConnectionRecord, ModelRecord, Store};

use super::*;

fn models(store: &Store, proxy: &str) -> Models {
    let variable = |name: &str| match name {
        "http_proxy" | "https_proxy" => Some(proxy.to_owned()),
        "no_proxy" => Some("direct.example".to_owned()),
        _ => None,
    };
    Models {
        store: store.clone(),
        secrets: Arc::new(MemorySecrets::new("")),
        proxies: Proxies::from_variables(variable),
        kept: KeptModels::default(),
        local: LocalModelSet::default(),
        over_budget: OverBudget::default(),
        model_events: StateEvents::new(EventStream::default()),
        cost_events: StateEvents::new(EventStream::default()),
    }
}

async fn shown(models: &Models) -> Vec<(String, Option<String>)> {
    let views = models.connection_views().await.unwrap().into_iter();
    views.map(|view| (view.base_url, view.proxy)).collect()
}

fn connection(address: &str) -> ConnectionRecord {
    ConnectionRecord {
        id: ConnectionId::new(),
        label: String::new(),
        wire: Wire::ChatCompletions.name().to_owned(),
        base_url: address.to_owned(),
        headers: vec![],
        created: Timestamp::UNIX_EPOCH,
        unmerged: false,
    }
}

/// Answers one request with a list of models, and says what it was asked.
async fn proxy() -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = format!("http://me:word@{}", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            assert!(stream.read_buf(&mut head).await.unwrap() > 0);
        }
        let body = r#"{"data":[{"id":"tiny"}]}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(head).unwrap()
    });
    (at, asked)
}

#[tokio::test]
async fn a_model_is_asked_through_the_proxy_that_is_shown_beside_its_address() {
    let store = Store::in_memory().unwrap();
    let (at, asked) = proxy().await;
    let models = models(&store, &at);
    let origin = at.replace("me:word@", "");
    for address in [
        "http://models.example/v1",
        "http://direct.example/v1",
        "http://127.0.0.1:1/v1",
    ] {
        store.put_connection(&connection(address)).await.unwrap();
        let proxy = address.contains("models.").then(|| origin.clone());
        assert_eq!(models.proxy(address), proxy, "while it is typed");
        assert!(
            shown(&models).await.contains(&(address.to_owned(), proxy)),
            "once it is kept"
        );
    }
    let address = Url::parse("http://models.example/v1").unwrap();
    let remote = models
        .remote(Wire::ChatCompletions, address, None, String::new())
        .unwrap();
    assert_eq!(remote.models().await.unwrap(), ["tiny"]);
    let head = asked.await.unwrap().to_ascii_lowercase();
    assert!(
        head.starts_with("get http://models.example/v1/models http/1.1"),
        "{head}"
    );
    assert!(head.contains("proxy-authorization: basic bwu6d29yza=="), "{head}");
}

/// Whoever wanted a proxy does not want the way around it.
#[tokio::test]
async fn a_proxy_that_can_not_be_used_is_not_gone_around() {
    let store = Store::in_memory().unwrap();
    let models = models(&store, "socks5://me:word@proxy:1");
    let remote = |address: &str| {
        let address = Url::parse(address).unwrap();
        models
            .remote(Wire::ChatCompletions, address, None, String::new())
            .map(drop)
    };
    let Err(Problem::Input(InputProblem::AddressInvalid { detail, .. })) =
        remote("https://models.example/v1")
    else {
        panic!("it was let through");
    };
    assert!(
        detail.contains("HTTPS_PROXY") && !detail.contains("word"),
        "{detail}"
    );
    assert!(remote("http://localhost:11434/v1").is_ok());
    assert!(remote("https://direct.example/v1").is_ok());
}

/// Counts how often the keychain is asked.
struct CountedSecrets {
    inside: MemorySecrets,
    asked: std::sync::atomic::AtomicUsize,
}

#[async_trait::async_trait]
impl Secrets for CountedSecrets {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        self.inside.get(name).await
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        self.inside.set(name, secret).await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        self.inside.remove(name).await
    }

    fn state(&self) -> SecretsState {
        SecretsState::Keychain
    }
}

#[tokio::test]
async fn the_keychain_is_read_once_and_the_connection_kept() {
    let store = Store::in_memory().unwrap();
    let secrets = Arc::new(CountedSecrets {
        inside: MemorySecrets::new(""),
        asked: std::sync::atomic::AtomicUsize::new(0),
    });
    let models = Models {
        secrets: secrets.clone(),
        ..models(&store, "")
    };
    let mut connection = connection("http://127.0.0.1:1/v1");
    store.put_connection(&connection).await.unwrap();
    let record = ModelRecord::new(Some(connection.id), "tiny", Timestamp::UNIX_EPOCH);
    store.put_model(&record).await.unwrap();
    let first = models.provider(record.id).await.unwrap();
    for _ in 0..10 {
        assert!(Arc::ptr_eq(&first, &models.provider(record.id).await.unwrap()));
        models.connection_views().await.unwrap();
    }
    assert_eq!(secrets.asked.load(std::sync::atomic::Ordering::SeqCst), 1);

    // Another address or another key is another way there.
    connection.base_url = "http://127.0.0.1:2/v1".to_owned();
    store.put_connection(&connection).await.unwrap();
    let moved = models.provider(record.id).await.unwrap();
    assert!(!Arc::ptr_eq(&first, &moved));
    models.kept.forget(connection.id).await;
    assert!(!Arc::ptr_eq(&moved, &models.provider(record.id).await.unwrap()));
    assert_eq!(secrets.asked.load(std::sync::atomic::Ordering::SeqCst), 2);
}

/// Answers with a key once it may.
struct SlowSecrets {
    inside: MemorySecrets,
    answers: tokio::sync::Semaphore,
}

#[async_trait::async_trait]
impl Secrets for SlowSecrets {
    async fn get(&self, name: &SecretName) -> Result<Option<SecretString>, SecretsError> {
        let found = self.inside.get(name).await;
        self.answers.acquire().await.unwrap().forget();
        found
    }

    async fn set(&self, name: &SecretName, secret: &SecretString) -> Result<(), SecretsError> {
        self.inside.set(name, secret).await
    }

    async fn remove(&self, name: &SecretName) -> Result<(), SecretsError> {
        self.inside.remove(name).await
    }

    fn state(&self) -> SecretsState {
        SecretsState::Keychain
    }
}

/// A keychain can be locked for minutes. The user saves another key while the one of before is read.
#[tokio::test]
async fn a_key_that_was_replaced_while_it_was_read_is_not_used_again() {
    let secrets = Arc::new(SlowSecrets {
        inside: MemorySecrets::new(""),
        answers: tokio::sync::Semaphore::new(0),
    });
    let models = Models {
        secrets: secrets.clone(),
        ..models(&Store::in_memory().unwrap(), "")
    };
    let connection = connection("https://models.example/v1");
    let mut reading = Box::pin(models.endpoint(&connection));
    let mut forgetting = Box::pin(models.kept.forget(connection.id));
    let began = std::future::poll_fn(|context| {
        let pending = [
            reading.as_mut().poll(context).is_pending(),
            forgetting.as_mut().poll(context).is_pending(),
        ];
        std::task::Poll::Ready(pending)
    });
    assert_eq!(began.await, [true, true], "both wait for the keychain");
    secrets.answers.add_permits(2);
    let (read, ()) = tokio::join!(reading, forgetting);
    assert!(read.is_ok());
    assert!(
        models.kept.endpoint(&connection).is_none(),
        "it has the key of before"
    );
    models.endpoint(&connection).await.unwrap();
    assert!(models.kept.endpoint(&connection).is_some());
}

/// Keychains hold the keys, so what is the same connection shows only there.
#[tokio::test]
async fn connections_of_before_are_merged_where_address_wire_and_key_are_equal() {
    let store = Store::in_memory().unwrap();
    let secrets = Arc::new(CountedSecrets {
        inside: MemorySecrets::new(""),
        asked: std::sync::atomic::AtomicUsize::new(0),
    });
    let of_before = |number: i64, address: &str| ConnectionRecord {
        created: Timestamp::from_millisecond(number).unwrap(),
        unmerged: true,
        ..connection(address)
    };
    let work = "https://models.example/v1";
    let all = [
        of_before(1, work),
        of_before(2, work),
        of_before(3, work),
        of_before(4, work),
        of_before(5, "https://other.example/v1"),
    ];
    for (one, key) in all.iter().zip(["a", "b", "a", "", "a"]) {
        store.put_connection(one).await.unwrap();
        store
            .put_model(&ModelRecord::new(Some(one.id), "m", one.created))
            .await
            .unwrap();
        if !key.is_empty() {
            let name = SecretName::ConnectionKey(one.id);
            secrets.inside.set(&name, &SecretString::from(key)).await.unwrap();
        }
    }
    let models = Models {
        secrets: secrets.clone(),
        ..models(&store, "")
    };
    merge_connections(&models).await.unwrap();
    let left: Vec<_> = store
        .connections()
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.id)
        .collect();
    assert_eq!(left, [all[0].id, all[1].id, all[3].id, all[4].id]);
    let at: Vec<_> = store
        .models()
        .await
        .unwrap()
        .into_iter()
        .map(|model| model.connection)
        .collect();
    assert_eq!(at[2], Some(all[0].id), "it went to the first with the same key");
    let second_copy = secrets
        .inside
        .get(&SecretName::ConnectionKey(all[2].id))
        .await
        .unwrap();
    assert!(second_copy.is_none());
}
