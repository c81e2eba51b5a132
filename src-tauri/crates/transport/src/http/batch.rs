//! Frames that came in one piece of a stream are handed on together: a task is woken for them once.

use bytes::Bytes;

use super::context::HttpContext;

/// The most frames that are handed on together.
const MAX_FRAMES: usize = 64;
/// Frames of more bytes are handed on before another is read.
const MAX_BYTES: usize = 64 * 1024;

/// Frames that were read and are still to be handed on.
pub(super) struct FrameBatch<'a> {
    context: &'a HttpContext,
    frames: Vec<Bytes>,
    bytes: usize,
}

impl<'a> FrameBatch<'a> {
    pub(super) const fn new(context: &'a HttpContext) -> Self {
        Self {
            context,
            frames: Vec::new(),
            bytes: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Hands all of them on where there are many by now.
    pub(super) async fn add(&mut self, frame: Bytes) {
        self.bytes += frame.len();
        self.frames.push(frame);
        if self.frames.len() == MAX_FRAMES || self.bytes > MAX_BYTES {
            self.flush().await;
        }
    }

    pub(super) async fn flush(&mut self) {
        if !self.is_empty() {
            let frames = std::mem::take(&mut self.frames);
            let bytes = std::mem::take(&mut self.bytes);
            self.context.emit_frames(frames, bytes).await;
        }
    }
}
