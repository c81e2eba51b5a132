//! Signing in to servers at an address, as the user wants it: begun, called off, taken back.

use secrecy::SecretString;
use vestibule_protocol::ServerId;

use super::Host;
use crate::view::{Problem, SignInSecrets, SignInSettings};

impl Host {
    /// Signs in to a server that wants it, or connects one that may. What was declined before is asked again.
    ///
    /// # Errors
    /// When it is gone, or the setting could not be stored.
    pub async fn server_sign_in(&self, server: ServerId) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        self.want(server, true).await?;
        handle.sign_in();
        Ok(())
    }

    /// How to sign in to a server, as the user set it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn server_sign_in_settings(&self, server: ServerId) -> Result<SignInSettings, Problem> {
        self.0.servers.get(server)?.sign_in_settings().await
    }

    /// Sets how to sign in to a server, which is disconnected and signed out. Secrets go to where secrets
    /// are kept. One that is left out or empty stays while the settings name the party it was entered for.
    ///
    /// # Errors
    /// When it is gone, or something could not be kept.
    pub async fn server_sign_in_set(
        &self,
        server: ServerId,
        settings: SignInSettings,
        secrets: SignInSecrets,
    ) -> Result<(), Problem> {
        let secret = |text: Option<String>| text.filter(|text| !text.is_empty()).map(SecretString::from);
        let secrets = [secret(secrets.client), secret(secrets.company)];
        let server = self.0.servers.get(server)?;
        server.set_sign_in_settings(&settings, secrets).await
    }

    /// Calls off the sign-in that is on.
    pub fn server_sign_in_cancel(&self, server: ServerId) {
        if let Ok(server) = self.0.servers.get(server) {
            server.cancel_sign_in();
        }
    }

    /// Opens the page of the sign-in that is on once more.
    ///
    /// # Errors
    /// When no sign-in waits for a page, or the browser did not open.
    pub async fn server_sign_in_page(&self, server: ServerId) -> Result<(), Problem> {
        self.0.servers.get(server)?.open_page_again().await
    }

    /// Disconnects a server, and forgets its sign-in here and where it was made.
    ///
    /// # Errors
    /// When it may still be kept here, or still count there; the sentence says which.
    pub async fn server_sign_out(&self, server: ServerId) -> Result<(), Problem> {
        let server = self.0.servers.get(server)?;
        server.stop_and_wait().await;
        server.sign_out_for_good().await
    }

    /// Forgets the sign-in of a server and begins another, in which the page is asked who the user is.
    ///
    /// # Errors
    /// When the sign-in there was may still count, or the setting could not be stored.
    pub async fn server_switch_account(&self, server: ServerId) -> Result<(), Problem> {
        let handle = self.0.servers.get(server)?;
        handle.stop_and_wait().await;
        handle.sign_out().await?;
        handle.switch_account();
        self.server_sign_in(server).await
    }
}
