//! The application without its windows: chats, servers and models, and every effect between them under a permit of the gate.
//! It compiles and runs without a display; a shell gives it windows, a keychain and a folder.

mod audit;
mod host;
mod logging;
mod rows;
mod tasks;
mod transcript;
mod turn;

pub use audit::check_ledger_file;
pub use host::{Host, HostOptions, NamedPicture, StoredPicture, TourServer};
pub use logging::SILENT_TARGETS;
pub use rows::{RowsCheck, check_rows_of_file};
pub use vestibule_app_protocol as view;
pub use vestibule_chat_files::MarkdownWords;
pub use vestibule_config_import::{AppFolders, AppSystem};
pub use vestibule_consent::WindowReport;
pub use vestibule_servers::config::network::NetworkVariables;
pub use vestibule_servers::config::secrets::{MemorySecrets, SecretName, Secrets, SecretsError};
pub use vestibule_servers::{CallbackPage, HelperProgram};

/// The folder of the application's log files inside its data folder.
#[must_use]
pub fn log_folder(data_folder: &std::path::Path) -> std::path::PathBuf {
    data_folder.join("logs")
}
