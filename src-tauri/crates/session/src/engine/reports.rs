//! Reports of progress of one call, thinned: of those that come too fast the last one is held back and handed on
//! when its time has come, so the receiver always gets the last report.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use vestibule_protocol::mcp::Progress;

/// How much of a report's text is handed on, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

pub(super) struct Reports {
    progress: Option<mpsc::Sender<Progress>>,
    last: f64,
    /// Before this, a report is held back; a later one takes its place.
    pub(super) quiet_until: Option<Instant>,
    pub(super) held_back: Option<Progress>,
}

impl Reports {
    pub(super) fn new(progress: Option<mpsc::Sender<Progress>>) -> Self {
        Self {
            progress,
            last: f64::NEG_INFINITY,
            quiet_until: None,
            held_back: None,
        }
    }

    pub(super) fn take_pending(&mut self) -> Self {
        std::mem::replace(self, Self::new(None))
    }

    /// Hands a report on, or holds it back. Says whether it shows growth, and until when it is held back; one
    /// that falls behind is left out.
    pub(super) fn add(
        &mut self,
        mut report: Progress,
        interval: Duration,
        now: Instant,
    ) -> (bool, Option<Instant>) {
        if report.progress.is_nan() || report.progress < self.last {
            return (false, None);
        }
        let grows = report.progress > self.last;
        self.last = report.progress;
        let Some(progress) = &self.progress else {
            return (grows, None);
        };
        cut_message(&mut report);
        if let Some(until) = self.quiet_until.filter(|until| *until > now) {
            self.held_back = Some(report);
            return (grows, Some(until));
        }
        self.quiet_until = Some(now + interval);
        self.held_back = None;
        // A watcher that is behind will see a later report.
        let _ = progress.try_send(report);
        (grows, None)
    }

    pub(super) fn flush(&mut self, now: Instant, interval: Duration) {
        if self.quiet_until.is_none_or(|until| until <= now)
            && let (Some(report), Some(progress)) = (self.held_back.take(), &self.progress)
        {
            self.quiet_until = Some(now + interval);
            let _ = progress.try_send(report);
        }
    }

    pub(super) fn flush_and_end(self) {
        if let (Some(report), Some(progress)) = (self.held_back, self.progress) {
            let _ = progress.try_send(report);
        }
    }
}

fn cut_message(report: &mut Progress) {
    if let Some(message) = &mut report.message {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
    }
}
