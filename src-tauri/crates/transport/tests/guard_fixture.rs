//! Plays several parts in the tests: the guard's own program, an app that starts a server and can then be killed
//! without warning, a server that tries to freeze its reader, one that floods its output, and one that gives its output
//! away. Not part of the product.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests start the programs they look at"
)]

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_ref().and_then(|part| part.to_str()) {
        Some("guard") => vestibule_transport::guard::main(args),
        Some("app") => app(args.collect()),
        Some("flood") => flood(),
        Some("lend") => lend(&args.next().expect("a socket")),
        #[cfg(target_os = "linux")]
        Some("splice") => splice(),
        _ => ExitCode::from(2),
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::from(2)
}

/// Starts the program in the arguments as a server, hands on what it writes, and never ends by itself.
#[cfg(unix)]
fn app(args: Vec<OsString>) -> ExitCode {
    use vestibule_transport::guard::GuardHandle;
    use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};
    use vestibule_transport::{Incoming, Transport};

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let own = std::env::current_exe().expect("our own path");
        let guard = GuardHandle::start(own, vec!["guard".into()])
            .await
            .expect("a guard");
        let mut args = args.into_iter().map(|arg| arg.into_string().expect("text"));
        let launch = LaunchSpec {
            program: args.next().expect("a program").into(),
            args: args.collect(),
            env: Vec::new(),
            cwd: "/".into(),
            search_path: "/usr/bin:/bin".into(),
            files: Vec::new(),
        };
        say("starting");
        let mut server = StdioTransport::spawn(launch, &guard, Patience::default())
            .await
            .expect("a server");
        loop {
            match server.receive().await {
                Incoming::Frame(frame) => say(&String::from_utf8_lossy(&frame)),
                Incoming::Closed(reason) => say(&reason.to_string()),
                _ => {}
            }
        }
    })
}

/// Keeps its output full.
#[cfg(unix)]
fn flood() -> ExitCode {
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::Errno;

    say(&std::process::id().to_string());
    let out = io::stdout();
    fcntl_setfl(&out, OFlags::NONBLOCK).expect("an output that does not block");
    let frames = b"{}\n".repeat(1 << 14);
    while !matches!(rustix::io::write(&out, &frames), Err(error) if error != Errno::AGAIN) {}
    ExitCode::SUCCESS
}

/// Sends its output to a socket as a descriptor, and ends once the receiver closes the connection.
#[cfg(unix)]
fn lend(socket: &std::ffi::OsStr) -> ExitCode {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::os::fd::AsFd;

    let socket = std::os::unix::net::UnixStream::connect(socket).expect("a listener");
    let (out, mut space) = (io::stdout(), [std::mem::MaybeUninit::uninit(); 64]);
    let lent = [out.as_fd()];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(
        control.push(SendAncillaryMessage::ScmRights(&lent)),
        "room for one"
    );
    let first = [io::IoSlice::new(b"x")];
    sendmsg(&socket, &first, &mut control, SendFlags::empty()).expect("a receiver");
    io::copy(&mut &socket, &mut io::sink()).expect("a receiver that says nothing");
    ExitCode::from(7)
}

/// Moves what a silent socket says to its output, and echoes its input when the system does not let it.
#[cfg(target_os = "linux")]
fn splice() -> ExitCode {
    use rustix::pipe::{SpliceFlags, splice};

    let (silent, _open) = std::os::unix::net::UnixStream::pair().expect("a pair");
    say("before");
    let moved = splice(&silent, None, io::stdout(), None, 1 << 16, SpliceFlags::empty());
    say(&format!("{moved:?}"));
    io::copy(&mut io::stdin(), &mut io::stdout()).expect("an echo");
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .expect("a reader");
}
