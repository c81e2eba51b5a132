//! Neither the servers nor what they start can be named from outside.
use vestibule_host::servers::Servers;

fn main() {}
