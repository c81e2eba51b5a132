//! How often one server may ask a person something. A server in a loop is told to wait instead of burying the
//! questions of others. EF-009.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use vestibule_protocol::ServerId;

/// How many questions may come at once.
const AT_ONCE: u32 = 20;
/// How long until one more may.
const ONE_MORE: Duration = Duration::from_secs(3);

/// What each server has left.
#[derive(Default)]
pub(super) struct Pace(HashMap<ServerId, Left>);

struct Left {
    questions: u32,
    since: Instant,
}

impl Pace {
    /// Whether a server may ask now; if so, that counts.
    pub(super) fn admits(&mut self, server: ServerId) -> bool {
        let now = Instant::now();
        let left = self.0.entry(server).or_insert(Left {
            questions: AT_ONCE,
            since: now,
        });
        let earned = now.duration_since(left.since).as_secs() / ONE_MORE.as_secs();
        let earned = u32::try_from(earned).unwrap_or(AT_ONCE);
        if earned > 0 {
            left.questions = left.questions.saturating_add(earned).min(AT_ONCE);
            left.since = now;
        }
        let admitted = left.questions > 0;
        left.questions = left.questions.saturating_sub(1);
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EF-009: the flood of one ends, and disturbs no other.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_asks_without_end_is_told_to_wait() {
        let (mut pace, noisy, quiet) = (Pace::default(), ServerId::new(), ServerId::new());
        let admitted = (0..500).filter(|_| pace.admits(noisy)).count();
        assert_eq!(admitted, AT_ONCE as usize);
        assert!(pace.admits(quiet));
        tokio::time::advance(ONE_MORE).await;
        assert!(pace.admits(noisy));
        assert!(!pace.admits(noisy));
    }
}
