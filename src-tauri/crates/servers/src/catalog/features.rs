//! What a server offers besides tools: resources, resource templates, prompts. Listed after the server is connected and
//! again whenever it reports a change; a server that cannot list them is a server all the same.

use std::fmt::Display;
use std::sync::Arc;

use vestibule_consent::EffectEnd;
use vestibule_protocol::mcp::{LogLevel, Prompt, Resource, ResourceTemplate};
use vestibule_protocol::{Revision, ServerId};
use vestibule_session::{CallError, Listing, SessionHandle};
use vestibule_store::StoreError;

use super::watches::{can_watch, subscribe};
use crate::auth::retry::authorized;
use crate::call::tool::{Unanswered, unanswered};
use crate::config::uri_template;
use crate::problem_from::IntoProblem;
use crate::server::handle::ServerHandle;
use crate::server::state::ServerSnapshot;
use vestibule_app_protocol::{
    LogSource, OffersView, Problem, PromptView, ResourceView, ServerProblem, TemplateView,
};

/// What a server offers besides tools.
#[derive(Clone, Debug, Default)]
pub struct ServerFeatures {
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    pub prompts: Vec<Prompt>,
    /// Why some of them could not be listed, where a sign-in that grants more would help.
    pub(crate) sign_in_problem: Option<Problem>,
    /// The number of the session in which the server turned out not to complete arguments.
    completes_nothing_in: Option<u64>,
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
            completes: completes(snapshot),
            watches: session.is_some_and(can_watch),
            logs: capabilities.is_some_and(|all| all.logging),
            log_level: snapshot.log_level,
        }
    })
}

/// Whether a connected server may be asked for completions. In 2024-11-05 no capability tells.
pub(crate) fn completes(snapshot: &ServerSnapshot) -> bool {
    snapshot.state.active().is_some_and(|active| {
        let info = active.session.info();
        let may_complete = info.capabilities.completions || info.revision == Revision::V2024_11_05;
        may_complete && snapshot.features.completes_nothing_in != Some(active.number)
    })
}

/// Remembers that a server does not complete arguments in the session of this number.
pub(crate) fn completes_nothing(server: &ServerHandle, session: u64) {
    server.change_features(|snapshot| {
        let features = ServerFeatures::clone(&snapshot.features);
        snapshot.features = Arc::new(ServerFeatures {
            completes_nothing_in: Some(session),
            ..features
        });
    });
}

/// Asks a connected server to log from a level up; one that does not support that keeps its own.
pub(crate) async fn set_log_level(server: &ServerHandle, level: LogLevel) -> Result<(), Problem> {
    if let Some(active) = server.active() {
        match send_log_level(server, &active.session, level, true).await? {
            Ok(()) => {}
            Err(Unanswered::Call(error)) => return Err(error.into_problem()),
            Err(Unanswered::SignIn(problem)) => return Err(problem),
        }
    }
    show_log_level(server, level);
    Ok(())
}

/// Sends the level, once that is in the ledger. With `ask` the user is asked to sign in where the server wants that first.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that sets the level of a log; it takes a permit"
)]
async fn send_log_level(
    server: &ServerHandle,
    session: &SessionHandle,
    level: LogLevel,
    ask: bool,
) -> Result<Result<(), Unanswered>, StoreError> {
    let name = serde_json::to_value(level).unwrap_or_default();
    let name = name.as_str().unwrap_or_default().to_owned();
    let effect = server.gate().set_log_level(server.id(), name).await?.begin();
    let sent = authorized(server, ask, |_| session.set_log_level(level)).await;
    let sent = sent.map_err(|unsent| unanswered(server, unsent));
    let end = match sent {
        Ok(()) => EffectEnd::Answered,
        Err(Unanswered::Call(_)) => EffectEnd::Failed,
        Err(Unanswered::SignIn(_)) => EffectEnd::NotSignedIn,
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
    let failed = "the level of its log could not be set";
    match send_log_level(server, session, level, false).await {
        Ok(Ok(())) => show_log_level(server, level),
        // It does not log any more, or not at a level that the client chooses.
        Ok(Err(Unanswered::Call(CallError::NotSupported))) => {}
        Ok(Err(Unanswered::Call(error))) => note_failure(server, failed, &error),
        Ok(Err(Unanswered::SignIn(problem))) => note_failure(server, failed, &problem),
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

/// Lists resources, templates and prompts. With `ask` the user is asked to sign in where the server wants that first.
pub(super) async fn list(server: &ServerHandle, session: &SessionHandle, ask: bool) {
    let capabilities = &session.info().capabilities;
    if capabilities.resources.is_none() && capabilities.prompts.is_none() {
        return;
    }
    if ask && let Some(auth) = server.auth() {
        // The user wants to be asked again.
        auth.authorizer.forget_refusals();
    }
    let mut refused = None;
    let resources = listed(server, "resources", ask, &mut refused, || {
        session.list_resources()
    })
    .await;
    let templates = || session.list_resource_templates();
    let templates = listed(server, "templates", ask, &mut refused, templates).await;
    let prompts = listed(server, "prompts", ask, &mut refused, || session.list_prompts()).await;
    let refused_before = server.read(|snapshot| snapshot.features.sign_in_problem.clone());
    let is_as_before = refused == refused_before;
    server.change_features(|snapshot| {
        let before = &snapshot.features;
        snapshot.features = Arc::new(ServerFeatures {
            resources: resources.unwrap_or_else(|| before.resources.clone()),
            templates: templates.unwrap_or_else(|| before.templates.clone()),
            prompts: prompts.unwrap_or_else(|| before.prompts.clone()),
            sign_in_problem: refused,
            completes_nothing_in: before.completes_nothing_in,
        });
    });
    if !is_as_before {
        server.publish();
    }
}

/// What was listed; `None` where that failed, and what was listed before stays. What is left out, and why, goes to the log.
/// A sign-in that would help is kept in `refused`, and once one is there, the user is not asked for another.
async fn listed<T, F>(
    server: &ServerHandle,
    what: &str,
    ask: bool,
    refused: &mut Option<Problem>,
    list: impl Fn() -> F,
) -> Option<Vec<T>>
where
    F: Future<Output = Result<Listing<T>, CallError>>,
{
    let ask = ask && refused.is_none();
    let unsent = match authorized(server, ask, |_| list()).await {
        Ok(listing) => {
            note_left_out(server, what, &listing);
            return Some(listing.items);
        }
        Err(unsent) => unsent,
    };
    let failed = format!("its {what} could not be listed");
    match unanswered(server, unsent) {
        Unanswered::Call(CallError::NotSupported) => return Some(vec![]),
        Unanswered::Call(error) => note_failure(server, &failed, &error),
        Unanswered::SignIn(problem) => {
            note_failure(server, &failed, &problem);
            if is_helped_by_sign_in(&problem) {
                refused.get_or_insert(problem);
            }
        }
    }
    None
}

fn is_helped_by_sign_in(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::Server(ServerProblem::SignInNeeded { .. } | ServerProblem::SignInDeclined { .. })
    )
}

fn note_left_out<T>(server: &ServerHandle, what: &str, listing: &Listing<T>) {
    for dropped in &listing.dropped {
        let text = format!("{what}: {:?} is left out: {}", dropped.name, dropped.reason);
        server.note(LogSource::Host, Some("warning".into()), &text);
    }
    if let Some(cut) = &listing.truncated {
        server.note(LogSource::Host, Some("warning".into()), cut);
    }
}

pub(super) fn note_failure(server: &ServerHandle, what: &str, why: &dyn Display) {
    let text = format!("{what}: {why}");
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
