//! An answer that a limit of tokens ended is continued over every wire.

use super::model_answer::ModelAnswer;
use super::wires::{asked, over, shown};
use super::*;

/// The speakers of a request, as any vendor names them, the instructions left out.
fn speakers(wire: Wire, body: &Value) -> Vec<bool> {
    let list = match wire {
        Wire::Responses => &body["input"],
        Wire::Gemini => &body["contents"],
        _ => &body["messages"],
    };
    let roles = list.as_array().unwrap().iter().map(|message| &message["role"]);
    let spoken = roles.filter(|role| *role != "system" && *role != "developer");
    spoken.map(|role| role == "user").collect()
}

/// An answer that was cut goes back as the model's words, with the user's word to continue after it. The endpoint refuses
/// what the strictest vendors do: two messages of one speaker, and words of the model at the end.
#[tokio::test]
async fn a_cut_answer_is_continued() {
    for wire in Wire::ALL {
        let mut endpoint = FakeEndpoint::answering(Box::new(move |request| {
            if request.head.starts_with("POST /api/show ") {
                return shown();
            }
            let speakers = speakers(wire, &request.body);
            let alternates = speakers
                .iter()
                .enumerate()
                .all(|(at, user)| *user == (at % 2 == 0));
            match alternates && speakers.len() % 2 == 1 {
                true => ModelAnswer::words(" a time.").over(wire),
                false => answer("400 Bad Request", "", r#"{"error":"roles must alternate"}"#),
            }
        }))
        .await;
        let user = |text: &str| ModelMessage::User {
            text: text.to_owned(),
        };
        let cut = ModelMessage::Assistant {
            text: "Once upon".to_owned(),
            calls: vec![],
            native: None,
        };
        let request = ModelRequest {
            messages: vec![user("A story."), cut, user("Continue.")],
            ..hello()
        };
        let (events, error) = read(&over(wire, &endpoint.base), request).await;
        assert_eq!((text(&events).as_str(), error), (" a time.", None), "{wire:?}");
        let body = asked(&mut endpoint).await.body.to_string();
        assert_eq!(body.matches("Once upon").count(), 1, "{wire:?}: {body}");
    }
}
