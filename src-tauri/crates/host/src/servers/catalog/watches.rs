//! The resources that were attached and not sent, each watched so that a change shows. A watch ends with its session; what
//! is still to be sent is watched again in the next one.

use std::collections::BTreeMap;

use tracing::Instrument;
use vestibule_protocol::AttachmentId;
use vestibule_session::SessionHandle;

use super::features::note_failure;
use crate::servers::server::handle::ServerHandle;
use crate::view::HostEvent;

/// The most resources of one server that are watched.
const MAX_WATCHED: usize = 64;

/// The watched resources by address, each with the attachments it is watched for.
#[derive(Default)]
pub(in crate::servers) struct ResourceWatches(BTreeMap<String, Vec<AttachmentId>>);

impl ResourceWatches {
    /// Adds an attachment. True where the resource has to be subscribed to.
    fn add(&mut self, uri: &str, attachment: AttachmentId) -> bool {
        if self.0.len() >= MAX_WATCHED {
            return false;
        }
        let watchers = self.0.entry(uri.to_owned()).or_default();
        watchers.push(attachment);
        watchers.len() == 1
    }

    /// Removes an attachment. True where it was the last one of its resource.
    fn remove(&mut self, uri: &str, attachment: AttachmentId) -> bool {
        let Some(watchers) = self.0.get_mut(uri) else {
            return false;
        };
        watchers.retain(|watcher| *watcher != attachment);
        if !watchers.is_empty() {
            return false;
        }
        self.0.remove(uri);
        true
    }

    /// The addresses of the watched resources.
    pub(super) fn uris(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// Watches a resource for an attachment, where its server can report changes.
pub(in crate::servers) async fn watch(server: &ServerHandle, uri: &str, attachment: AttachmentId) {
    let Some(active) = server.active() else { return };
    if !can_watch(&active.session) || !server.watches().add(uri, attachment) {
        return;
    }
    if let Err(error) = active.session.subscribe_resource(uri).await {
        note_failure(server, "a resource cannot be watched", &error);
    }
}

/// Ends the watch for an attachment that is not shown any more.
pub(in crate::servers) fn unwatch(server: &ServerHandle, uri: &str, attachment: AttachmentId) {
    let was_last = server.watches().remove(uri, attachment);
    if was_last {
        unsubscribe(server, uri);
    }
}

/// A resource changed since it was read: reported once, and then it is not watched any more.
pub(in crate::servers) fn resource_updated(server: &ServerHandle, uri: &str) {
    let watchers = server.watches().0.remove(uri);
    let Some(attachments) = watchers else { return };
    let kept = &server.context().options.attachments;
    attachments.iter().for_each(|id| kept.changed(*id));
    server.emit(|_| HostEvent::AttachmentsChanged { attachments });
    unsubscribe(server, uri);
}

/// Whether a server reports changes of resources.
pub(super) fn can_watch(session: &SessionHandle) -> bool {
    let resources = session.info().capabilities.resources;
    resources.is_some_and(|list| list.subscribe)
}

fn unsubscribe(server: &ServerHandle, uri: &str) {
    let Some(active) = server.active() else { return };
    let uri = uri.to_owned();
    server.context().tasks.spawn(
        async move {
            if let Err(error) = active.session.unsubscribe_resource(&uri).await {
                tracing::debug!(%error, "failed to unsubscribe from a resource; updates keep arriving");
            }
        }
        .in_current_span(),
    );
}
