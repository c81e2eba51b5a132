//! Only the gate makes a permit.
use vestibule_consent::{Permit, StartServer};

fn forged(start: StartServer) -> Permit<StartServer> {
    Permit::mint(start, vec![], any())
}

fn any<T>() -> T {
    loop {}
}

fn main() {}
