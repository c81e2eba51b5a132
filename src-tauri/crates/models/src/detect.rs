//! Finds model servers on this computer: loopback alone, and the four ports that well-known servers use by default. Nothing is
//! probed at start-up; the window has it done when its page of models opens. What answers is asked for its models, without a
//! key, and for nothing else.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use url::Url;

use crate::egress::ModelLimits;
use crate::{ModelProvider, Wire, remote_model};

/// The servers that are looked for: product, port, and how to speak to it.
const KNOWN: [(&str, u16, Wire); 4] = [
    ("Ollama", 11434, Wire::Ollama),
    ("LM Studio", 1234, Wire::ChatCompletions),
    ("llama.cpp", 8080, Wire::ChatCompletions),
    ("vLLM", 8000, Wire::ChatCompletions),
];

/// A model server that answered on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalEndpoint {
    /// The product that uses this port by default, for example `Ollama`. A guess: nothing proves who answered.
    pub name: String,
    /// What to pass to [`crate::remote_model`], with the address.
    pub wire: Wire,
    pub base_url: Url,
    /// The models it reports; may be empty.
    pub models: Vec<String>,
}

/// Asks the well-known loopback ports for their models, all at once; those that do not answer are left out.
/// Returns within about two seconds.
pub async fn detect_local() -> Vec<LocalEndpoint> {
    detect(&KNOWN).await
}

async fn detect(candidates: &[(&str, u16, Wire)]) -> Vec<LocalEndpoint> {
    let answers: FuturesOrdered<_> = candidates
        .iter()
        .map(|(name, port, wire)| ask(name, *port, *wire))
        .collect();
    answers.filter_map(std::future::ready).collect().await
}

async fn ask(name: &str, port: u16, wire: Wire) -> Option<LocalEndpoint> {
    let limits = ModelLimits {
        connect: Duration::from_millis(500),
        first_byte: Duration::from_millis(1500),
        idle: Duration::from_millis(500),
        total: Duration::from_secs(2),
        line: 64 * 1024,
        reply: 1024 * 1024,
        ..ModelLimits::DEFAULT
    };
    let path = match wire {
        Wire::Ollama => "",
        _ => "v1",
    };
    let base_url = Url::parse(&format!("http://localhost:{port}/{path}")).ok()?;
    let provider = remote_model(wire, base_url.clone(), None, String::new()).with_limits(limits);
    let models = provider.models().await.ok()?;
    Some(LocalEndpoint {
        name: name.to_owned(),
        wire,
        base_url,
        models,
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn what_answers_is_found_and_what_does_not_is_left_out() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().port();
        let nobody = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).await.unwrap();
            let body = r#"{"data":[{"id":"tiny"}]}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream
                .write_all(format!("{head}{body}").as_bytes())
                .await
                .unwrap();
            String::from_utf8_lossy(&request[..read]).into_owned()
        });
        let wire = Wire::ChatCompletions;
        let found = detect(&[("A", nobody, wire), ("B", here, wire)]).await;
        let base_url = Url::parse(&format!("http://localhost:{here}/v1")).unwrap();
        assert_eq!(
            found,
            [LocalEndpoint {
                name: "B".to_owned(),
                wire,
                base_url,
                models: vec!["tiny".to_owned()]
            }]
        );
        let request = server.await.unwrap();
        assert!(request.starts_with("GET /v1/models "), "{request}");
        assert!(
            !request.to_ascii_lowercase().contains("authorization"),
            "{request}"
        );
    }
}
