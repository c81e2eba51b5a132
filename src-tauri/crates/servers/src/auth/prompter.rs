//! The user and the keychain as a sign-in knows them: its question goes through the gate and comes back as a permit, its
//! page is opened only if it is the one that was shown, and its secrets are kept where all secrets are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;
use vestibule_auth::{
    Approved, CallbackPage, Declined, LookUpPrompt, PageNotOpened, SignInPrompt, UserAgent, Vault, VaultError,
};
use vestibule_consent::{self as consent, Effect, EffectEnd, LookUpIssuer, SignInServer};
use vestibule_transport::browser::Browser;

use super::facts;
use crate::config::secrets::{SecretName, Secrets};
use crate::context::CallbackPageSource;
use crate::server::handle::WeakServer;
use vestibule_app_protocol::{SecretsState, SignInPhase};

/// Asks the user for the sign-in to one server. Does not keep the server.
pub(crate) struct AuthPrompter {
    server: WeakServer,
    browser: Browser,
    callback_page: CallbackPageSource,
    /// The issuer that is being asked how it signs users in, where the user agreed to that.
    look_up: Mutex<Option<Effect<LookUpIssuer>>>,
    agreed: Mutex<Option<AgreedSignIn>>,
    /// How far the sign-in under way is.
    phase: Mutex<Option<SignInPhase>>,
}

/// What the permit of the sign-in under way covers.
struct AgreedSignIn {
    what: Arc<SignInServer>,
    effect: Effect,
    /// The page that was opened, to be opened again.
    page: Option<Url>,
}

impl AuthPrompter {
    pub(super) fn new(server: WeakServer, browser: Browser, callback_page: CallbackPageSource) -> Self {
        Self {
            server,
            browser,
            callback_page,
            look_up: Mutex::default(),
            agreed: Mutex::default(),
            phase: Mutex::default(),
        }
    }

    /// How far the sign-in under way is.
    pub(super) fn phase(&self) -> Option<SignInPhase> {
        self.shown().clone()
    }

    /// Shows how far the sign-in is.
    pub(super) fn show_phase(&self, phase: Option<SignInPhase>) {
        *self.shown() = phase;
        if let Some(server) = self.server.upgrade() {
            server.publish();
        }
    }

    /// Writes how the sign-in ended, where it was approved.
    pub(super) async fn ended(&self, end: EffectEnd) {
        let agreed = self.agreed().take();
        if let Some(agreed) = agreed {
            agreed.effect.finish(end).await;
        }
    }

    /// Ends what was approved, because the last waiter is gone.
    pub(super) fn drop_agreed(&self) {
        drop(self.agreed().take());
        drop(self.under_look_up().take());
    }

    /// Opens the page of the sign-in under way once more.
    pub(super) async fn open_again(&self) -> Result<(), PageNotOpened> {
        let page = self.agreed().as_ref().and_then(|agreed| agreed.page.clone());
        let page = page.ok_or_else(|| PageNotOpened("no sign-in waits for its page".to_owned()))?;
        self.show(&page).await
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "opens the page of a sign-in under its permit alone"
    )]
    async fn show(&self, page: &Url) -> Result<(), PageNotOpened> {
        let what = self.agreed().as_ref().map(|agreed| agreed.what.clone());
        if !what.is_some_and(|what| what.covers(page.as_str())) {
            return Err(PageNotOpened(
                "this is not the page that was agreed to".to_owned(),
            ));
        }
        let opened = self.browser.open(page.as_str()).await;
        opened.map_err(|error| PageNotOpened(error.to_string()))
    }

    fn shown(&self) -> MutexGuard<'_, Option<SignInPhase>> {
        // Only ever replaced as a whole.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_look_up(&self) -> MutexGuard<'_, Option<Effect<LookUpIssuer>>> {
        // Only ever replaced as a whole.
        self.look_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn agreed(&self) -> MutexGuard<'_, Option<AgreedSignIn>> {
        // Only ever replaced as a whole.
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl UserAgent for AuthPrompter {
    async fn look_up(&self, request: LookUpPrompt) -> Result<(), Declined> {
        let server = self.server.upgrade().ok_or(Declined)?;
        let servers = server.context().hosts().await;
        let wanted = consent::LookUpRequest {
            server: server.face(),
            look_up: facts::look_up(&request, &servers),
        };
        let permit = wanted.approve(server.gate(), |question| {
            self.show_phase(Some(SignInPhase::Asking { question }));
        });
        let effect = permit.await.map_err(declined)?.begin();
        *self.under_look_up() = Some(effect);
        self.show_phase(Some(SignInPhase::Finding));
        Ok(())
    }

    fn callback_page(&self) -> CallbackPage {
        (self.callback_page)()
    }

    async fn looked_up(&self, found: bool) {
        let effect = self.under_look_up().take();
        let end = if found {
            EffectEnd::Answered
        } else {
            EffectEnd::Failed
        };
        if let Some(effect) = effect {
            effect.finish(end).await;
        }
    }

    async fn consent(&self, request: SignInPrompt) -> Result<Approved, Declined> {
        let server = self.server.upgrade().ok_or(Declined)?;
        let servers = server.context().hosts().await;
        let wanted = consent::SignInRequest {
            server: server.face(),
            sign_in: facts::facts(&request, keeps_secrets(server.secrets()), &servers),
        };
        let permit = wanted.approve(server.gate(), |question| {
            self.show_phase(Some(SignInPhase::Asking { question }));
        });
        let permit = permit.await.map_err(declined)?;
        let (what, effect) = permit.begin().split();
        *self.agreed() = Some(AgreedSignIn {
            what: Arc::new(what),
            effect,
            page: None,
        });
        self.show_phase(Some(SignInPhase::Finishing));
        Ok(request.approve())
    }

    async fn open(&self, _approved: &Approved, page: &Url) -> Result<(), PageNotOpened> {
        if let Some(agreed) = self.agreed().as_mut() {
            agreed.page = Some(page.clone());
        }
        self.show(page).await?;
        let host = page.host_str().unwrap_or_default().to_owned();
        self.show_phase(Some(SignInPhase::Browser { host }));
        Ok(())
    }
}

fn declined(no: consent::Denied) -> Declined {
    if let consent::Denied::LedgerFailed(error) = no {
        tracing::error!(%error, "failed to record the answer to a sign-in in the ledger");
    }
    Declined
}

fn keeps_secrets(secrets: &dyn Secrets) -> bool {
    matches!(secrets.state(), SecretsState::Keychain)
}

/// The place where the application keeps secrets, as a sign-in knows it.
pub(super) struct SecretsVault(pub(super) Arc<dyn Secrets>);

#[async_trait]
impl Vault for SecretsVault {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        let found = self.0.get(&SecretName::SignIn(name.to_owned())).await;
        found.map_err(|error| VaultError(error.0))
    }

    async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
        let kept = self.0.set(&SecretName::SignIn(name.to_owned()), secret).await;
        kept.map_err(|error| VaultError(error.0))
    }

    async fn delete(&self, name: &str) -> Result<(), VaultError> {
        let gone = self.0.remove(&SecretName::SignIn(name.to_owned())).await;
        gone.map_err(|error| VaultError(error.0))
    }
}
