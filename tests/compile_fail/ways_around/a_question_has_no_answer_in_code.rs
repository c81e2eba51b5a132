//! The inbox of a host is not handed out: an answer comes through `consent_answer`, with its nonce.
use vestibule_consent::Inbox;
use vestibule_host::Host;

fn around(host: &Host) -> &Inbox {
    host.inbox()
}

fn main() {}
