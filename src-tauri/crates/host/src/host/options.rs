//! What the host is opened with.

use std::path::PathBuf;
use std::sync::Arc;

use vestibule_config_import::AppFolders;
use vestibule_egress::Proxies;
use vestibule_servers::config::network::NetworkVariables;
use vestibule_servers::config::secrets::Secrets;
use vestibule_servers::{CallbackPage, HelperProgram};
use vestibule_store::Store;
use vestibule_transport::browser::Browser;

use crate::view::Language;

/// What the host is opened with.
pub struct HostOptions {
    pub store: Store,
    /// Where secrets are kept.
    pub secrets: Arc<dyn Secrets>,
    /// The program that guards child processes.
    pub guard: HelperProgram,
    /// The program that does work which a file or a server could make endless.
    pub worker: HelperProgram,
    pub browser: Browser,
    /// What a browser shows at the end of a sign-in.
    pub callback_page: fn(Language) -> CallbackPage,
    /// What stands between this computer and servers and models at an address.
    pub proxies: Proxies,
    /// The folder all data is in, to show it.
    pub data_folder: PathBuf,
    /// Further folders with Vestibule's own configuration. What a tool is to do there, or in the data folder, is asked.
    pub own_folders: Vec<PathBuf>,
    /// Where other applications keep their configurations, which are read when the user asks for it.
    pub app_folders: AppFolders,
    /// What this computer sets about its proxy and its certificates, which a server gets where the user adds it.
    pub network_variables: NetworkVariables,
    /// The tour: a server added at the first start, so that there is something to try.
    pub tour: Option<TourServer>,
}

/// How to start the tour server.
#[derive(Clone, Debug)]
pub struct TourServer {
    pub command: String,
    pub args: Vec<String>,
}
