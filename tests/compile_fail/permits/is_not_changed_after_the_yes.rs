//! What is done is what was agreed to.
use vestibule_consent::{CallTool, Permit};

fn changed(permit: Permit<CallTool>) -> Permit<CallTool> {
    permit.effect().arguments.clear();
    permit
}

fn main() {}
