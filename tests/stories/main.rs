//! What a user lives through, told from the first message to the finished result. One file a story; each scene
//! checks at its end that the ledger is whole and that nothing was left running.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod branches;
mod cancel;
mod carried;
mod changed_tool;
mod chat_life;
mod connections;
mod consent;
mod continued;
mod cost_budgets;
mod crash;
mod editing;
mod floods;
mod forms;
mod last_listed;
mod ledger;
mod ledger_removed;
mod local_models;
mod model_rounds;
mod models;
mod offers;
mod offers_kept;
mod pages;
mod proxies;
mod put_aside;
mod queue;
mod reload;
mod remote;
mod reopening;
mod roots;
mod rules;
mod sampling;
mod servers;
mod sign_in;
mod sign_in_left;
mod sign_in_shared;
mod standing;
mod tasks;
mod tasks_ask;
mod tool_call;
