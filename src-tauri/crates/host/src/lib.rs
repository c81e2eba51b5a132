//! The host: the servers the user connected, the chats they hold, and the road between them, which runs through
//! the gate. It compiles and runs without a display; a shell gives it windows, a keychain and a folder.

mod attachments;
mod audit;
mod config_import;
mod connection;
mod events;
mod folders;
mod host;
mod inbound;
mod launch;
mod logging;
mod model_setup;
mod problem_from;
mod results;
mod rows;
mod sampling;
mod secrets;
mod servers;
mod tasks;
mod transcript;
mod turn;
mod uri_template;
mod variables;

pub use audit::check_ledger_file;
pub use host::{Host, HostOptions, TourServer};
pub use logging::SILENT_TARGETS;
pub use rows::{RowsCheck, check_rows_of_file};
pub use secrets::{MemorySecrets, SecretName, Secrets, SecretsError};
pub use servers::GuardProgram;
pub use vestibule_app_protocol as view;

/// The folder of the application's log files inside its data folder.
#[must_use]
pub fn log_folder(data_folder: &std::path::Path) -> std::path::PathBuf {
    data_folder.join("logs")
}
