//! Opening a session: approved, planned again and compared, then spawned or connected, and the tools listed.

pub(crate) mod approve;
mod download;
pub(crate) mod http;
pub(crate) mod session;
pub(crate) mod stdio;
pub(crate) mod update;

use tokio_util::sync::CancellationToken;
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

/// Asks, spawns or connects, and lists the tools. `None` where it was not approved. A stop of the run ends it, and what was
/// started is gone when this returns without a session.
pub(crate) async fn open(
    server: &ServerHandle,
    attempts: &mut OpenAttempts,
    stop: &CancellationToken,
) -> Result<Option<(OpenSession, Effect)>, NotOpen> {
    let Some((mut open, effect)) = open_approved(server, attempts, stop).await? else {
        return Ok(None);
    };
    match unless_stopped(stop, list(server, attempts, &mut open)).await {
        Ok(()) => Ok(Some((open, effect))),
        Err(error) => {
            open.close(server, stop).await;
            Err(error)
        }
    }
}

/// Asks, and spawns or connects.
async fn open_approved(
    server: &ServerHandle,
    attempts: &mut OpenAttempts,
    stop: &CancellationToken,
) -> Result<Option<(OpenSession, Effect)>, NotOpen> {
    if attempts.authorization.is_none() {
        let attempt = async { Ok(retry::attempt(server).await?) };
        attempts.authorization = unless_stopped(stop, attempt).await?;
    }
    let record = server.record();
    let number = attempts.number;
    match &record.place {
        ServerPlace::Here(program) => {
            let plan = async { Ok(stdio::StdioPlan::new(server, &record, program, number).await) };
            let plan = unless_stopped(stop, plan).await?;
            approve::approve_and_open(server, &plan, &mut attempts.agreed, stop).await
        }
        ServerPlace::Address(endpoint) => {
            let plan = http::HttpPlan::new(server, &record, endpoint, number);
            approve::approve_and_open(server, &plan, &mut attempts.agreed, stop).await
        }
    }
}

/// Lists the tools of a session that has just opened.
async fn list(
    server: &ServerHandle,
    attempts: &mut OpenAttempts,
    open: &mut OpenSession,
) -> Result<(), NotOpen> {
    // The server accepted this authorization. If it demands another one from now on, that is a new demand.
    attempts.authorization = retry::attempt(server).await?;
    open.events
        .during(definitions::list(server, &open.session))
        .await?;
    instructions::compare(server, &open.session).await?;
    Ok(())
}

/// Does this unless the run is stopped first. What is dropped then must leave nothing running.
async fn unless_stopped<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, NotOpen>>,
) -> Result<T, NotOpen> {
    // Boxed, because the room of a future that is passed on is taken once more.
    let done = stop.run_until_cancelled(Box::pin(work)).await;
    done.unwrap_or(Err(NotOpen::Stopped))
}
