//! What the application and the parent process of a server say to each other, over a pair of sockets that is the standard
//! input of the parent. First the launch, with the three streams of the server as descriptors; then orders of one byte
//! and reports of one line. The launch is not on the command line or in the environment of the parent, because variables
//! of a server such as `LD_PRELOAD` must not act on it.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use super::files::CheckedFile;

/// Comes with the descriptors.
const LAUNCH: u8 = b'L';
/// Asks the server and all its descendants to end.
pub(crate) const ASK: u8 = b'a';
/// Kills the server and all its descendants.
pub(crate) const KILL: u8 = b'k';
/// More than arguments and environment of any program may take.
const LARGEST: usize = 64 * 1024 * 1024;

/// Without the flag a program that is started while descriptors are received would inherit them.
#[cfg(target_os = "linux")]
const RECEIVE_FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const RECEIVE_FLAGS: RecvFlags = RecvFlags::empty();

/// A program to start, sent to the parent process of the server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ServerLaunch {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    /// The environment; nothing is inherited.
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: OsString,
    /// Files that have to be as they were when the user approved the launch.
    pub(crate) files: Vec<CheckedFile>,
}

/// What the parent process says of the server.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// The system would not run the program.
    Refused(String),
    /// This file is not as it was; nothing runs any more.
    Changed(OsString),
    /// The server has ended. Its descendants are ended next; then the parent process leaves.
    Ended { code: Option<i32>, signal: Option<i32> },
    /// Nothing of the server is left.
    Gone,
}

/// Standard input, output and error of the server.
pub(crate) struct Streams {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// Sends the streams. The bytes of the launch follow, see [`ServerLaunch::to_bytes`].
pub(crate) fn send_streams(control: &UnixStream, streams: &Streams) -> io::Result<()> {
    let descriptors = [
        streams.stdin.as_fd(),
        streams.stdout.as_fd(),
        streams.stderr.as_fd(),
    ];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control_data = SendAncillaryBuffer::new(&mut space);
    if !control_data.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no space for three descriptors"));
    }
    sendmsg(
        control,
        &[IoSlice::new(&[LAUNCH])],
        &mut control_data,
        SendFlags::empty(),
    )?;
    Ok(())
}

impl ServerLaunch {
    /// The length and the launch.
    pub(crate) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let body = serde_json::to_vec(self)?;
        let length = u32::try_from(body.len()).map_err(io::Error::other)?;
        Ok([&length.to_le_bytes()[..], &body].concat())
    }

    /// Reads what [`send_streams`] and [`to_bytes`](Self::to_bytes) sent. `None` when the application is gone or changed
    /// its mind.
    pub(super) fn receive(control: &mut UnixStream) -> io::Result<Option<(Self, Streams)>> {
        let Some(streams) = receive_streams(control)? else {
            return Ok(None);
        };
        let mut length = [0; 4];
        let mut body = Vec::new();
        let read = control.read_exact(&mut length).and_then(|()| {
            let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
            body.resize(length.min(LARGEST), 0);
            control.read_exact(&mut body)
        });
        match read {
            Ok(()) => Ok(Some((serde_json::from_slice(&body)?, streams))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn receive_streams(control: &UnixStream) -> io::Result<Option<Streams>> {
    let mut first = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control_data = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        control,
        &mut [IoSliceMut::new(&mut first)],
        &mut control_data,
        RECEIVE_FLAGS,
    )?;
    if received.bytes == 0 || first[0] != LAUNCH {
        return Ok(None);
    }
    let mut descriptors = control_data.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    let streams = Streams::from_descriptors(&mut descriptors);
    let missing = || io::Error::other("the launch came without its streams");
    streams.ok_or_else(missing).map(Some)
}

impl Streams {
    fn from_descriptors(descriptors: &mut impl Iterator<Item = OwnedFd>) -> Option<Self> {
        Some(Self {
            stdin: descriptors.next()?,
            stdout: descriptors.next()?,
            stderr: descriptors.next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    fn launch() -> ServerLaunch {
        ServerLaunch {
            program: "/bin/true".into(),
            args: vec!["a b".into(), String::new().into()],
            env: vec![("NAME".into(), "one\ntwo".into())],
            cwd: "/".into(),
            files: vec![],
        }
    }

    #[test]
    fn a_launch_arrives_with_its_streams() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (kept, stdout) = UnixStream::pair().unwrap();
        let null = || OwnedFd::from(File::open("/dev/null").unwrap());
        let streams = Streams {
            stdin: null(),
            stdout: stdout.into(),
            stderr: null(),
        };
        send_streams(&ours, &streams).unwrap();
        drop(streams);
        (&ours).write_all(&launch().to_bytes().unwrap()).unwrap();
        let (received, streams) = ServerLaunch::receive(&mut theirs).unwrap().unwrap();
        assert_eq!(received.args, launch().args);
        assert_eq!(received.env, launch().env);
        File::from(streams.stdout).write_all(b"here").unwrap();
        let mut said = String::new();
        (&kept).read_to_string(&mut said).unwrap();
        assert_eq!(said, "here");
    }

    #[test]
    fn what_is_cut_or_no_launch_starts_nothing() {
        for sent in [&b""[..], b"L", b"k", b"go\n"] {
            let (ours, mut theirs) = UnixStream::pair().unwrap();
            (&ours).write_all(sent).unwrap();
            drop(ours);
            let received = ServerLaunch::receive(&mut theirs);
            assert!(!matches!(received, Ok(Some(_))), "{sent:?}");
        }
    }
}
