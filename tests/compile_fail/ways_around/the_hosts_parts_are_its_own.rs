//! Nor can it be reached through the host.
use vestibule_host::Host;

fn around(host: &Host) {
    let _ = &host.0;
}

fn main() {}
