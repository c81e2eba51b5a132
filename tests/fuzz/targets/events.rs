//! Any bytes as an event stream, cut anywhere: what is heard is the same as uncut.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod wire;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (body, cut) = input;
    let cut = usize::from(cut) % (body.len() + 1);
    let whole = wire::heard(&[HEAD, &body]);
    let (one, other) = body.split_at(cut);
    assert_eq!(wire::heard(&[HEAD, one, other]), whole);
});
