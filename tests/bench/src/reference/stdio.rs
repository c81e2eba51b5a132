//! One message a line. The answers to everything that arrived in one read leave in one write, and the program ends
//! with its input.

use std::io::{self, Read as _, Write as _};
use std::thread;
use std::time::Duration;

use crate::answer::{Answer, Asked, Server, progress};

const CHUNK: usize = 64 * 1024;

pub(crate) fn serve(server: &mut Server) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut held: Vec<u8> = Vec::new();
    let mut out = Vec::with_capacity(2 * CHUNK);
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        // What is whole is read where it arrived.
        let mut rest = &chunk[..count];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            if held.is_empty() {
                say(server, &rest[..end], &mut out)?;
            } else {
                held.extend_from_slice(&rest[..end]);
                say(server, &held, &mut out)?;
                held.clear();
            }
            rest = &rest[end + 1..];
        }
        held.extend_from_slice(rest);
        flush(&mut out)?;
    }
}

fn say(server: &mut Server, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let Ok(asked) = serde_json::from_slice::<Asked<'_>>(line) else {
        return Ok(());
    };
    match server.answer(&asked) {
        Answer::None => {}
        Answer::One(_, text) => add(out, &text),
        Answer::Later(ms, text) => {
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(ms));
                let mut late = Vec::new();
                add(&mut late, &text);
                // Without a reader nobody waits.
                let _ = flush(&mut late);
            });
        }
        Answer::Flood(count, token, text) => {
            for step in 1..=count {
                progress(out, &token, step..=step, count, ("", "\n"));
                if out.len() >= CHUNK {
                    flush(out)?;
                }
            }
            add(out, &text);
        }
    }
    Ok(())
}

fn add(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// In one write: it ends with a line break, so the standard library holds nothing back.
fn flush(out: &mut Vec<u8>) -> io::Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(out)?;
    stdout.flush()?;
    out.clear();
    Ok(())
}
