//! Signing in to servers at an address, as the person wants it: begun, called off, taken back.

use secrecy::SecretString;
use vestibule_protocol::ServerId;

use super::Host;
use crate::view::{Problem, SignInSettings};

impl Host {
    /// Signs in to a server that wants it, or connects one that may. What was declined before is asked again.
    ///
    /// # Errors
    /// When it is gone, or the wish could not be kept.
    pub async fn server_sign_in(&self, server: ServerId) -> Result<(), Problem> {
        self.0.registry.wants_sign_in(server);
        self.server_start(server).await
    }

    /// How to sign in to a server, as the person set it.
    ///
    /// # Errors
    /// When it can not be read.
    pub async fn server_sign_in_settings(&self, server: ServerId) -> Result<SignInSettings, Problem> {
        self.0.registry.sign_in_settings(server).await
    }

    /// Sets how to sign in to a server, which is disconnected and signed out. A secret goes to where secrets are kept;
    /// without one, the one that is kept stays.
    ///
    /// # Errors
    /// When it is gone, or something could not be kept.
    pub async fn server_sign_in_set(
        &self,
        server: ServerId,
        settings: SignInSettings,
        secret: Option<String>,
    ) -> Result<(), Problem> {
        let secret = secret.filter(|secret| !secret.is_empty()).map(SecretString::from);
        let set = self.0.registry.set_sign_in_settings(server, &settings, secret);
        set.await
    }

    /// Calls off the sign-in that is on.
    pub fn server_sign_in_cancel(&self, server: ServerId) {
        self.0.registry.cancel_sign_in(server);
    }

    /// Opens the page of the sign-in that is on once more.
    ///
    /// # Errors
    /// When no sign-in waits for a page, or the browser did not open.
    pub async fn server_sign_in_page(&self, server: ServerId) -> Result<(), Problem> {
        self.0.registry.open_page_again(server).await
    }

    /// Disconnects a server, and forgets its sign-in here and where it was made.
    ///
    /// # Errors
    /// When it may still be kept here, or still count there; the sentence says which.
    pub async fn server_sign_out(&self, server: ServerId) -> Result<(), Problem> {
        self.0.registry.stop_and_wait(server).await;
        self.0.registry.sign_out(server).await
    }
}
