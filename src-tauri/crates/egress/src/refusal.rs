//! What an answer that is no success says beside its body: how long to wait, where it points, what it demands. Each is
//! bounded, untrusted and never followed.

use std::time::Duration;

use reqwest::header::{LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};

use crate::HttpAnswer;

const MAX_CHALLENGES: usize = 16;
const MAX_CHALLENGE_BYTES: usize = 4096;
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

impl HttpAnswer {
    /// How long the other side asks to wait, at most a day.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let value = self.headers().get(RETRY_AFTER)?.to_str().ok()?;
        let seconds: u64 = value.trim().parse().ok()?;
        Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
    }

    /// Where a redirect points, as it is written.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        let location = self
            .headers()
            .get(LOCATION)
            .filter(|_| self.status().is_redirection())?;
        std::str::from_utf8(location.as_bytes()).ok()
    }

    /// What is demanded before an answer: every `WWW-Authenticate` header in order, at most 16 of at most 4 KiB.
    #[must_use]
    pub fn challenges(&self) -> Vec<String> {
        let values = self.headers().get_all(WWW_AUTHENTICATE).iter();
        values
            .filter(|value| value.len() <= MAX_CHALLENGE_BYTES)
            .take(MAX_CHALLENGES)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect()
    }
}
