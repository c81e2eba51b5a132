//! A receipt says that the intent is on the disk; it can not be made up.
use vestibule_consent::Receipt;
use vestibule_protocol::ServerId;
use vestibule_store::LedgerReceipt;

fn forged(intent: LedgerReceipt, server: ServerId) -> Receipt {
    Receipt { intent, server, chat: None, action: "tool.call", object: String::new() }
}

fn main() {}
