//! A bound against hanging. Tests wait for what they expect and never for a time.

use std::future::Future;
use std::time::Duration;

use tokio::time::timeout;

/// Longer than anything here takes on a slow machine. The person's clock (see `person`) runs ahead of the real one.
const BOUND: Duration = Duration::from_secs(90);

/// Waits for something that is about to happen.
///
/// # Panics
/// When it does not.
pub async fn soon<T>(what: &str, happens: impl Future<Output = T>) -> T {
    match timeout(BOUND, happens).await {
        Ok(happened) => happened,
        Err(_) => panic!("this did not happen: {what}"),
    }
}
