//! The effect takes the permit.
use vestibule_consent::{CallTool, Permit};

fn twice(permit: Permit<CallTool>) {
    let _first = permit.begin();
    let _second = permit.begin();
}

fn main() {}
