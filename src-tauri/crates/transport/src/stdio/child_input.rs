//! Our end of what a server reads. The socket is watched for room only while something waits to be written: one that is
//! always watched wakes its task each time the server takes a message.

use std::io::{self, ErrorKind, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as Socket;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;
use tokio::net::UnixStream;

pub(super) struct ChildInput {
    socket: Socket,
    /// The same socket, while it has no room.
    watched: Option<UnixStream>,
}

impl ChildInput {
    /// The socket has to be one that does not block.
    pub(super) fn new(socket: Socket) -> Self {
        Self {
            socket,
            watched: None,
        }
    }

    /// Writes once there is room.
    fn poll_room(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let watched = match self.watched.take() {
            Some(watched) => watched,
            None => UnixStream::from_std(self.socket.try_clone()?)?,
        };
        let watched = self.watched.insert(watched);
        loop {
            ready!(watched.poll_write_ready(cx))?;
            match watched.try_write(bytes) {
                Err(error) if is_busy(&error) => {}
                written => {
                    self.watched = None;
                    return Poll::Ready(written);
                }
            }
        }
    }
}

/// Whether the same write can succeed later.
fn is_busy(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl AsyncWrite for ChildInput {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.watched.is_none() {
            match self.socket.write(bytes) {
                Err(error) if is_busy(&error) => {}
                written => return Poll::Ready(written),
            }
        }
        self.poll_room(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.socket.shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use tokio::io::AsyncWriteExt;

    use super::*;

    /// More than a socket holds.
    const MANY: usize = 8 * 1024 * 1024;

    fn pair() -> (ChildInput, Socket) {
        let (ours, theirs) = Socket::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        (ChildInput::new(ours), theirs)
    }

    #[tokio::test]
    async fn everything_arrives_at_a_reader_that_is_slower() {
        let (mut input, mut theirs) = pair();
        let reader = std::thread::spawn(move || {
            let mut read = vec![];
            theirs.read_to_end(&mut read).unwrap();
            read
        });
        let sent: Vec<u8> = (0..MANY).map(|at| (at % 251) as u8).collect();
        input.write_all(&sent).await.unwrap();
        assert!(
            input.watched.is_none(),
            "the socket is watched though nothing waits"
        );
        drop(input);
        assert_eq!(reader.join().unwrap(), sent);
    }

    #[tokio::test]
    async fn a_write_that_waits_ends_when_the_reader_goes() {
        let (mut input, theirs) = pair();
        let sent = vec![0; MANY];
        let mut writing = Box::pin(input.write_all(&sent));
        assert!(futures::poll!(&mut writing).is_pending());
        drop(theirs);
        assert!(writing.await.is_err());
    }
}
