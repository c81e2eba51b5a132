//! The commands of the windows, one file a noun. Each takes its input, calls the host and returns; which window may
//! call which stands in `permissions/`.

pub(crate) mod chat;
pub(crate) mod consent;
pub(crate) mod ledger;
pub(crate) mod models;
pub(crate) mod offers;
pub(crate) mod rules;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod window;
pub(crate) mod workspaces;
