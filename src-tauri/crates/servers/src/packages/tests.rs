mod commands;
mod fetching;
mod folders;
mod registry;
