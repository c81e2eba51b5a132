//! Only the gate makes a permit, and the receipt it needs.
use vestibule_consent::{Permit, Receipt, StartServer};

fn forged(start: StartServer, receipt: Receipt) -> Permit<StartServer> {
    Permit::mint(start, vec![], receipt)
}

fn main() {}
