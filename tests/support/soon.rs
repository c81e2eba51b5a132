//! A bound against hanging. Tests wait for what they expect and never for a time.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::timeout;

/// Longer than anything here takes on a slow machine, on the real clock: the runtime's clock runs ahead of it wherever
/// a test lets time pass.
const BOUND: Duration = Duration::from_secs(90);
/// How often the real clock is looked at, on the runtime's clock.
const LOOK: Duration = Duration::from_secs(5);

/// Waits for something that is about to happen.
///
/// # Panics
/// When it does not.
pub async fn soon<T>(what: &str, happens: impl Future<Output = T>) -> T {
    match in_time(happens).await {
        Some(happened) => happened,
        None => panic!("this did not happen: {what}"),
    }
}

/// Looks again after each step of the runtime until this holds.
///
/// # Panics
/// When it never does.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let held = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    soon(what, held).await;
}

/// What happens within the bound; `None` where it does not.
pub(crate) async fn in_time<T>(happens: impl Future<Output = T>) -> Option<T> {
    let began = Instant::now();
    let mut happens = pin!(happens);
    loop {
        match timeout(LOOK, happens.as_mut()).await {
            Ok(happened) => return Some(happened),
            Err(_) if began.elapsed() >= BOUND => return None,
            Err(_) => {}
        }
    }
}
