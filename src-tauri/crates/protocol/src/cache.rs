//! How long an answer may be kept and for whom, as the server hints. A hint is no promise and no interval for
//! polling; an answer without one is stale at once and private.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The longest time a hint is believed.
pub const MAX_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Who may be given a kept answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    Public,
    /// Only the client that asked, with the same authorization. What is not understood counts as this.
    #[default]
    Private,
}

/// A server's hint about keeping an answer. Revisions before 2026-07-28 have none: stale at once, private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheHint {
    /// How long the answer counts as fresh after it came; at most [`MAX_TTL`].
    pub ttl: Duration,
    /// Who may be given it.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Reads the two members; whatever they are not counts as absent.
    pub(crate) fn new(ttl_ms: Option<f64>, scope: Option<&str>) -> Self {
        let milliseconds = ttl_ms.filter(|ttl| ttl.is_finite()).unwrap_or(0.0);
        let seconds = (milliseconds / 1000.0).clamp(0.0, MAX_TTL.as_secs_f64());
        let scope = match scope {
            Some("public") => CacheScope::Public,
            _ => CacheScope::Private,
        };
        Self {
            ttl: Duration::from_secs_f64(seconds),
            scope,
        }
    }

    /// The hint for an answer made of two: the shorter time, the narrower scope.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            ttl: self.ttl.min(other.ttl),
            scope: self.scope.max(other.scope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CA-002, CA-004, CA-011.
    #[test]
    fn what_a_hint_does_not_say_is_stale_and_private() {
        let cases = [
            (None, None, Duration::ZERO, CacheScope::Private),
            (Some(-5.0), Some("public"), Duration::ZERO, CacheScope::Public),
            (
                Some(1500.0),
                Some("private"),
                Duration::from_millis(1500),
                CacheScope::Private,
            ),
            (Some(1e300), Some("shared"), MAX_TTL, CacheScope::Private),
            (
                Some(f64::NAN),
                Some("Public"),
                Duration::ZERO,
                CacheScope::Private,
            ),
        ];
        for (ttl_ms, said, ttl, scope) in cases {
            assert_eq!(CacheHint::new(ttl_ms, said), CacheHint { ttl, scope });
        }
        let long = CacheHint::new(Some(9000.0), Some("public"));
        let narrow = CacheHint::new(Some(1000.0), None);
        assert_eq!(long.and(narrow), narrow);
        assert_eq!(narrow.and(long), narrow);
    }
}
