//! Opening a session: approved, planned again and compared, then spawned or connected, and the tools listed.

pub(crate) mod approve;
mod download;
pub(crate) mod http;
pub(crate) mod session;
pub(crate) mod stdio;
pub(crate) mod update;

use vestibule_auth::Attempt;
use vestibule_consent::{Effect, RunApproval};
use vestibule_store::ServerPlace;

use super::auth::retry;
use super::catalog::{definitions, instructions};
use super::server::handle::ServerHandle;
use session::{NotOpen, OpenSession};

/// What one run of a server carries from one attempt to open a session to the next.
#[derive(Default)]
pub(crate) struct OpenAttempts {
    /// The authorization that the next request is sent with.
    pub(crate) authorization: Option<Attempt>,
    /// The approval of the first start or connection, which holds as long as the same would be opened.
    pub(crate) agreed: Option<RunApproval>,
    /// Counts the sessions up by one.
    pub(crate) number: u64,
}

/// Asks, spawns or connects, and lists the tools. `None` where it was not approved.
pub(crate) async fn open(
    server: &ServerHandle,
    attempts: &mut OpenAttempts,
) -> Result<Option<(OpenSession, Effect)>, NotOpen> {
    if attempts.authorization.is_none() {
        attempts.authorization = retry::attempt(server).await?;
    }
    let record = server.record();
    let number = attempts.number;
    let opened = match &record.place {
        ServerPlace::Here(program) => {
            let plan = stdio::StdioPlan::new(server, &record, program, number).await;
            approve::approve_and_open(server, &plan, &mut attempts.agreed).await?
        }
        ServerPlace::Address(endpoint) => {
            let plan = http::HttpPlan::new(server, &record, endpoint, number);
            approve::approve_and_open(server, &plan, &mut attempts.agreed).await?
        }
    };
    let Some((mut open, effect)) = opened else {
        return Ok(None);
    };
    // The server accepted this authorization. If it demands another one from now on, that is a new demand.
    attempts.authorization = retry::attempt(server).await?;
    let session = open.session.clone();
    open.events.during(definitions::list(server, &session)).await?;
    instructions::compare(server, &session).await?;
    Ok(Some((open, effect)))
}
