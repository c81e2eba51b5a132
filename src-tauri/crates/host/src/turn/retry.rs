//! Asking a model again by itself, after a failure that may pass. Only before its first word: after a word or a call
//! nothing is asked twice.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use vestibule_client_features::model_problem;
use vestibule_models::ModelError;

use crate::view::RetryView;

/// How often a request is sent again.
const TRIES: u32 = 2;
/// The longest wait a server may ask for. Beyond it the user decides.
const LONGEST: Duration = Duration::from_secs(60);

/// Shows that a chat waits, or no longer does.
pub(crate) type ShowRetry =
    Arc<dyn Fn(Option<RetryView>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// How long to wait before the request is sent again after `tries` tries; `None` where it is not.
pub(super) fn wait_after(error: &ModelError, tries: u32) -> Option<Duration> {
    if tries >= TRIES || !error.retryable() {
        return None;
    }
    match error {
        ModelError::RateLimited {
            retry_after: Some(wait),
            ..
        } => (*wait <= LONGEST).then_some(*wait),
        // The server had its time; waiting as long again is the user's to decide.
        ModelError::TimedOut { .. } => None,
        _ => Some(Duration::from_secs(1 << tries)),
    }
}

/// Waits, on screen. Returns whether it was stopped.
pub(super) async fn wait_to_retry(
    show: &ShowRetry,
    error: ModelError,
    wait: Duration,
    stop: &CancellationToken,
) -> bool {
    let until = SignedDuration::try_from(wait).unwrap_or(SignedDuration::ZERO);
    let shown = RetryView {
        problem: model_problem(error),
        at_ms: (Timestamp::now() + until).as_millisecond(),
    };
    show(Some(shown)).await;
    let stopped = tokio::select! {
        () = stop.cancelled() => true,
        () = tokio::time::sleep(wait) => false,
    };
    show(None).await;
    stopped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_is_tried_again_and_not_for_ever() {
        let busy = |seconds| ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
            detail: String::new(),
        };
        assert_eq!(wait_after(&busy(3), 0), Some(Duration::from_secs(3)));
        assert_eq!(wait_after(&busy(3600), 0), None);
        assert_eq!(wait_after(&ModelError::Cut, 1), Some(Duration::from_secs(2)));
        assert_eq!(wait_after(&ModelError::Cut, TRIES), None);
        let refused = |status| ModelError::Refused {
            status,
            detail: String::new(),
        };
        assert_eq!(wait_after(&refused(503), 0), Some(Duration::from_secs(1)));
        assert_eq!(wait_after(&refused(400), 0), None);
        let after = Duration::from_secs(300);
        assert_eq!(wait_after(&ModelError::TimedOut { after }, 0), None);
    }
}
