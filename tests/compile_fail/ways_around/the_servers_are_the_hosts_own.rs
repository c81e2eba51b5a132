//! Neither the servers nor what they start can be named from outside: only the host may use their crate.
extern crate vestibule_servers;

fn main() {}
