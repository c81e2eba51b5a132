//! The tour, as a client sees it that shares no code with it.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod calls;
mod client;
mod lifecycle;
