//! What a frame is, as far as an exchange has to know: whether it ends it. The session reads the frame itself;
//! here only the id and the presence of a method are looked at, and whatever is odd about them makes the frame
//! no answer.

use serde::Deserialize;
use serde::de::IgnoredAny;
use vestibule_protocol::jsonrpc::RequestId;

use crate::response_id;

/// What a frame is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// It holds the answers to these requests, and perhaps more.
    Answers(Vec<RequestId>),
    /// An error that does not say which request it answers, with its code.
    StrayError(i64),
    /// A request or a notification.
    Other,
    Unreadable,
}

#[derive(Deserialize)]
struct Peek {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<PeekError>,
}

#[derive(Deserialize)]
struct PeekError {
    #[serde(default)]
    code: i64,
}

/// How servers begin a notification: what has a method is no answer, whatever follows.
const CALLS: [&[u8]; 2] = [br#"{"jsonrpc":"2.0","method":""#, br#"{"method":""#];

/// Looks at a frame.
pub(super) fn classify(frame: &[u8]) -> FrameKind {
    // Most frames of a stream. The session reads them, and reports those that are no message.
    if CALLS.iter().any(|beginning| frame.starts_with(beginning)) {
        return FrameKind::Other;
    }
    // The session reads the whole of it, and fails the request when the rest is no message.
    if let Some(id) = response_id(frame) {
        return FrameKind::Answers(vec![id]);
    }
    if frame.trim_ascii_start().first() == Some(&b'[') {
        return classify_batch(frame);
    }
    match serde_json::from_slice::<Peek>(frame) {
        Err(_) => FrameKind::Unreadable,
        Ok(Peek { method: Some(_), .. }) => FrameKind::Other,
        Ok(Peek { id: Some(id), .. }) => FrameKind::Answers(vec![id]),
        Ok(Peek {
            error: Some(error), ..
        }) => FrameKind::StrayError(error.code),
        Ok(_) => FrameKind::Unreadable,
    }
}

fn classify_batch(frame: &[u8]) -> FrameKind {
    let Ok(all) = serde_json::from_slice::<Vec<Peek>>(frame) else {
        return FrameKind::Unreadable;
    };
    let answers: Vec<RequestId> = all
        .into_iter()
        .filter(|one| one.method.is_none())
        .filter_map(|one| one.id)
        .collect();
    if answers.is_empty() {
        FrameKind::Other
    } else {
        FrameKind::Answers(answers)
    }
}

/// Whether only a server of the modern era gives this error code its meaning.
pub(super) fn is_modern_error(code: i64) -> bool {
    (-32022..=-32020).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BASE-006, BASE-009.
    #[test]
    fn answers_are_told_from_everything_else() {
        let number = |n| RequestId::Number(n);
        let cases = [
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                FrameKind::Answers(vec![number(1)]),
            ),
            (
                r#"{"id":"a","error":{"code":-1}}"#,
                FrameKind::Answers(vec![RequestId::Text("a".into())]),
            ),
            (r#"{"id":1,"method":"ping"}"#, FrameKind::Other),
            (r#"{"method":"notifications/message"}"#, FrameKind::Other),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
                FrameKind::Other,
            ),
            (
                r#"{"method":null,"id":1,"result":{}}"#,
                FrameKind::Answers(vec![number(1)]),
            ),
            (
                r#"{"id":null,"error":{"code":-32600}}"#,
                FrameKind::StrayError(-32600),
            ),
            (r#"{"error":{"code":-32022}}"#, FrameKind::StrayError(-32022)),
            (
                r#"[{"id":1,"result":{}},{"method":"m"},{"id":2,"result":{}}]"#,
                FrameKind::Answers(vec![number(1), number(2)]),
            ),
            (r#"[{"method":"m"}]"#, FrameKind::Other),
            (r#"{"id":1,"id":2,"result":{}}"#, FrameKind::Unreadable),
            (r#"{"id":1.5,"result":{}}"#, FrameKind::Unreadable),
            ("{}", FrameKind::Unreadable),
            ("<html>", FrameKind::Unreadable),
            ("", FrameKind::Unreadable),
        ];
        for (text, expected) in cases {
            assert_eq!(classify(text.as_bytes()), expected, "{text}");
        }
        for length in [1_000, 1_000_000] {
            let text = "x".repeat(length);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":2,"text":"{text}"}}}}"#);
            assert_eq!(classify(answer.as_bytes()), FrameKind::Answers(vec![number(1)]));
            let answer = format!(r#"{{"result":{{"id":2,"text":"{text}"}},"jsonrpc":"2.0","id":1}}"#);
            assert_eq!(classify(answer.as_bytes()), FrameKind::Answers(vec![number(1)]));
            let call = format!(r#"{{"jsonrpc":"2.0","id":1,"params":{{"text":"{text}"}},"method":"m"}}"#);
            assert_eq!(classify(call.as_bytes()), FrameKind::Other);
            let cut = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"text":"{text}"#);
            assert_eq!(classify(cut.as_bytes()), FrameKind::Unreadable);
        }
        assert_eq!(classify("[".repeat(100_000).as_bytes()), FrameKind::Unreadable);
        assert!(is_modern_error(-32020) && is_modern_error(-32022) && !is_modern_error(-32602));
    }
}
