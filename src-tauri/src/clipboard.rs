//! The picture of the clipboard. WebKitGTK hands a page an empty paste for a picture, so it is read here, as the bytes
//! that the other application offers: nothing is decoded. Pasting is the only time the clipboard is read.

use tauri::{Runtime, WebviewWindow};

/// The kinds of pictures that are asked for, the best first.
#[cfg(target_os = "linux")]
const KINDS: [&str; 4] = ["image/png", "image/webp", "image/jpeg", "image/gif"];
/// How long the other application may take to hand its picture over.
#[cfg(target_os = "linux")]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// The bytes of the picture in the clipboard; `None` where it has none.
#[cfg(target_os = "linux")]
pub(crate) async fn picture<R: Runtime>(window: &WebviewWindow<R>) -> Option<Vec<u8>> {
    let (tell, told) = tokio::sync::oneshot::channel();
    // GTK is used on the main thread alone.
    let asked = window.run_on_main_thread(move || {
        if !gtk::is_initialized_main_thread() {
            return;
        }
        let clipboard = gtk::Clipboard::get(&gtk::gdk::SELECTION_CLIPBOARD);
        let targets = gtk::gdk::Atom::intern("TARGETS");
        clipboard.request_contents(&targets, move |clipboard, offered| {
            let offered = offered.targets().unwrap_or_default();
            let Some(kind) = best(&offered) else {
                return;
            };
            clipboard.request_contents(&kind, move |_, picture| {
                // A length below zero says that nothing came. After the limit there is no receiver any more.
                let _ = tell.send((picture.length() > 0).then(|| picture.data()));
            });
        });
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "failed to read the clipboard");
        return None;
    }
    tokio::time::timeout(PATIENCE, told).await.ok()?.ok()?
}

/// The first kind of picture that is offered.
#[cfg(target_os = "linux")]
fn best(offered: &[gtk::gdk::Atom]) -> Option<gtk::gdk::Atom> {
    let is_offered = |kind: &&str| offered.iter().any(|atom| atom.name() == **kind);
    let kind = KINDS.iter().find(|kind| is_offered(kind))?;
    Some(gtk::gdk::Atom::intern(kind))
}

/// Elsewhere the page gets the picture itself, which is not attached yet.
#[cfg(not(target_os = "linux"))]
pub(crate) async fn picture<R: Runtime>(_: &WebviewWindow<R>) -> Option<Vec<u8>> {
    None
}
