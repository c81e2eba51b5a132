//! What every provider behind the trait promises, shown on an endpoint that misbehaves in the ways real ones do.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod broken;
mod cached;
mod connections;
mod continued;
mod fake_endpoint;
mod inside;
mod listings;
mod llama;
mod long;
mod mock;
mod model_answer;
mod peers;
mod replayed;
mod replies;
mod requests;
mod sdks;
mod vendors;
mod way;
mod wires;

use std::time::Duration;

use fake_endpoint::*;
use futures::StreamExt;
use serde_json::{Value, json};
use url::Url;
use vestibule_models::*;

const GUARD: Duration = Duration::from_secs(30);

fn provider(base: &Url) -> RemoteModel {
    open_ai_compatible(base.clone(), None, "m".to_owned())
}

fn hello() -> ModelRequest {
    let messages = vec![ModelMessage::User {
        text: "hello".to_owned(),
    }];
    ModelRequest {
        messages,
        ..ModelRequest::default()
    }
}

async fn read(provider: &impl ModelProvider, request: ModelRequest) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut events = Vec::new();
    let mut stream = match provider.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (events, Some(error)),
    };
    loop {
        match tokio::time::timeout(GUARD, stream.next())
            .await
            .expect("the stream goes on")
        {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => {
                assert!(stream.next().await.is_none(), "an error is the last item");
                return (events, Some(error));
            }
            None => return (events, None),
        }
    }
}

async fn reply(answer: Vec<Step>) -> (Vec<ModelEvent>, Option<ModelError>) {
    let endpoint = FakeEndpoint::start([answer]).await;
    read(&provider(&endpoint.base), hello()).await
}

fn text(events: &[ModelEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ModelEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[ModelEvent]) -> Vec<(String, CallArguments)> {
    let calls = events.iter().filter_map(|event| match event {
        ModelEvent::Call(call) => Some((call.name.clone(), call.arguments.clone())),
        _ => None,
    });
    calls.collect()
}

fn parsed(name: &str, arguments: Value) -> (String, CallArguments) {
    (
        name.to_owned(),
        CallArguments::Parsed(arguments.as_object().unwrap().clone()),
    )
}

fn finished(events: &[ModelEvent]) -> &FinishReason {
    match events.last() {
        Some(ModelEvent::Finished(reason)) => reason,
        other => panic!("the reply ends with a finish, not with {other:?}"),
    }
}
