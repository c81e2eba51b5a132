//! Whoever wants the effect gives the permit up.
use vestibule_consent::{CallTool, Permit};

fn twice(permit: Permit<CallTool>) {
    let (_first, _) = permit.spend();
    let (_second, _) = permit.spend();
}

fn main() {}
