mod commands;
mod fetching;
mod folders;
pub(crate) mod registry;
mod wheels;
