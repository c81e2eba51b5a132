//! What an answer that is no success says beside its body: how long to wait, where it points, what it demands. Each is
//! bounded, untrusted and never followed.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderName, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};

use crate::HttpAnswer;

const MAX_CHALLENGES: usize = 16;
const MAX_CHALLENGE_BYTES: usize = 4096;
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

impl HttpAnswer {
    /// How long the other side asks to wait, at most a day.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let value = self.text_of(RETRY_AFTER)?;
        let asked = match value.parse() {
            Ok(seconds) => Duration::from_secs(seconds),
            Err(_) => self.time_until(httpdate::parse_http_date(value).ok()?),
        };
        Some(asked.min(MAX_RETRY_AFTER))
    }

    /// How long it is until then by the clock of the other side, where it says what it shows; zero where it has passed.
    fn time_until(&self, then: SystemTime) -> Duration {
        let now = self
            .text_of(DATE)
            .and_then(|date| httpdate::parse_http_date(date).ok());
        then.duration_since(now.unwrap_or_else(SystemTime::now))
            .unwrap_or_default()
    }

    fn text_of(&self, header: HeaderName) -> Option<&str> {
        Some(self.headers().get(header)?.to_str().ok()?.trim())
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
