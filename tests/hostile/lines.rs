//! What comes down the wire and is no message.

use serde_json::json;
use vestibule_host::view::{CallProblem, CallState, Problem, ServerProblem, ServerState};
use vestibule_tests::text_result;

use crate::Street;

/// STD-004: whatever stands between two messages is passed over, said in the server's log, and costs nothing else.
#[tokio::test]
async fn garbage_between_messages_is_passed_over_and_noted() {
    let mut street = Street::new().await;
    let call = street.call().await;
    for garbage in [
        &b"Listening on port 3000...\n"[..],
        b"\n\n   \n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\n",
        b"\xff\xfe\x00garbage\x80\n",
        b"[]\n",
        b"null\n",
        b"42\n",
        b"\"a text\"\n",
        b"{\"id\":\"no version\"}\n",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n",
        b"\x1b[2J\x1b[31mred\n",
    ] {
        street.puppet.write(garbage).await;
    }
    street.puppet.answer(&call, text_result("in spite of it")).await;
    let call = street.told().await;
    assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    street.logged("passed over").await;
    let log = street.scene.log(street.server);
    assert!(log.contains("Listening on port 3000..."), "{log}");
    assert!(
        !log.contains('\u{1b}'),
        "terminal escapes are made visible: {log:?}"
    );
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A line larger than any message may be is passed over without being kept.
#[tokio::test]
async fn a_line_of_nine_mebibytes_is_passed_over_and_noted() {
    let mut street = Street::new().await;
    let mut line = vec![b'x'; 9 * 1024 * 1024];
    line.push(b'\n');
    street.puppet.write(&line).await;
    street.logged("passed over").await;
    street.others_are_unharmed().await;
    street.it_still_works().await;
    street.close().await;
}

/// A message in pieces is a message; half of one at the end is nothing.
#[tokio::test]
async fn a_message_in_pieces_is_read_and_half_of_one_is_not() {
    let mut street = Street::new().await;
    let call = street.call().await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": call["id"], "result": text_result("ä€😀") }).to_string() + "\r\n";
    for piece in answer.as_bytes().chunks(3) {
        street.puppet.write(piece).await;
    }
    let call = street.told().await;
    let CallState::Answered { result, .. } = &call.state else {
        panic!("{call:?}")
    };
    assert!(format!("{result:?}").contains("ä€😀"), "{result:?}");

    let call = street.call().await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": call["id"], "result": text_result("never whole") }).to_string();
    street.puppet.write(&answer.as_bytes()[..answer.len() - 5]).await;
    street.puppet.exit(0).await;
    let call = street.told().await;
    assert!(
        matches!(
            &call.state,
            CallState::Failed {
                problem: Problem::Call(CallProblem::CallLost { .. })
            }
        ),
        "{call:?}"
    );
    street.others_are_unharmed().await;
    street.close().await;
}

/// Nothing but garbage, for long enough, is not a server.
#[tokio::test]
async fn a_server_that_only_babbles_is_ended() {
    let mut street = Street::new().await;
    let babble = "this is not the protocol\n".repeat(1001);
    street.puppet.write(babble.as_bytes()).await;
    let server = street.server;
    let failed = |view: &vestibule_host::view::ServerView| matches!(view.state, ServerState::Failed { .. });
    let view = street.scene.server(server, "a failed server", failed).await;
    let ServerState::Failed {
        problem: Problem::Server(ServerProblem::ServerEnded { exit: Some(how), .. }),
    } = &view.state
    else {
        panic!("{view:?}")
    };
    assert!(how.contains("1000"), "it says what it was ended for: {how}");
    street.others_are_unharmed().await;
    street.close().await;
}
