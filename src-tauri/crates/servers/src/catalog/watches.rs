//! The resources that were attached and not sent, each watched so that a change shows. A watch ends with its session; what
//! is still to be sent is watched again in the next one.

use std::collections::BTreeMap;

use tracing::Instrument;
use vestibule_consent::{Effect, EffectEnd, WatchResource};
use vestibule_protocol::AttachmentId;
use vestibule_session::SessionHandle;

use super::features::note_failure;
use crate::auth::retry::authorized;
use crate::call::tool::{Unanswered, unanswered};
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{HostEvent, LogSource};

/// The most resources of one server that are watched.
const MAX_WATCHED: usize = 64;

/// The watched resources by address.
#[derive(Default)]
pub(crate) struct ResourceWatches(BTreeMap<String, Watch>);

/// Why a resource is watched, and the record of its subscription.
#[derive(Default)]
struct Watch {
    /// What it is watched for.
    attachments: Vec<AttachmentId>,
    /// The subscription of this session, once it is recorded.
    effect: Option<Effect<WatchResource>>,
}

impl ResourceWatches {
    /// Adds an attachment. True where the resource has to be subscribed to.
    fn add(&mut self, uri: &str, attachment: AttachmentId) -> bool {
        if self.0.len() >= MAX_WATCHED && !self.0.contains_key(uri) {
            return false;
        }
        let watch = self.0.entry(uri.to_owned()).or_default();
        watch.attachments.push(attachment);
        watch.attachments.len() == 1
    }

    /// Removes an attachment. Gives back the watch where it was the last one of its resource.
    fn remove(&mut self, uri: &str, attachment: AttachmentId) -> Option<Watch> {
        let watch = self.0.get_mut(uri)?;
        watch.attachments.retain(|watcher| *watcher != attachment);
        if !watch.attachments.is_empty() {
            return None;
        }
        self.0.remove(uri)
    }

    /// Ends the subscriptions of a run. What is watched for stays, for the next one.
    pub(crate) fn end_run(&mut self) {
        self.0.values_mut().for_each(|watch| drop(watch.effect.take()));
    }

    /// The addresses of the watched resources.
    pub(super) fn uris(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// Watches a resource for an attachment, where its server can report changes.
pub(crate) async fn watch(server: &ServerHandle, uri: &str, attachment: AttachmentId) {
    let Some(active) = server.active() else { return };
    if !can_watch(&active.session) || !server.watches().add(uri, attachment) {
        return;
    }
    subscribe(server, &active.session, uri).await;
}

/// Subscribes to a watched resource, once that is in the ledger.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that subscribes to resources; it takes a permit"
)]
pub(super) async fn subscribe(server: &ServerHandle, session: &SessionHandle, uri: &str) {
    let permit = match server.gate().watch_resource(server.id(), uri.to_owned()).await {
        Ok(permit) => permit,
        Err(error) => {
            server.note(LogSource::Host, Some("error".into()), &error.to_string());
            return;
        }
    };
    let effect = permit.begin().if_dropped(EffectEnd::Stopped);
    let sent = authorized(server, false, |_| session.subscribe_resource(&effect.what().uri)).await;
    if let Err(unsent) = sent {
        let failed = "a resource cannot be watched";
        match unanswered(server, unsent) {
            Unanswered::Call(error) => {
                effect.finish(EffectEnd::Failed).await;
                note_failure(server, failed, &error);
            }
            Unanswered::SignIn(problem) => {
                effect.finish(EffectEnd::NotSignedIn).await;
                note_failure(server, failed, &problem);
            }
        }
    } else if server.active().is_some()
        && let Some(watch) = server.watches().0.get_mut(uri)
    {
        watch.effect = Some(effect);
    }
}

/// Ends the watch for an attachment that is not shown any more.
pub(crate) fn unwatch(server: &ServerHandle, uri: &str, attachment: AttachmentId) {
    let ended = server.watches().remove(uri, attachment);
    if let Some(watch) = ended {
        unsubscribe(server, uri, watch);
    }
}

/// A resource changed since it was read: reported once, and then it is not watched any more.
pub(crate) fn resource_updated(server: &ServerHandle, uri: &str) {
    let ended = server.watches().0.remove(uri);
    let Some(watch) = ended else { return };
    let attachments = watch.attachments.clone();
    let kept = &server.context().options.attachments;
    attachments.iter().for_each(|id| kept.changed(*id));
    server.emit(|_| HostEvent::AttachmentsChanged { attachments });
    unsubscribe(server, uri, watch);
}

/// Whether a server reports changes of resources.
pub(super) fn can_watch(session: &SessionHandle) -> bool {
    let resources = session.info().capabilities.resources;
    resources.is_some_and(|list| list.subscribe)
}

/// Ends a subscription; dropping its effect writes that it is over.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that ends subscriptions, which took a permit"
)]
fn unsubscribe(server: &ServerHandle, uri: &str, watch: Watch) {
    drop(watch.effect);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each attachment of a resource is marked when it changes, however many resources are watched.
    #[test]
    fn what_is_watched_already_is_watched_for_another_attachment_where_no_more_fit() {
        let mut watches = ResourceWatches::default();
        for number in 0..MAX_WATCHED {
            assert!(watches.add(&format!("note://{number}"), AttachmentId::new()));
        }
        let another = AttachmentId::new();
        assert!(!watches.add("note://0", another), "it is subscribed to already");
        assert!(watches.0["note://0"].attachments.contains(&another));
        assert!(!watches.add("note://more", AttachmentId::new()));
        assert_eq!(watches.uris().len(), MAX_WATCHED);
    }
}
