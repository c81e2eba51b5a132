//! What the user configured for a server, and what follows from it: the launch or the connection that a permission binds
//! to, its variables and headers, and the place where their values are kept. Nothing is started or sent here.

pub mod connection;
pub(crate) mod launch;
pub mod network;
pub mod secrets;
pub mod uri_template;
pub mod variables;
pub(crate) mod working_folder;
