//! Signing in to a remote server: its authorizer, who is asked, and the sign-in under way. How signing in works is the
//! business of the crate `auth`; nothing here sends a request.

pub(crate) mod facts;
pub(crate) mod prompter;
pub(crate) mod retry;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod sign_out;
mod token_file;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;
use url::Url;
use vestibule_auth::{AuthSettings, Authorizer};
use vestibule_protocol::ServerId;
use vestibule_store::ServerPlace;

use self::prompter::{AuthPrompter, SecretsVault};
use self::sign_in::SharedSignIn;
use super::server::handle::ServerHandle;
use vestibule_app_protocol::{HeldSignIn, LogSource, SignInView};

/// The sign-in of one remote server.
pub(crate) struct ServerAuth {
    pub(crate) authorizer: Authorizer,
    pub(super) prompter: Arc<AuthPrompter>,
    current: Mutex<CurrentSignIn>,
}

/// The sign-in under way, if any.
struct CurrentSignIn {
    /// All waiters share it; it ends with the last waiter.
    running: Option<SharedSignIn>,
    cancel: CancellationToken,
}

/// The authorizers of all remote servers: a client registration is shared by the servers with the same issuer.
#[derive(Default)]
pub(crate) struct Authorizers(Mutex<BTreeMap<ServerId, Authorizer>>);

impl Authorizers {
    pub(crate) fn set(&self, id: ServerId, authorizer: Option<Authorizer>) {
        match authorizer {
            Some(authorizer) => self.all().insert(id, authorizer),
            None => self.all().remove(&id),
        };
    }

    /// All of them, each with its server.
    fn list(&self) -> Vec<(ServerId, Authorizer)> {
        let all = self.all();
        all.iter().map(|(id, one)| (*id, one.clone())).collect()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<ServerId, Authorizer>> {
        // Each change is one insert or remove.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerAuth {
    /// The sign-in as a window shows it.
    pub(crate) fn view(&self) -> SignInView {
        let ms = |time: SystemTime| {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        };
        let held = self.authorizer.signed_in().map(|held| HeldSignIn {
            scopes: held.scopes.iter().map(str::to_owned).collect(),
            ends_ms: held.ends.map(ms),
            renewable: held.renewable,
            issuer: held.issuer,
            resource: held.resource,
        });
        SignInView {
            phase: self.prompter.phase(),
            held,
            offers: self.authorizer.offers(),
        }
    }

    fn current(&self) -> MutexGuard<'_, CurrentSignIn> {
        // Only ever replaced as a whole.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets up the sign-in of a server with its current settings; none for a local server. Nothing is read or sent yet.
pub(crate) async fn set_up(server: &ServerHandle) {
    let auth = server_auth(server).await.map(Arc::new);
    let authorizer = auth.as_ref().map(|auth| auth.authorizer.clone());
    server.context().authorizers.set(server.id(), authorizer);
    server.set_auth(auth);
}

async fn readable_settings(server: &ServerHandle, address: Url) -> Option<AuthSettings> {
    match settings::auth_settings(server, address).await {
        Ok(settings) => Some(settings),
        Err(problem) => {
            tracing::warn!(%problem, "failed to read the sign-in settings; sign-in is unavailable");
            None
        }
    }
}

async fn server_auth(server: &ServerHandle) -> Option<ServerAuth> {
    let ServerPlace::Address(endpoint) = server.record().place else {
        return None;
    };
    let address = crate::config::connection::address(&endpoint.url).ok()?;
    let settings = readable_settings(server, address).await?;
    let context = server.context();
    let prompter = AuthPrompter::new(server.downgrade(), context.options.browser.clone());
    let prompter = Arc::new(prompter);
    let vault = Arc::new(SecretsVault(context.options.secrets.clone()));
    Some(ServerAuth {
        authorizer: Authorizer::new(settings, prompter.clone(), vault),
        prompter,
        current: Mutex::new(CurrentSignIn {
            running: None,
            cancel: context.closing.child_token(),
        }),
    })
}

/// Looks for an earlier sign-in and shows it. Reads only the keychain.
pub(crate) async fn load(server: ServerHandle) {
    let Some(auth) = server.auth() else { return };
    if let Err(error) = auth.authorizer.load().await {
        server.note(LogSource::Host, Some("warning".into()), &error.to_string());
    }
    if auth.authorizer.signed_in().is_some() {
        server.publish();
    }
}
