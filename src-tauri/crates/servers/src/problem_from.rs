//! From the errors of sessions and transports to what the user reads. Each source has one place here, so that the same
//! failure is the same sentence everywhere.

use vestibule_protocol::jsonrpc::RpcError;
use vestibule_session::{CallError, OpenError};
use vestibule_transport::{CloseCause, CloseReason, RequestFailure};

use vestibule_app_protocol::{CallProblem, Problem, ServerProblem};

/// How much of an answer that was no success is kept, in characters.
const MAX_SAID: usize = 2000;
/// How much of the message of an error is kept, in characters. A model reads it whole in every request.
const MAX_MESSAGE: usize = 16_000;

/// An error of a crate below, as the user reads it. Errors of crates that know [`Problem`] convert by `From`.
pub trait IntoProblem {
    fn into_problem(self) -> Problem;
}

impl IntoProblem for CallError {
    fn into_problem(self) -> Problem {
        let error = self;
        match error {
            CallError::Rpc(error) => server_error(error),
            CallError::TimedOut { after } => Problem::Call(CallProblem::CallTimedOut {
                seconds: whole_seconds(after),
            }),
            CallError::Closed(reason) => reason.into_problem(),
            CallError::PagesRequired { .. } => Problem::Call(CallProblem::PageNotVisited),
            CallError::Malformed(detail) => Problem::Call(CallProblem::MalformedReply { detail }),
            CallError::NotAnswered(failure) => (*failure).into_problem(),
            CallError::NotSupported | CallError::Busy | CallError::NotSendable(_) => {
                Problem::Call(CallProblem::CallNotSent {
                    detail: error.to_string(),
                })
            }
            CallError::NotContinued(_)
            | CallError::CapabilitiesRequired { .. }
            | CallError::TaskCancelled => Problem::Call(CallProblem::CallNotCompleted {
                detail: shortened(error.to_string()),
            }),
            CallError::TaskGone => Problem::Call(CallProblem::TaskGone),
        }
    }
}

impl IntoProblem for RequestFailure {
    fn into_problem(self) -> Problem {
        let failure = self;
        if failure.too_large {
            let detail = failure.reason;
            return Problem::Call(CallProblem::ReplyTooLarge { detail });
        }
        let said = failure.body.as_deref().map(beginning);
        let (origin, detail) = (String::new(), failure.reason);
        match (failure.challenge, failure.status) {
            (Some(challenge), _) => Problem::Server(ServerProblem::SignInNeeded {
                origin,
                status: challenge.status,
            }),
            (None, Some(status)) => Problem::Server(ServerProblem::ServerRefused {
                origin,
                status,
                detail,
                moved: failure.moved.map(|moved| moved.to),
                said,
                retry_after: failure.retry_after.map(whole_seconds),
            }),
            (None, None) => Problem::Server(ServerProblem::ServerUnreachable { origin, detail }),
        }
    }
}

impl IntoProblem for CloseReason {
    fn into_problem(self) -> Problem {
        let reason = self;
        match reason.cause {
            CloseCause::NotStarted(error) => Problem::Server(ServerProblem::NotStarted {
                program: String::new(),
                detail: error.to_string(),
            }),
            CloseCause::Ended | CloseCause::Asked => {
                let exit = reason.exit.map(|exit| exit.to_string());
                Problem::Server(ServerProblem::ServerEnded {
                    exit,
                    stderr: reason.diagnostics,
                })
            }
            _ => {
                let detail = reason.to_string();
                Problem::Server(ServerProblem::ServerEnded {
                    exit: Some(detail),
                    stderr: reason.diagnostics,
                })
            }
        }
    }
}

impl IntoProblem for OpenError {
    fn into_problem(self) -> Problem {
        let error = self;
        match error {
            OpenError::TimedOut {
                after,
                stderr_tail: stderr,
            } => Problem::Server(ServerProblem::StartTimedOut {
                seconds: whole_seconds(after),
                stderr,
            }),
            OpenError::Closed(reason) | OpenError::EndedByProbe(reason) => reason.into_problem(),
            OpenError::NotAnswered(failure) => (*failure).into_problem(),
            OpenError::Spawn(error) => Problem::Server(ServerProblem::NotStarted {
                program: String::new(),
                detail: error.to_string(),
            }),
            OpenError::Unsupported { answered, .. } => {
                Problem::Server(ServerProblem::UnsupportedRevision { answered })
            }
            OpenError::Rpc(error) => server_error(error),
            OpenError::Malformed(detail) => Problem::Call(CallProblem::MalformedReply { detail }),
        }
    }
}

fn server_error(error: RpcError) -> Problem {
    Problem::Call(CallProblem::ServerError {
        code: code(error.code),
        message: shortened(error.message),
    })
}

/// A text of a server, cut with a note where it is too long.
fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!(
            "{} … {} more characters",
            &text[..end],
            text[end..].chars().count()
        ),
        None => text,
    }
}

/// The beginning of an answer as text.
fn beginning(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(MAX_SAID).collect()
}

fn code(code: i64) -> i32 {
    i32::try_from(code).unwrap_or(if code < 0 { i32::MIN } else { i32::MAX })
}

fn whole_seconds(time: std::time::Duration) -> u32 {
    u32::try_from(time.as_secs_f64().ceil() as u64).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_that_was_not_sent_is_told_as_not_sent() {
        let unsent = [
            CallError::Busy,
            CallError::NotSupported,
            CallError::NotSendable("a name is too long".into()),
        ];
        for error in unsent {
            let detail = error.to_string();
            let told = error.into_problem();
            assert_eq!(told, Problem::Call(CallProblem::CallNotSent { detail }));
        }
    }

    /// The user's own no to what a server needs is no fault of the server.
    #[test]
    fn a_call_that_ended_without_a_result_is_no_malformed_answer() {
        let error = RpcError::new(-32021, "sampling is needed");
        let required = json!({ "sampling": {} });
        let ended = [
            (
                CallError::NotContinued("User rejected sampling request".into()),
                "User rejected sampling request",
            ),
            (
                CallError::CapabilitiesRequired { required, error },
                "sampling is needed",
            ),
            (CallError::TaskCancelled, "the task was cancelled"),
        ];
        for (error, because) in ended {
            let told = error.into_problem();
            let Problem::Call(CallProblem::CallNotCompleted { detail }) = &told else {
                panic!("{told:?}")
            };
            assert!(detail.contains(because), "{detail}");
            // What the model reads of it.
            assert!(told.to_string().contains(because), "{told}");
            assert!(!told.to_string().contains("understood"), "{told}");
        }
    }

    /// A model reads the message again in every request of the chat.
    #[test]
    fn an_error_as_long_as_a_result_is_cut_with_a_note() {
        let message = format!("{}end", "é".repeat(MAX_MESSAGE));
        let told = CallError::Rpc(RpcError::new(-32603, message)).into_problem();
        let Problem::Call(CallProblem::ServerError { message, .. }) = told else {
            panic!("{told:?}")
        };
        let expected = format!("{} … 3 more characters", "é".repeat(MAX_MESSAGE));
        assert!(message == expected, "{} bytes", message.len());
        let short = CallError::Rpc(RpcError::new(-32603, "short")).into_problem();
        let expected = CallProblem::ServerError {
            code: -32603,
            message: "short".into(),
        };
        assert_eq!(short, Problem::Call(expected));
    }

    #[test]
    fn a_task_that_the_server_lost_is_told_as_gone() {
        let told = CallError::TaskGone.into_problem();
        assert_eq!(told, Problem::Call(CallProblem::TaskGone));
    }
}
