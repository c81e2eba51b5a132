//! Leave to start a server is no leave to call its tools.
use vestibule_consent::{CallTool, Permit, StartServer};

fn calls(_: Permit<CallTool>) {}

fn confused(permit: Permit<StartServer>) {
    calls(permit);
}

fn main() {}
