//! Neither the registry nor what it starts can be named from outside.
use vestibule_host::registry::Registry;

fn main() {}
