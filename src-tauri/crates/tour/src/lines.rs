//! One message a line, in and out, with a limit on the length of a line.
//!
//! A line that is too long is dropped as it arrives and reported once; the connection goes on with the next line.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST_LINE: usize = 1024 * 1024;

pub(crate) enum InputLine {
    Whole(Vec<u8>),
    TooLong,
}

/// Reads lines. Dropping a pending [`Lines::next`] loses nothing: what arrived is kept here.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    partial: Vec<u8>,
    overflowed: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::new(reader),
            partial: Vec::new(),
            overflowed: false,
        }
    }

    /// The next line without its end, or `None` at the end of the input. An unfinished last line is dropped.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<InputLine>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if self.partial.len() + taken > LONGEST_LINE {
                self.overflowed = true;
                self.partial = Vec::new();
            }
            if !self.overflowed {
                self.partial.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(Some(self.take_line()));
            }
        }
    }

    /// The line whose end was read, and nothing of it is kept.
    fn take_line(&mut self) -> InputLine {
        let line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.overflowed) {
            InputLine::TooLong
        } else {
            InputLine::Whole(line)
        }
    }
}

/// Writes messages in the order in which they were sent, until every sender is gone.
pub(crate) async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut messages: mpsc::Receiver<Value>,
) -> std::io::Result<()> {
    while let Some(message) = messages.recv().await {
        let mut line = message.to_string();
        line.push('\n');
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await?;
    }
    writer.shutdown().await
}
