//! Any bytes as a whole HTTP answer, head and body: the request ends, and nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod wire;

fuzz_target!(|bytes: &[u8]| {
    let heard = wire::heard(&[bytes]);
    assert!(!heard.is_empty(), "the request has an answer or a failure");
});
