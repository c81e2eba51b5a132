//! A server's log: the last lines of what it wrote to its error output, sent as log messages, or that Vestibule
//! noted about it. Bounded in lines and in the length of a line; control characters are made visible.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use super::handle::ServerHandle;
use vestibule_app_protocol::{HostEvent, LogLine, LogPage, LogSource};
use vestibule_session::PASSED_OVER;

/// How many lines are kept.
const LINES: usize = 2000;
/// How many characters of a line are kept.
const LINE: usize = 4000;

/// How often windows are notified that a log grew.
const GROWTH_EVENTS: Duration = Duration::from_millis(250);

/// Notifies windows that the log of a server grew, until the server is removed or the application closes. It does so
/// whether or not the server runs, because the last lines of a failed start come when it has ended.
pub(crate) async fn announce_growth(server: ServerHandle) {
    let announce = async {
        loop {
            server.log_growth().await;
            server.emit(|server| HostEvent::Log { server });
            tokio::time::sleep(GROWTH_EVENTS).await;
        }
    };
    tokio::select! {
        () = server.removed().cancelled() => {}
        () = server.context().closing.cancelled() => {}
        () = announce => {}
    }
}

/// The last lines of a server.
#[derive(Default)]
pub(crate) struct Log {
    lines: VecDeque<LogLine>,
    next: u64,
}

impl Log {
    pub(crate) fn add(&mut self, source: LogSource, level: Option<String>, text: &str) {
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.next += 1;
        let at_ms = Timestamp::now().as_millisecond();
        self.lines.push_back(LogLine {
            number: self.next,
            at_ms,
            source,
            level,
            text: visible(text),
        });
    }

    /// The first lines since the last start that were no messages, oldest first.
    pub(crate) fn skipped_since_start(&self, most: usize) -> Vec<String> {
        let run = self.lines.iter().rev().take_while(|line| !is_start(line));
        let passed_over = |line: &LogLine| {
            let text = line.text.strip_prefix(PASSED_OVER)?;
            let is_ours = line.source == LogSource::Host;
            let sample = text.split_once(": ").map_or(text, |(_, sample)| sample);
            is_ours.then(|| sample.to_owned())
        };
        let mut skipped: Vec<String> = run.filter_map(passed_over).collect();
        skipped.reverse();
        skipped.truncate(most);
        skipped
    }

    /// The lines after number `after`.
    pub(crate) fn after(&self, after: u64) -> LogPage {
        let lines = self
            .lines
            .iter()
            .filter(|line| line.number > after)
            .cloned()
            .collect();
        LogPage {
            lines,
            dropped: self.next - self.lines.len() as u64,
        }
    }
}

fn is_start(line: &LogLine) -> bool {
    line.source == LogSource::Host && line.text.starts_with("starting ")
}

/// Text with its control characters (except tab) spelled out, cut with a note where it is too long.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LINE));
    for (count, character) in text.chars().enumerate() {
        if count == LINE {
            out.push_str(&format!(" … {} more characters", text.chars().count() - LINE));
            break;
        }
        match character {
            '\t' => out.push('\t'),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_shown_and_not_obeyed() {
        assert_eq!(visible("a\u{1b}[31mred\u{7}"), "a\\u{1b}[31mred\\u{7}");
    }

    #[test]
    fn an_endless_log_keeps_its_last_lines_and_says_how_many_went() {
        let mut log = Log::default();
        for line in 0..LINES + 5 {
            log.add(LogSource::Stderr, None, &line.to_string());
        }
        let page = log.after(0);
        assert_eq!((page.lines.len(), page.dropped), (LINES, 5));
        assert_eq!(page.lines.last().unwrap().text, (LINES + 4).to_string());
        assert_eq!(log.after(page.lines.last().unwrap().number).lines, []);
    }
}
