//! The configurations of other applications, read when the user asks for them and compared with the servers that are
//! added. Nothing is added here.

use vestibule_config_import::{AddedServer, app_configs};
use vestibule_servers::config::connection;

use super::Host;
use crate::view::AppConfigs;

impl Host {
    /// Reads the configurations of other applications on this computer. Adds and starts nothing.
    pub async fn app_configs(&self) -> AppConfigs {
        let servers = self.0.servers.all().into_iter();
        // One that was removed in this moment is skipped.
        let added: Vec<AddedServer> = servers
            .filter_map(|server| {
                let draft = self.server_draft(server.id()).ok()?;
                Some(AddedServer {
                    id: server.id(),
                    draft,
                })
            })
            .collect();
        let folders = self.0.app_folders.clone();
        let read = move || app_configs(&folders, &added, |url| connection::address(url).map(drop));
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| {
            tracing::error!(%error, "failed to read the configurations of other applications");
            AppConfigs::default()
        })
    }
}
