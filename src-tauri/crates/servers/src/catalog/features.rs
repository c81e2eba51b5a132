//! What a server offers besides tools: resources, resource templates, prompts. Listed after the server is connected and
//! again whenever it reports a change; a server that cannot list them is a server all the same.

use std::sync::Arc;

use vestibule_consent::EffectEnd;
use vestibule_protocol::ServerId;
use vestibule_protocol::mcp::{LogLevel, Prompt, Resource, ResourceTemplate};
use vestibule_session::{CallError, Listing, SessionHandle};
use vestibule_store::StoreError;

use super::watches::{can_watch, subscribe};
use crate::config::uri_template;
use crate::problem_from::IntoProblem;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{LogSource, OffersView, Problem, PromptView, ResourceView, TemplateView};

/// What a server offers besides tools.
#[derive(Debug, Default)]
pub struct ServerFeatures {
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    pub prompts: Vec<Prompt>,
}

/// The features as a window shows them.
pub(crate) fn view(server: &ServerHandle) -> OffersView {
    server.read(|snapshot| {
        let session = snapshot.state.active().map(|active| &active.session);
        let capabilities = session.map(|session| &session.info().capabilities);
        let features = &snapshot.features;
        OffersView {
            resources: features.resources.iter().map(resource).collect(),
            templates: features.templates.iter().map(pattern).collect(),
            prompts: features.prompts.iter().map(prompt).collect(),
            completes: capabilities.is_some_and(|all| all.completions),
            watches: session.is_some_and(can_watch),
            logs: capabilities.is_some_and(|all| all.logging),
            log_level: snapshot.log_level,
        }
    })
}

/// Asks a connected server to log from a level up; one that does not support that keeps its own.
pub(crate) async fn set_log_level(server: &ServerHandle, level: LogLevel) -> Result<(), Problem> {
    if let Some(active) = server.active() {
        let sent = send_log_level(server, &active.session, level).await?;
        sent.map_err(IntoProblem::into_problem)?;
    }
    show_log_level(server, level);
    Ok(())
}

/// Sends the level, once that is in the ledger.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that sets the level of a log; it takes a permit"
)]
async fn send_log_level(
    server: &ServerHandle,
    session: &SessionHandle,
    level: LogLevel,
) -> Result<Result<(), CallError>, StoreError> {
    let name = serde_json::to_value(level).unwrap_or_default();
    let name = name.as_str().unwrap_or_default().to_owned();
    let effect = server.gate().set_log_level(server.id(), name).await?.begin();
    let sent = session.set_log_level(level).await;
    let end = if sent.is_ok() {
        EffectEnd::Answered
    } else {
        EffectEnd::Failed
    };
    effect.finish(end).await;
    Ok(sent)
}

fn show_log_level(server: &ServerHandle, level: LogLevel) {
    server.change_features(|snapshot| snapshot.log_level = Some(level));
}

/// Sets the log level that the user chose in an earlier session.
pub(super) async fn restore_log_level(server: &ServerHandle, session: &SessionHandle) {
    let store = &server.context().options.store;
    let kept = store.setting(&log_level_key(server.id())).await.ok().flatten();
    let level = kept.and_then(|kept| serde_json::from_value::<LogLevel>(kept).ok());
    let Some(level) = level else { return };
    match send_log_level(server, session, level).await {
        Ok(Ok(())) => show_log_level(server, level),
        // It does not log any more, or not at a level that the client chooses.
        Ok(Err(CallError::NotSupported)) => {}
        Ok(Err(error)) => note_failure(server, "the level of its log could not be set", &error),
        Err(error) => server.note(LogSource::Host, Some("error".into()), &error.to_string()),
    }
}

/// Subscribes again to the resources that were watched in the session before.
pub(super) async fn watch_again(server: &ServerHandle, session: &SessionHandle) {
    if !can_watch(session) {
        return;
    }
    let watched = server.watches().uris();
    for uri in watched {
        subscribe(server, session, &uri).await;
    }
}

/// Lists resources, templates and prompts.
pub(super) async fn list(server: &ServerHandle, session: &SessionHandle) {
    let capabilities = &session.info().capabilities;
    if capabilities.resources.is_none() && capabilities.prompts.is_none() {
        return;
    }
    let resources = listed(server, "resources", session.list_resources().await);
    let templates = listed(server, "templates", session.list_resource_templates().await);
    let prompts = listed(server, "prompts", session.list_prompts().await);
    server.change_features(|snapshot| {
        let before = &snapshot.features;
        snapshot.features = Arc::new(ServerFeatures {
            resources: resources.unwrap_or_else(|| before.resources.clone()),
            templates: templates.unwrap_or_else(|| before.templates.clone()),
            prompts: prompts.unwrap_or_else(|| before.prompts.clone()),
        });
    });
}

/// What was listed; `None` where that failed, and what was listed before stays. What is left out, and why, goes to the log.
fn listed<T>(server: &ServerHandle, what: &str, listed: Result<Listing<T>, CallError>) -> Option<Vec<T>> {
    match listed {
        Ok(listing) => {
            for dropped in &listing.dropped {
                let text = format!("{what}: {:?} is left out: {}", dropped.name, dropped.reason);
                server.note(LogSource::Host, Some("warning".into()), &text);
            }
            if let Some(cut) = &listing.truncated {
                server.note(LogSource::Host, Some("warning".into()), cut);
            }
            Some(listing.items)
        }
        Err(CallError::NotSupported) => Some(vec![]),
        Err(error) => {
            note_failure(server, &format!("its {what} could not be listed"), &error);
            None
        }
    }
}

pub(super) fn note_failure(server: &ServerHandle, what: &str, error: &CallError) {
    let text = format!("{what}: {error}");
    server.note(LogSource::Host, Some("warning".into()), &text);
}

/// The setting that holds the log level chosen for a server.
pub fn log_level_key(id: ServerId) -> String {
    format!("log_level.{id}")
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
