//! Our client with everything above it.

use super::Result;
use super::contract::{Order, Run};

pub(super) async fn run(_: &Order) -> Result<Option<Run>> {
    Ok(None)
}
