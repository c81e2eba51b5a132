//! The exchange with a registry: what is asked, and each way in which an answer can be none.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use vestibule_egress::Proxies;

use super::*;
use crate::{Gallery, GalleryLimits, GalleryQuery, checked};

/// A registry that answers one request with these bytes, and the request once it came. It keeps the connection.
async fn registry(answer: Vec<u8>) -> (String, oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, asked) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![];
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.unwrap());
        }
        tell.send(String::from_utf8(request).unwrap()).ok();
        // The other side may have read enough.
        let _ = stream.write_all(&answer).await;
        let _ = stream.read_u8().await;
    });
    (format!("http://{address}"), asked)
}

fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn limits() -> GalleryLimits {
    GalleryLimits {
        page: 1024 * 1024,
        ..GalleryLimits::default()
    }
}

/// What the gallery says of an answer.
async fn asked(answer: Vec<u8>, limits: GalleryLimits) -> Result<GalleryPage, GalleryProblem> {
    let (address, _) = registry(answer).await;
    ask(&address, limits).await
}

async fn ask(address: &str, limits: GalleryLimits) -> Result<GalleryPage, GalleryProblem> {
    let gallery = Gallery::new(address, Proxies::default(), limits).unwrap();
    match gallery.page(&GalleryQuery::default(), any).await {
        Ok(page) => Ok(page),
        Err(Problem::Gallery(problem)) => Err(problem),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_search_sends_its_words_and_nothing_of_the_user() {
    let (address, asked) = registry(http("200 OK", "Set-Cookie: a=b\r\n", r#"{"servers": null}"#)).await;
    let gallery = Gallery::new(&format!("{address}/mirror/"), Proxies::default(), limits()).unwrap();
    let query = GalleryQuery {
        search: " notes & tasks ".into(),
        cursor: Some("a/b:1.0".into()),
    };
    let page = gallery.page(&query, any).await.unwrap();
    assert!(page.entries.is_empty() && page.next.is_none());
    let request = asked.await.unwrap();
    let wanted = "GET /mirror/v0.1/servers?version=latest&limit=30&search=notes+%26+tasks&cursor=a%2Fb%3A1.0 HTTP/1.1\r\n";
    assert!(request.starts_with(wanted), "{request}");
    let names: Vec<String> = request
        .lines()
        .skip(1)
        .filter_map(|line| Some(line.split_once(':')?.0.to_ascii_lowercase()))
        .collect();
    assert_eq!(names, ["accept", "user-agent", "host"]);
}

#[tokio::test]
async fn an_answer_that_is_no_list_is_named_as_such() {
    for body in [
        "<html>",
        "",
        "[]",
        r#"{"servers": {}}"#,
        r#"{"servers": "x"}"#,
        "{}",
        "[[[[",
    ] {
        let problem = asked(http("200 OK", "", body), limits()).await.unwrap_err();
        let is_named = matches!(problem, GalleryProblem::RegistryUnreadable { .. });
        assert!(is_named, "{body}: {problem}");
    }
    let packed = asked(http("200 OK", "Content-Encoding: gzip\r\n", "x"), limits()).await;
    assert!(packed.unwrap_err().to_string().contains("compressed"));
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_the_registry() {
    for (body, words) in [
        (r#"{"error": "come back later"}"#, "come back later"),
        (
            r#"{"title": "Bad", "status": 400, "detail": "no such cursor"}"#,
            "no such cursor",
        ),
        ("<html>", ""),
    ] {
        let problem = asked(http("429 Too Many Requests", "", body), limits())
            .await
            .unwrap_err();
        let GalleryProblem::RegistryRefused { status, detail, .. } = problem else {
            panic!("{problem}")
        };
        assert_eq!((status, detail.as_str()), (429, words));
    }
}

#[tokio::test]
async fn a_registry_that_points_elsewhere_is_not_followed() {
    let headers = "Location: https://elsewhere.example.com/v0.1/servers\r\n";
    let problem = asked(http("301 Moved Permanently", headers, ""), limits())
        .await
        .unwrap_err();
    let to = "https://elsewhere.example.com/v0.1/servers".to_owned();
    let is_told = matches!(&problem, GalleryProblem::RegistryMoved { to: other, .. } if *other == to);
    assert!(is_told, "{problem}");
}

#[tokio::test]
async fn a_huge_answer_is_not_read_to_its_end() {
    let announced = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".to_vec();
    let unannounced = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b' '; 3 * 1024 * 1024]].concat();
    for answer in [announced, unannounced] {
        let problem = asked(answer, limits()).await.unwrap_err();
        let is_told = matches!(problem, GalleryProblem::RegistryTooLarge { limit_mb: 1, .. });
        assert!(is_told, "{problem}");
    }
}

#[tokio::test]
async fn a_registry_that_stays_silent_is_given_up() {
    let brief = GalleryLimits {
        answer: Duration::from_millis(100),
        ..limits()
    };
    for answer in [vec![], b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{".to_vec()] {
        let problem = asked(answer, brief).await.unwrap_err();
        let is_told = matches!(problem, GalleryProblem::RegistrySlow { .. });
        assert!(is_told, "{problem}");
    }
}

#[tokio::test]
async fn a_registry_that_is_not_there_is_told_with_its_host() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let problem = ask(&format!("http://{address}"), limits()).await.unwrap_err();
    let is_told =
        matches!(&problem, GalleryProblem::RegistryUnreachable { host, .. } if *host == address.to_string());
    assert!(is_told, "{problem}");
}

#[test]
fn the_address_of_a_registry_keeps_others_from_changing_its_list() {
    for address in [
        "https://registry.example.com",
        "https://registry.corp/mcp/",
        "http://127.0.0.1:8080",
        "http://localhost",
        "http://192.168.1.4",
    ] {
        assert!(checked(address).is_ok(), "{address}");
    }
    for address in [
        "registry.example.com",
        "http://registry.example.com",
        "https://me:key@registry.example.com",
        "https://registry.example.com/?a=b",
        "https://registry.example.com/#a",
        "file:///etc/passwd",
        "",
    ] {
        assert!(checked(address).is_err(), "{address}");
    }
}

#[test]
fn a_page_that_leads_to_itself_is_the_last_one() {
    let answer = json!({"servers": [], "metadata": {"nextCursor": "again"}}).to_string();
    let page = |sent| page::read(answer.as_bytes(), HOST, sent, any).unwrap();
    assert_eq!(page(None).next.as_deref(), Some("again"));
    assert_eq!(page(Some("again")).next, None);
    let long = json!({"servers": [], "metadata": {"nextCursor": "c".repeat(2000)}});
    assert_eq!(read(&long).next, None);
}

#[test]
fn at_most_a_hundred_entries_of_a_page_are_read() {
    let server = |number: usize| entry(json!({"name": format!("a.b/{number}"), "version": "1"}));
    let page = read(&json!({"servers": (0..150).map(server).collect::<Vec<_>>()}));
    assert_eq!((page.entries.len(), page.left_out.beyond), (100, 50));
    assert_eq!(
        page::read(b"{", HOST, None, any).unwrap_err().to_string(),
        unreadable("it is not JSON").to_string()
    );
}
