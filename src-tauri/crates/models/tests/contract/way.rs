//! The way to an endpoint: where requests go, what goes along, and what stands in between.

use secrecy::SecretString;

use super::*;

#[tokio::test]
async fn a_redirect_is_refused_and_nothing_is_sent_to_its_target() {
    let mut target = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let location = format!("location: {}/chat/completions\r\n", target.base);
    let origin = FakeEndpoint::start([answer("307 Temporary Redirect", &location, "")]).await;
    let key = Some(SecretString::from("sk-secret"));
    let provider = open_ai_compatible(origin.base.clone(), key, "m".to_owned());
    let (_, error) = read(&provider, hello()).await;
    assert!(matches!(error, Some(ModelError::Redirected { .. })), "{error:?}");
    assert!(target.requests.try_recv().is_err());
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_unreachable() {
    let unused = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let base = Url::parse(&format!("http://{unused}/v1")).unwrap();
    let (_, error) = read(&provider(&base), hello()).await;
    let Some(ModelError::Unreachable { endpoint, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(endpoint, &unused.to_string());
    assert!(provider(&base).models().await.unwrap_err().retryable());
}

#[tokio::test]
async fn the_key_is_sent_as_bearer_and_never_appears_in_errors() {
    let echo = r#"{"error":{"message":"key sk-secret is odd"}}"#;
    let mut endpoint = FakeEndpoint::start([answer("403 Forbidden", "", echo)]).await;
    let key = Some(SecretString::from("sk-secret"));
    let provider = open_ai_compatible(endpoint.base.clone(), key, "m".to_owned());
    let (_, error) = read(&provider, hello()).await;
    let head = endpoint.requests.recv().await.unwrap().head;
    assert_eq!(header(&head, "authorization"), Some("Bearer sk-secret"));
    assert_eq!(
        error,
        Some(ModelError::Refused {
            status: 403,
            detail: "key ••• is odd".to_owned()
        })
    );
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let mut endpoint = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let (_, error) = read(&provider(&endpoint.base), hello()).await;
    assert_eq!(error, None);
    assert_eq!(
        header(&endpoint.requests.recv().await.unwrap().head, "authorization"),
        None
    );
}

#[tokio::test]
async fn plain_http_to_another_computer_needs_permission_and_odd_addresses_are_refused() {
    let refused = |address: &str| {
        let provider = open_ai_compatible(Url::parse(address).unwrap(), None, "m".to_owned());
        async move { read(&provider, hello()).await.1 }
    };
    let insecure = Some(ModelError::Insecure {
        endpoint: "models.example:8080".to_owned(),
    });
    assert_eq!(refused("http://models.example:8080/v1").await, insecure);
    for odd in [
        "https://user:pw@models.example/v1",
        "https://models.example/v1?x=1",
        "ftp://models.example/",
    ] {
        assert!(
            matches!(refused(odd).await, Some(ModelError::Unsendable { .. })),
            "{odd}"
        );
    }
    let allowed = open_ai_compatible(Url::parse("http://127.0.0.2:9/v1").unwrap(), None, "m".to_owned());
    assert!(!matches!(
        allowed.allow_plain_http().models().await,
        Err(ModelError::Insecure { .. })
    ));
}

/// L-10: over plain http a key goes to this computer or to a private address that was written as one, and directly.
#[tokio::test]
async fn a_key_is_not_sent_where_others_on_the_way_can_read_it() {
    // Nothing listens there, so that what is sent all the same goes nowhere.
    let nowhere = "http://127.0.0.1:9";
    let refused = |address: &str, key: &str, proxy: Option<&str>| {
        let key = Some(SecretString::from(key));
        let provider =
            open_ai_compatible(Url::parse(address).unwrap(), key, "m".to_owned()).allow_plain_http();
        let provider = match proxy {
            Some(proxy) => provider.through(Url::parse(proxy).unwrap()),
            None => provider,
        };
        async move { matches!(provider.models().await, Err(ModelError::KeyOverHttp { .. })) }
    };
    for address in [
        "http://models.invalid/v1",
        "http://box/v1",
        "http://box.local/v1",
        "http://1.1.1.1/v1",
        "http://169.254.169.254/v1",
    ] {
        assert!(refused(address, "k-1", None).await, "{address}");
        assert!(
            !refused(address, "", Some(nowhere)).await,
            "without a key: {address}"
        );
    }
    assert!(refused("http://192.168.1.20/v1", "k-1", Some(nowhere)).await);
    assert!(!refused("http://127.0.0.1:9/v1", "k-1", None).await);
    assert!(!refused("https://models.invalid/v1", "k-1", Some(nowhere)).await);
}

/// The whole conversation and the key go along, so what stands in between is said before; see the host.
#[tokio::test]
async fn everything_goes_through_the_proxy_that_was_handed_in() {
    let mut proxy = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    let mut at = proxy.base.clone();
    at.set_path("");
    let base = Url::parse("http://models.example/v1").unwrap();
    let plain = |key: Option<SecretString>| {
        let provider = open_ai_compatible(base.clone(), key, "m".to_owned());
        provider.through(at.clone()).allow_plain_http()
    };
    let keyed = plain(Some(SecretString::from("k-1")));
    let (_, error) = read(&keyed, hello()).await;
    assert!(matches!(error, Some(ModelError::KeyOverHttp { .. })), "{error:?}");
    let (events, error) = read(&plain(None), hello()).await;
    assert_eq!(error, None);
    assert_eq!(finished(&events), &FinishReason::Stop);
    let asked = proxy.requests.recv().await.unwrap();
    assert!(
        asked
            .head
            .starts_with("POST http://models.example/v1/chat/completions HTTP/1.1"),
        "{}",
        asked.head
    );
    assert_eq!(header(&asked.head, "authorization"), None);

    // With TLS it sees the name and nothing else, and there is no way around one that refuses.
    let mut proxy = FakeEndpoint::start([answer("403 Forbidden", "", "")]).await;
    let mut at = proxy.base.clone();
    at.set_path("");
    let base = Url::parse("https://models.example/v1").unwrap();
    let provider = open_ai_compatible(base, Some(SecretString::from("k-1")), "m".to_owned()).through(at);
    let (_, error) = read(&provider, hello()).await;
    assert!(matches!(error, Some(ModelError::Unreachable { .. })), "{error:?}");
    let asked = proxy.requests.recv().await.unwrap();
    assert!(
        asked.head.starts_with("CONNECT models.example:443 HTTP/1.1"),
        "{}",
        asked.head
    );
    assert_eq!(header(&asked.head, "authorization"), None);
}

/// Which proxy there is, is the host's to say and to show. The test runs itself again with the variables set.
#[tokio::test]
async fn the_environment_is_not_read_here() {
    const NAME: &str = "way::the_environment_is_not_read_here";
    const AGAIN: &str = "VESTIBULE_TEST_RUNS_AGAIN";
    if std::env::var_os(AGAIN).is_some() {
        let base = Url::parse("http://models.invalid/v1").unwrap();
        let (_, error) = read(&provider(&base).allow_plain_http(), hello()).await;
        assert!(matches!(error, Some(ModelError::Unreachable { .. })), "{error:?}");
        return;
    }
    let mut proxy = FakeEndpoint::start([stream(&[finish("stop")])]).await;
    #[expect(
        clippy::disallowed_methods,
        reason = "this test starts itself, in another environment"
    )]
    let mut again = tokio::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", NAME]).env(AGAIN, "1");
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(variable, proxy.base.origin().ascii_serialization());
    }
    let ran = tokio::time::timeout(GUARD, again.output())
        .await
        .unwrap()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    assert!(
        proxy.requests.try_recv().is_err(),
        "the proxy of the environment was used"
    );
}
