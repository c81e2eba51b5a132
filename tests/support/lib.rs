//! What the tests are made of: a host without windows on a folder of its own, a user who answers its questions, a
//! window that follows its events, a model that says what a test tells it to, and a puppet for a server. All of them
//! use the host as the application does; none has a way around the gate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod canaries;
mod capture;
mod daemon;
mod in_a_call;
mod keychain;
mod killed;
mod ledger;
mod model;
mod opening;
mod person;
mod played;
mod process;
mod program;
mod protected;
mod puppet;
mod registry;
mod scene;
mod servers;
mod signing_in;
mod soon;
mod web;
mod window;

pub use canaries::{Canaries, Home, Leak, Place};
pub use daemon::{daemonising, daemons};
pub use in_a_call::InACall;
pub use keychain::{KeychainMood, TestKeychain};
pub use killed::{daemonise_until_killed, write_until_killed};
pub use ledger::{ended, grants, records};
pub use model::{Model, Turn, results, tool_names};
pub use opening::Opening;
pub use person::{Person, give, pass, submit, yes};
pub use played::Played;
pub use process::{gone, naming, program, servers_gone};
pub use program::Program;
pub use protected::{CANARY, Protected, Reached};
pub use puppet::{Puppet, Stage, text_result, tool};
pub use registry::ServerRegistry;
pub use scene::{Scene, connection_draft, model_draft};
pub use signing_in::{in_browser, needs_sign_in};
pub use soon::{eventually, soon};
pub use web::Web;
pub use window::{Projection, Window};
