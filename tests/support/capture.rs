//! Every log line of the process at TRACE level, also of threads that belong to no test, handed to the canaries. What
//! the product keeps out of its log at every level is left out here as well.

use std::fmt::{self, Write as _};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber, level_filters::LevelFilter};
use vestibule_host::SILENT_TARGETS;

use crate::canaries;

static STARTED: Once = Once::new();

/// Captures from now on.
///
/// # Panics
/// When something else captures the log.
pub(crate) fn start() {
    STARTED.call_once(|| tracing::subscriber::set_global_default(Capture::default()).unwrap());
}

#[derive(Default)]
struct Capture {
    spans: AtomicU64,
}

/// The fields of a line, as the product's log would write them.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Writing to a string never fails.
        let _ = write!(self.0, "{field}={value} ");
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

fn is_silent(metadata: &Metadata<'_>) -> bool {
    SILENT_TARGETS
        .iter()
        .any(|silent| metadata.target().starts_with(silent))
}

impl Subscriber for Capture {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match is_silent(metadata) {
            true => Interest::never(),
            false => Interest::always(),
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        !is_silent(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line::default();
        span.record(&mut line);
        canaries::logged(span.metadata().target(), &line.0);
        Id::from_u64(1 + self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line::default();
        values.record(&mut line);
        canaries::logged("a span", &line.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        canaries::logged(event.metadata().target(), &line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
