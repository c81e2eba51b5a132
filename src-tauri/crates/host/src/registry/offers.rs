//! What a server offers besides tools: resources, patterns of resources, prompts. Listed after the server is
//! connected and again whenever it says that they changed; a server that can not list them is a server all the same.
//! Reading one is elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_protocol::mcp::{LogLevel, Prompt, Resource, ResourceTemplate};
use vestibule_protocol::{AttachmentId, ServerId};
use vestibule_session::{CallError, Listing, SessionHandle};

use super::Registry;
use crate::uri_template;
use crate::view::{HostEvent, LogSource, OffersView, PromptView, ResourceView, TemplateView};

/// The most resources of one server that are watched.
const MOST_WATCHED: usize = 64;

/// What a server said changed.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) tools: Notify,
    /// Its resources or its prompts.
    pub(super) offers: Notify,
}

/// What a server offers besides tools.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) prompts: Vec<Prompt>,
}

/// The resources that are watched, by address, each with the attachments it is watched for.
pub(super) type Watched = BTreeMap<String, Vec<AttachmentId>>;

impl Registry {
    /// What a server offers besides tools.
    pub(crate) fn offers(&self, server: ServerId) -> Option<Arc<Offers>> {
        self.seats().get(&server).map(|seat| seat.offers.clone())
    }

    /// The same as a window shows it.
    pub(crate) fn offers_view(&self, server: ServerId) -> Option<OffersView> {
        let seats = self.seats();
        let seat = seats.get(&server)?;
        let capabilities = seat.session.as_ref().map(|session| &session.info().capabilities);
        Some(OffersView {
            resources: seat.offers.resources.iter().map(resource).collect(),
            templates: seat.offers.templates.iter().map(pattern).collect(),
            prompts: seat.offers.prompts.iter().map(prompt).collect(),
            completes: capabilities.is_some_and(|all| all.completions),
            watches: capabilities.is_some_and(|all| all.resources.is_some_and(|list| list.subscribe)),
            logs: capabilities.is_some_and(|all| all.logging),
            log_level: seat.log_level,
        })
    }

    /// The session of a server that is connected.
    pub(super) fn session(&self, server: ServerId) -> Option<SessionHandle> {
        self.seats().get(&server)?.session.clone()
    }

    /// Asks a connected server to log from a level up; one that takes no such wish keeps its own.
    pub(crate) async fn set_log_level(&self, server: ServerId, level: LogLevel) -> Result<(), CallError> {
        if let Some(session) = self.session(server) {
            session.set_log_level(level).await?;
        }
        self.logs_from(server, level);
        Ok(())
    }

    fn logs_from(&self, server: ServerId, level: LogLevel) {
        self.0.events.tell_after(|| {
            self.seats().get_mut(&server)?.log_level = Some(level);
            Some(HostEvent::Offers { server })
        });
    }

    /// Lists everything now and whenever it changed, one listing at a time.
    pub(super) fn list_offers_when_changed(
        &self,
        server: ServerId,
        session: &SessionHandle,
        changed: Arc<Changed>,
        ended: CancellationToken,
    ) {
        let (registry, session) = (self.clone(), session.clone());
        let listing = async move {
            registry.keep_log_level(server, &session).await;
            registry.watch_again(server, &session).await;
            loop {
                registry.list_offers(server, &session).await;
                changed.offers.notified().await;
            }
        };
        self.0.tasks.spawn(
            async move {
                tokio::select! {
                    () = ended.cancelled() => {}
                    () = listing => {}
                }
            }
            .in_current_span(),
        );
    }

    async fn keep_log_level(&self, server: ServerId, session: &SessionHandle) {
        let kept = self.0.store.setting(&log_level_key(server)).await.ok().flatten();
        let level = kept.and_then(|kept| serde_json::from_value::<LogLevel>(kept).ok());
        let Some(level) = level else { return };
        match session.set_log_level(level).await {
            Ok(()) => self.logs_from(server, level),
            // It logs no more, or not at a level that somebody else chooses.
            Err(CallError::NotSupported) => {}
            Err(error) => self.noted(server, "the level of its log could not be set", &error),
        }
    }

    /// A wish to hear of changes ends with its session; what is still to be sent is watched in the next one.
    async fn watch_again(&self, server: ServerId, session: &SessionHandle) {
        let can = session.info().capabilities.resources;
        if !can.is_some_and(|list| list.subscribe) {
            return;
        }
        let watched = self.seats().get(&server).map(|seat| seat.watched.clone());
        for uri in watched.unwrap_or_default().into_keys() {
            if let Err(error) = session.subscribe_resource(&uri).await {
                self.noted(server, "a resource can not be watched", &error);
            }
        }
    }

    async fn list_offers(&self, server: ServerId, session: &SessionHandle) {
        let capabilities = &session.info().capabilities;
        if capabilities.resources.is_none() && capabilities.prompts.is_none() {
            return;
        }
        let resources = self.taken(server, "resources", session.list_resources().await);
        let templates = self.taken(server, "templates", session.list_resource_templates().await);
        let prompts = self.taken(server, "prompts", session.list_prompts().await);
        let offers = Arc::new(Offers {
            resources,
            templates,
            prompts,
        });
        self.0.events.tell_after(|| {
            self.seats().get_mut(&server)?.offers = offers;
            Some(HostEvent::Offers { server })
        });
    }

    /// What was listed; what is left out, and why, goes to the log.
    fn taken<T>(&self, server: ServerId, what: &str, listed: Result<Listing<T>, CallError>) -> Vec<T> {
        match listed {
            Ok(listing) => {
                for dropped in &listing.dropped {
                    let text = format!("{what}: {:?} is left out: {}", dropped.name, dropped.reason);
                    self.note(server, LogSource::Host, Some("warning".into()), &text);
                }
                if let Some(cut) = &listing.truncated {
                    self.note(server, LogSource::Host, Some("warning".into()), cut);
                }
                listing.items
            }
            Err(CallError::NotSupported) => vec![],
            Err(error) => {
                self.noted(server, &format!("its {what} could not be listed"), &error);
                vec![]
            }
        }
    }

    fn noted(&self, server: ServerId, what: &str, error: &CallError) {
        let text = format!("{what}: {error}");
        self.note(server, LogSource::Host, Some("warning".into()), &text);
    }

    /// Watches a resource for an attachment, where its server can tell of changes.
    pub(crate) async fn watch(&self, server: ServerId, uri: &str, attachment: AttachmentId) {
        let session = {
            let mut seats = self.seats();
            let Some(seat) = seats.get_mut(&server) else {
                return;
            };
            let Some(session) = seat.session.clone() else {
                return;
            };
            let can = session.info().capabilities.resources;
            if !can.is_some_and(|list| list.subscribe) || seat.watched.len() >= MOST_WATCHED {
                return;
            }
            let watchers = seat.watched.entry(uri.to_owned()).or_default();
            watchers.push(attachment);
            (watchers.len() == 1).then_some(session)
        };
        if let Some(session) = session
            && let Err(error) = session.subscribe_resource(uri).await
        {
            self.noted(server, "a resource can not be watched", &error);
        }
    }

    /// Watches nothing any more for an attachment that nobody sees.
    pub(crate) fn unwatch(&self, server: ServerId, uri: &str, attachment: AttachmentId) {
        let last = {
            let mut seats = self.seats();
            let Some(watchers) = seats.get_mut(&server).and_then(|seat| seat.watched.get_mut(uri)) else {
                return;
            };
            watchers.retain(|watcher| *watcher != attachment);
            watchers.is_empty()
        };
        if last {
            self.end_watch(server, uri);
        }
    }

    /// A resource is not what it was when it was read: said once, and then it is watched no longer.
    pub(super) fn resource_updated(&self, server: ServerId, uri: &str) {
        let watchers = self
            .seats()
            .get_mut(&server)
            .and_then(|seat| seat.watched.remove(uri));
        let Some(attachments) = watchers else { return };
        attachments.iter().for_each(|id| self.0.attachments.changed(*id));
        self.0.events.tell(HostEvent::AttachmentsChanged { attachments });
        self.end_watch(server, uri);
    }

    fn end_watch(&self, server: ServerId, uri: &str) {
        let session = {
            let mut seats = self.seats();
            let Some(seat) = seats.get_mut(&server) else {
                return;
            };
            seat.watched.remove(uri);
            seat.session.clone()
        };
        let Some(session) = session else { return };
        let uri = uri.to_owned();
        self.0.tasks.spawn(
            async move {
                if let Err(error) = session.unsubscribe_resource(&uri).await {
                    tracing::debug!(%error, "failed to unsubscribe from a resource; updates keep arriving");
                }
            }
            .in_current_span(),
        );
    }
}

/// Where the wish for a server's log level is kept.
pub(crate) fn log_level_key(server: ServerId) -> String {
    format!("log_level.{server}")
}

fn resource(resource: &Resource) -> ResourceView {
    ResourceView {
        uri: resource.uri.clone(),
        name: resource.about.display_name().to_owned(),
        description: resource.about.description.clone(),
        mime: resource.about.mime_type.clone(),
        bytes: resource.size,
    }
}

fn pattern(pattern: &ResourceTemplate) -> TemplateView {
    TemplateView {
        variables: uri_template::variables(&pattern.uri_template),
        pattern: pattern.uri_template.clone(),
        name: pattern.about.display_name().to_owned(),
        description: pattern.about.description.clone(),
        mime: pattern.about.mime_type.clone(),
    }
}

fn prompt(prompt: &Prompt) -> PromptView {
    PromptView {
        name: prompt.name.clone(),
        title: prompt.title.clone(),
        description: prompt.description.clone(),
        arguments: prompt.arguments.clone(),
    }
}
