//! What is sent to a connected server on behalf of a chat or the user. Each way takes a permit, and each effect ends in the
//! ledger.

pub(crate) mod context;
mod pages;
pub(crate) mod read;
pub(crate) mod result;
pub(crate) mod task;
pub(crate) mod tool;

use vestibule_consent::{Effect, EffectEnd};
use vestibule_protocol::ServerId;

use super::server::handle::ServerHandle;
use super::server::state::ActiveSession;
use vestibule_app_protocol::Problem;

/// The session a permit is spent on. A permit names its server, and is spent on no other.
async fn session_for(
    server: &ServerHandle,
    permitted: ServerId,
    effect: Effect,
) -> Result<(ActiveSession, Effect), Problem> {
    if permitted == server.id()
        && let Some(active) = server.active()
    {
        return Ok((active, effect));
    }
    effect.finish(EffectEnd::NotSent).await;
    Err(server.not_connected())
}
