//! What a server answers with: its head at once, its body piece by piece, in a bounded beginning, or whole within
//! a limit on size and time. Nothing is unpacked, because what is small on the wire could be anything in memory.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use tokio::time::{Instant, timeout_at};

use crate::error::innermost;
use crate::{EgressError, Share};

/// The most characters of a header that an error quotes.
const MAX_SHOWN: usize = 100;

/// The head of an answer, and the way to its body.
pub struct HttpAnswer {
    pub(crate) response: reqwest::Response,
}

impl HttpAnswer {
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The type of the body without parameters, in lower case.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        let value = self.headers().get(reqwest::header::CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim();
        Some(essence.to_ascii_lowercase())
    }

    /// Whether the body can be read as it is.
    ///
    /// # Errors
    /// [`EgressError::Compressed`].
    pub fn check_encoding(&self) -> Result<(), EgressError> {
        let mut encodings = self.headers().get_all(CONTENT_ENCODING).iter();
        match encodings.find(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
            Some(value) => Err(EgressError::Compressed(printable(value))),
            None => Ok(()),
        }
    }

    /// The next piece of the body; `None` at its end. May be dropped without losing anything.
    ///
    /// # Errors
    /// [`EgressError::Broken`], also when the body ends before it should.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, EgressError> {
        let chunk = self.response.chunk().await;
        chunk.map_err(|error| EgressError::Broken(innermost(&error)))
    }

    /// The whole body of at most `limit` bytes, counted against `share` while it arrives.
    ///
    /// # Errors
    /// [`EgressError::TooLarge`], [`EgressError::Crowded`], [`EgressError::Broken`], and
    /// [`EgressError::TimedOut`] when the whole takes longer than `patience`.
    pub async fn whole(
        mut self,
        limit: usize,
        patience: Duration,
        share: &mut Share,
    ) -> Result<Bytes, EgressError> {
        self.check_encoding()?;
        if self
            .response
            .content_length()
            .is_some_and(|announced| announced > limit as u64)
        {
            return Err(EgressError::TooLarge(limit));
        }
        let deadline = Instant::now() + patience;
        // The share is taken as it arrives; the room is only as much as was announced and is allowed.
        let announced = self.response.content_length().unwrap_or_default();
        let mut body = BytesMut::with_capacity(usize::try_from(announced).unwrap_or_default());
        loop {
            let chunk = timeout_at(deadline, self.chunk())
                .await
                .map_err(|_| EgressError::TimedOut(patience))?;
            let Some(chunk) = chunk? else {
                return Ok(body.freeze());
            };
            if body.len() + chunk.len() > limit {
                return Err(EgressError::TooLarge(limit));
            }
            share.grow_to(body.len() + chunk.len())?;
            body.extend_from_slice(&chunk);
        }
    }

    /// At most `limit` bytes from the beginning of the body, as far as they come in time. Nothing of a body
    /// that is compressed.
    pub async fn beginning(mut self, limit: usize, patience: Duration) -> Bytes {
        let deadline = Instant::now() + patience;
        let mut body = BytesMut::new();
        while self.check_encoding().is_ok() && body.len() < limit {
            let Ok(Ok(Some(chunk))) = timeout_at(deadline, self.chunk()).await else {
                break;
            };
            body.extend_from_slice(&chunk[..chunk.len().min(limit - body.len())]);
        }
        body.freeze()
    }
}

/// The beginning of a header as text without control characters.
fn printable(value: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(value.as_bytes());
    let visible = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    visible.take(MAX_SHOWN).collect()
}
