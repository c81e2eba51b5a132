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
use vestibule_auth::Authorizer;
use vestibule_protocol::ServerId;
use vestibule_store::ServerPlace;

use self::prompter::{AuthPrompter, SecretsVault};
use self::sign_in::SharedSignIn;
use super::server::handle::ServerHandle;
use vestibule_app_protocol::{HeldSignIn, LogSource, Problem, SignInView};

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

/// Sets up the sign-in of a server with its current settings; none for a local server. No token is read and nothing is
/// sent yet. Where the settings cannot be read, [`auth_of`] tries again.
pub(crate) async fn set_up(server: &ServerHandle) {
    match server_auth(server).await {
        Ok(auth) => set(server, auth.map(Arc::new)),
        Err(problem) => {
            tracing::warn!(%problem, "failed to read the sign-in settings; trying again when they are needed");
            set(server, None);
        }
    }
}

/// The sign-in of a server, set up now where its settings could not be read before; none for a local server.
///
/// # Errors
/// When the settings still cannot be read.
pub(crate) async fn auth_of(server: &ServerHandle) -> Result<Option<Arc<ServerAuth>>, Problem> {
    if let Some(auth) = server.auth() {
        return Ok(Some(auth));
    }
    let auth = server_auth(server).await?.map(Arc::new);
    if auth.is_some() {
        set(server, auth.clone());
    }
    Ok(auth)
}

fn set(server: &ServerHandle, auth: Option<Arc<ServerAuth>>) {
    let authorizer = auth.as_ref().map(|auth| auth.authorizer.clone());
    server.context().authorizers.set(server.id(), authorizer);
    server.set_auth(auth);
}

async fn server_auth(server: &ServerHandle) -> Result<Option<ServerAuth>, Problem> {
    let ServerPlace::Address(endpoint) = server.record().place else {
        return Ok(None);
    };
    let Ok(address) = crate::config::connection::address(&endpoint.url) else {
        return Ok(None);
    };
    let settings = settings::auth_settings(server, address).await?;
    let context = server.context();
    let prompter = AuthPrompter::new(
        server.downgrade(),
        context.options.browser.clone(),
        context.options.callback_page.clone(),
    );
    let prompter = Arc::new(prompter);
    let vault = Arc::new(SecretsVault(context.options.secrets.clone()));
    Ok(Some(ServerAuth {
        authorizer: Authorizer::new(settings, prompter.clone(), vault),
        prompter,
        current: Mutex::new(CurrentSignIn {
            running: None,
            cancel: context.closing.child_token(),
        }),
    }))
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
