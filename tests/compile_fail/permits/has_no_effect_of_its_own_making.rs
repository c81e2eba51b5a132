//! An effect says that the intent is on the disk; it cannot be made up.
use vestibule_consent::Effect;

fn forged() -> Effect {
    Effect { what: (), intent: any() }
}

fn any<T>() -> T {
    loop {}
}

fn main() {}
