//! Lists of models over every wire, what local servers add, and trials.

use secrecy::SecretString;

use super::wires::over;
use super::*;

fn json_answer(body: &str) -> Vec<Step> {
    answer("200 OK", "content-type: application/json\r\n", body)
}

async fn listed(wire: Wire, pages: &[&str]) -> (Result<ModelListing, ModelError>, Vec<String>) {
    let mut endpoint = FakeEndpoint::start(pages.iter().map(|page| json_answer(page))).await;
    let listing = over(wire, &endpoint.base).listing().await;
    let mut asked = vec![];
    while let Ok(request) = endpoint.requests.try_recv() {
        asked.push(request.head.lines().next().unwrap_or_default().to_owned());
    }
    (listing, asked)
}

fn names(listing: Result<ModelListing, ModelError>) -> Vec<String> {
    listing
        .unwrap()
        .models
        .into_iter()
        .map(|model| model.name)
        .collect()
}

#[tokio::test]
async fn every_wires_list_is_asked_for_and_read() {
    for (wire, page, asked) in [
        (
            Wire::Responses,
            r#"{"data":[{"id":"m"}]}"#,
            "GET /v1/models HTTP/1.1",
        ),
        (
            Wire::Anthropic,
            r#"{"data":[{"id":"m","display_name":"M"}],"has_more":false,"last_id":"m"}"#,
            "GET /v1/models?limit=1000 HTTP/1.1",
        ),
        (
            Wire::Gemini,
            r#"{"models":[{"name":"models/m","supportedGenerationMethods":["generateContent"]},
                {"name":"models/e","supportedGenerationMethods":["embedContent"]}]}"#,
            "GET /v1beta/models?pageSize=1000 HTTP/1.1",
        ),
        (
            Wire::Ollama,
            r#"{"models":[{"name":"m","model":"m"}]}"#,
            "GET /api/tags HTTP/1.1",
        ),
        (
            Wire::Azure,
            r#"{"data":[{"id":"m"}]}"#,
            "GET /openai/models?api-version=2024-10-21 HTTP/1.1",
        ),
    ] {
        let (listing, requests) = listed(wire, &[page]).await;
        assert_eq!(names(listing), ["m"], "{wire:?}");
        assert_eq!(requests, [asked], "{wire:?}");
    }
}

#[tokio::test]
async fn pages_are_followed_to_a_last_one_and_no_further_than_ten() {
    let first = r#"{"models":[{"name":"models/a"}],"nextPageToken":"t&1"}"#;
    let (listing, asked) = listed(Wire::Gemini, &[first, r#"{"models":[{"name":"models/b"}]}"#]).await;
    assert_eq!(names(listing), ["a", "b"]);
    assert!(asked[1].contains("pageToken=t%261"), "{asked:?}");
    let endless = r#"{"data":[{"id":"a"}],"has_more":true,"last_id":"a"}"#;
    let (listing, asked) = listed(Wire::Anthropic, &[endless; 20]).await;
    let listing = listing.unwrap();
    assert_eq!((listing.models.len(), listing.cut, asked.len()), (1, true, 10));
}

/// LM Studio and llama.cpp say more in their own ways, and are asked only near.
#[tokio::test]
async fn what_a_local_server_says_in_its_own_way_is_known_too() {
    let studio = r#"{"data":[{"id":"m","type":"vlm","max_context_length":32768,"loaded_context_length":4096,"capabilities":["tool_use"]}]}"#;
    let (listing, asked) = listed(Wire::ChatCompletions, &[r#"{"data":[{"id":"m"}]}"#, studio]).await;
    let facts = listing.unwrap().models[0].facts;
    assert_eq!(
        (facts.context, facts.tools, facts.images),
        (Some(4096), Some(true), Some(true))
    );
    assert_eq!(asked[1], "GET /api/v0/models HTTP/1.1");

    let mut endpoint = FakeEndpoint::answering(Box::new(|request| {
        if request.head.starts_with("GET /v1/models ") {
            json_answer(r#"{"models":[{"name":"m"}],"data":[{"id":"m","meta":{"n_ctx_train":131072}}]}"#)
        } else if request.head.starts_with("GET /props ") {
            json_answer(r#"{"default_generation_settings":{"n_ctx":8192},"modalities":{"vision":false}}"#)
        } else {
            answer("404 Not Found", "", "")
        }
    }))
    .await;
    let listing = provider(&endpoint.base).listing().await.unwrap();
    let facts = listing.models[0].facts;
    assert_eq!((facts.context, facts.images), (Some(8192), Some(false)));
    assert!(endpoint.requests.recv().await.is_some());
}

#[tokio::test]
async fn ollama_describes_a_model_when_it_is_asked() {
    let endpoint = FakeEndpoint::start([wires::shown()]).await;
    let facts = over(Wire::Ollama, &endpoint.base).reported().await;
    let expected = KnownFacts {
        context: Some(8192),
        tools: Some(true),
        images: Some(false),
        thinking: Some(false),
        ..KnownFacts::default()
    };
    assert_eq!(facts, expected);
}

#[tokio::test]
async fn headers_of_a_connection_go_along_and_never_appear_in_errors() {
    let echo = r#"{"error":{"message":"team-secret is odd"}}"#;
    let mut endpoint = FakeEndpoint::start([answer("400 Bad Request", "", echo)]).await;
    let headers = vec![("X-Team".to_owned(), SecretString::from("team-secret"))];
    let model = provider(&endpoint.base).with_headers(headers);
    let (_, error) = read(&model, hello()).await;
    let head = endpoint.requests.recv().await.unwrap().head;
    assert_eq!(header(&head, "x-team"), Some("team-secret"));
    let refused = ModelError::Refused {
        status: 400,
        detail: "••• is odd".to_owned(),
    };
    assert_eq!(error, Some(refused));
}

/// A server that speaks no TLS, and a name that leads nowhere.
#[tokio::test]
async fn a_trial_names_the_step_before_anything_is_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = Url::parse(&format!("https://{}/v1", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let trial = provider(&base).trial().await;
    let step = trial.failed.map(|(step, _)| step);
    assert_eq!(step, Some(TrialStep::Encryption));
    assert!(trial.steps.contains(&TrialStep::Encryption));
    let nowhere = Url::parse("https://models.invalid/v1").unwrap();
    let trial = provider(&nowhere).trial().await;
    assert_eq!(trial.failed.map(|(step, _)| step), Some(TrialStep::Name));
}
