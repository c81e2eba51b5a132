//! Its parts can be looked at and not be set.
use vestibule_consent::{CallTool, Permit, Receipt};

fn forged(call: CallTool, receipt: Receipt) -> Permit<CallTool> {
    Permit { effect: call, because: vec![], receipt }
}

fn main() {}
