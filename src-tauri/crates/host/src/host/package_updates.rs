//! Another version of the downloaded package of a server: looked for at a click, asked about in the consent window, and
//! downloaded after a yes.

use vestibule_consent::{WidenRequest, Widening};
use vestibule_protocol::ServerId;
use vestibule_servers::FoundUpdate;

use super::Host;
use crate::view::{ChangeOutcome, Problem};

impl Host {
    /// Asks the registry for another version of the downloaded package of a server. Done where there is none.
    ///
    /// # Errors
    /// When the server starts from no downloaded package, or the registry cannot be asked.
    pub async fn server_update(&self, server: ServerId) -> Result<ChangeOutcome, Problem> {
        let handle = self.0.servers.get(server)?;
        let closing = self.0.servers.closing();
        let found = tokio::select! {
            () = closing.cancelled() => return Ok(ChangeOutcome::Done),
            found = FoundUpdate::look_for(&handle) => found?,
        };
        let Some(found) = found else {
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest {
            server: Some(handle.face()),
            chat: None,
            widening: Widening::UpdatePackage(found.shown()),
        };
        self.widen(request, |host, _| host.apply_update(found)).await
    }

    /// Stops looking for another version of a package, or downloading it. The server keeps the one it has.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn server_update_stop(&self, server: ServerId) -> Result<(), Problem> {
        self.0.servers.get(server)?.stop_update();
        Ok(())
    }

    async fn apply_update(self, found: FoundUpdate) -> Result<bool, Problem> {
        let closing = self.0.servers.closing();
        tokio::select! {
            () = closing.cancelled() => Ok(false),
            applied = found.apply() => applied,
        }
    }
}
