//! A receipt says that the intent is on the disk; it can not be made up.
use vestibule_consent::Receipt;

fn forged() -> Receipt {
    Receipt { open: None }
}

fn main() {}
