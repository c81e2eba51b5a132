//! Where tracing events go: standard error, filtered by `VESTIBULE_LOG`, and one file a day in the data folder.
//!
//! The file receives only events of Vestibule's own crates, at `info` and above. It never receives what is written
//! to standard error directly: Tauri prints the IPC key there when a frame posts a wrong one. For the same reason
//! Tauri's `tracing` feature stays off, which `deny.toml` checks.

use std::path::Path;

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};
use vestibule_host::{SILENT_TARGETS, log_folder};

/// Files kept, one for each day with an event.
const FILES: usize = 7;

/// Starts logging. The file is flushed when the returned guard is dropped; without a usable folder there is no file,
/// and standard error says why.
pub(crate) fn init(data_folder: &Path) -> Option<WorkerGuard> {
    let (file, guard) = match open(&log_folder(data_folder)) {
        Ok((writer, guard)) => (Some(file_layer(writer)), Ok(guard)),
        Err(error) => (None, Err(error)),
    };
    let standard_error = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_filter(standard_error_filter());
    tracing_subscriber::registry()
        .with(standard_error)
        .with(file)
        .init();
    guard
        .inspect_err(
            |error| tracing::warn!(%error, "failed to open the log file; logging to standard error only"),
        )
        .ok()
}

fn standard_error_filter() -> EnvFilter {
    let filter = EnvFilter::try_from_env("VESTIBULE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    SILENT_TARGETS
        .iter()
        .filter_map(|target| format!("{target}=off").parse().ok())
        .fold(filter, EnvFilter::add_directive)
}

fn file_layer<S>(writer: NonBlocking) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
{
    tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(writer)
        .with_filter(EnvFilter::new("off,vestibule=info"))
}

fn open(folder: &Path) -> Result<(NonBlocking, WorkerGuard), Box<dyn std::error::Error>> {
    vestibule_store::make_folder_private(folder)?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("vestibule")
        .filename_suffix("log")
        .max_log_files(FILES)
        .build(folder)?;
    Ok(tracing_appender::non_blocking(appender))
}

#[cfg(test)]
mod tests {
    use tracing::subscriber::with_default;
    use tracing_subscriber::layer::SubscriberExt;

    use vestibule_host::log_folder;

    use super::{file_layer, open};

    /// What the file holds after these events.
    fn logged(events: impl FnOnce()) -> String {
        let data_folder = tempfile::tempdir().unwrap();
        let folder = log_folder(data_folder.path());
        let (writer, guard) = open(&folder).unwrap();
        with_default(tracing_subscriber::registry().with(file_layer(writer)), events);
        drop(guard);
        let files = std::fs::read_dir(&folder).unwrap();
        files
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect()
    }

    #[test]
    fn the_file_holds_our_events_with_the_fields_of_their_spans() {
        let text = logged(|| {
            let span = tracing::info_span!(target: "vestibule_host", "server", server = "notes");
            let _entered = span.enter();
            tracing::info!(target: "vestibule_host::servers", "connected");
            tracing::debug!(target: "vestibule_host::servers", "a detail");
        });
        assert!(
            text.contains(r#"server{server="notes"}"#) && text.contains("connected"),
            "{text}"
        );
        assert!(!text.contains("a detail"), "{text}");
    }

    #[test]
    fn the_file_holds_no_event_of_a_library() {
        let text = logged(|| {
            tracing::error!(target: "tauri::ipc", "__TAURI_INVOKE_KEY__ is secret");
            tracing::error!(target: "hyper::client", "authorization: secret");
        });
        assert_eq!(text, "");
    }

    #[cfg(unix)]
    #[test]
    fn other_accounts_cannot_read_the_log() {
        use std::os::unix::fs::PermissionsExt;
        let data_folder = tempfile::tempdir().unwrap();
        let folder = log_folder(data_folder.path());
        std::fs::create_dir(&folder).unwrap();
        let _writer = open(&folder).unwrap();
        let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
