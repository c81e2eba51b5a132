//! The host.
pub mod view;
#[cfg(test)]
mod bindings;
