//! The servers the tests start: the tour, a puppet that does what a test says, byte for byte, and a stand-in for
//! llama.cpp's server. Not part of the product.

mod model;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tour", ..] => tour(),
        ["puppet", socket, ..] => puppet(socket),
        ["--model", file, "--host", host, "--port", port, ..] => {
            model::serve(file, &format!("{host}:{port}"))
        }
        _ => ExitCode::from(2),
    }
}

fn tour() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let ended = runtime.block_on(vestibule_tour::serve_stdio());
    std::process::exit(i32::from(ended.is_err()))
}

/// Hands everything it reads to the test at `socket`, and does what comes back: a letter, a length in eight bytes
/// (big endian) and that many bytes. `O` and `E` write to the two outputs, `X` ends with the length as exit code. A test
/// that does not listen makes a puppet that does not read.
fn puppet(socket: &str) -> ExitCode {
    let mut strings = UnixStream::connect(socket).expect("the test waits for its puppet");
    let heard = strings.try_clone().expect("a second handle");
    thread::spawn(move || hear(heard));
    loop {
        let mut order = [0; 9];
        if strings.read_exact(&mut order).is_err() {
            return ExitCode::SUCCESS;
        }
        let length = u64::from_be_bytes(order[1..].try_into().expect("eight bytes"));
        let from = (&strings).take(length);
        // The host may close either output at any time; then there is nothing left to do.
        let done = match order[0] {
            b'O' => copy(from, io::stdout().lock()),
            b'E' => copy(from, io::stderr().lock()),
            b'X' => return ExitCode::from(u8::try_from(length).unwrap_or(u8::MAX)),
            _ => return ExitCode::from(3),
        };
        if done.is_err() {
            return ExitCode::SUCCESS;
        }
    }
}

/// Not `io::copy`: between a socket and a pipe it hands the work to the system, which holds the pipe while the socket
/// is silent, and whoever has the other end of the pipe would hang with it.
fn copy(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match from.read(&mut bytes)? {
            0 => return to.flush(),
            read => to.write_all(&bytes[..read])?,
        }
    }
}

/// What the host writes goes to the test; the end of the host's words is the end of ours.
fn hear(mut test: UnixStream) {
    let mut input = io::stdin().lock();
    let _ = copy(&mut input, &mut test);
    std::process::exit(0);
}
