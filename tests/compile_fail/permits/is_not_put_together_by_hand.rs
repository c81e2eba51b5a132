//! Its parts can be looked at and not be set.
use vestibule_consent::{CallTool, Permit};

fn forged(call: CallTool) -> Permit<CallTool> {
    Permit { effect: call, because: vec![], intent: any() }
}

fn any<T>() -> T {
    loop {}
}

fn main() {}
