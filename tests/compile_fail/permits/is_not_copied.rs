//! One agreement is for one time.
use vestibule_consent::{CallTool, Permit};

fn twice(permit: &Permit<CallTool>) -> Permit<CallTool> {
    Clone::clone(permit)
}

fn main() {}
