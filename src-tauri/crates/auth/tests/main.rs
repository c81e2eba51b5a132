//! Sign-ins against a whole world over loopback HTTP in which every request is recorded. What is shown here is
//! mostly what does not happen: which secrets reach nobody, which pages are not opened, which requests are not
//! sent twice.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests play the server's transport and the browser"
)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bound;
mod extensions;
mod flow;
mod listener;
mod mutations;
mod pages;
mod registration;
mod renewals;
mod scopes;
mod signing_out;
mod support;
mod tokens;
