//! The three streams between us and a server: pairs of sockets, not pipes. A process that moves data into a pipe with
//! `splice(2)` from somewhere silent holds the kernel's lock on that pipe, and even a read that must not block
//! then sleeps in the kernel, with every other server of our thread behind it. Sockets have no such lock. Node
//! gives its children sockets too, so servers are used to it: the only thing that works with pipes alone is to
//! open `/dev/stdout` or `/dev/stderr` by name. Each pair is used in one direction, and the other is shut, so
//! that the ends behave as those of a pipe.

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Pair;

use tokio::net::UnixStream;

use super::child_input::ChildInput;
use crate::guard::Streams;

/// Our ends of the input, the output and the errors of the server, and its own.
pub(super) fn open() -> io::Result<((ChildInput, UnixStream, UnixStream), Streams)> {
    let (input, stdin) = to_child()?;
    let (output, stdout) = from_child()?;
    let (errors, stderr) = from_child()?;
    let streams = Streams {
        stdin,
        stdout,
        stderr,
    };
    Ok(((input, output, errors), streams))
}

/// Our end of what the child reads, and its own.
fn to_child() -> io::Result<(ChildInput, OwnedFd)> {
    let (ours, theirs) = pair()?;
    // What a child writes to its input would make our closing look like a failure to it.
    ours.shutdown(Shutdown::Read)?;
    Ok((ChildInput::new(ours), theirs))
}

/// Our end of what the child writes, and its own.
fn from_child() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = pair()?;
    ours.shutdown(Shutdown::Write)?;
    Ok((UnixStream::from_std(ours)?, theirs))
}

fn pair() -> io::Result<(Pair, OwnedFd)> {
    let (ours, theirs) = Pair::pair()?;
    ours.set_nonblocking(true)?;
    Ok((ours, theirs.into()))
}
