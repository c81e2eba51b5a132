//! The settings of the user: read, kept within bounds, and written to the database one change after the other. Other
//! parts subscribe to the changes.

use std::time::Duration;

use tokio::sync::watch;

use super::Host;
use super::gallery::with_registry;
use crate::view::{HostEvent, Problem, Settings, SettingsChange};

impl Host {
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.0.settings.borrow().clone()
    }

    /// The settings as they are now, and each change of them.
    #[must_use]
    pub fn settings_changes(&self) -> watch::Receiver<Settings> {
        self.0.settings.subscribe()
    }

    /// Changes the settings: on disk first. Changes that come at once are made one after the other.
    ///
    /// # Errors
    /// When they could not be written, or no registry may be at its address; the old ones then hold.
    pub async fn settings_save(&self, change: SettingsChange) -> Result<(), Problem> {
        let change = with_registry(change)?;
        if let Some(model) = change.default_model {
            self.pin_chats(self.settings().default_model, model).await?;
        }
        self.change_settings(|settings| Some(settings.with(change)))
            .await?;
        Ok(())
    }

    /// Makes a change of the settings, and says whether `change` wanted one.
    pub(super) async fn change_settings(
        &self,
        change: impl FnOnce(Settings) -> Option<Settings>,
    ) -> Result<bool, Problem> {
        let _one_at_a_time = self.0.saving_settings.lock().await;
        let Some(settings) = change(self.settings()).map(within_bounds) else {
            return Ok(false);
        };
        let value = serde_json::to_value(&settings).expect("settings are plain data");
        self.0.store.put_setting("settings", value).await?;
        self.0
            .servers
            .set_call_timeout(Duration::from_secs(settings.call_timeout_s.into()));
        self.0.events.tell_after(|| {
            self.0.settings.send_replace(settings.clone());
            Some(HostEvent::Settings { settings })
        });
        Ok(true)
    }
}

/// Settings no one can lock themselves out with.
fn within_bounds(settings: Settings) -> Settings {
    Settings {
        max_rounds: settings.max_rounds.clamp(1, 100),
        call_timeout_s: settings.call_timeout_s.clamp(5, 3600),
        zoom: settings.zoom.clamp(50, 200),
        picture_edge: settings.picture_edge.clamp(256, 4096),
        pictures_sent: settings.pictures_sent.clamp(1, 16),
        compact_at: settings.compact_at.clamp(50, 95),
        ..settings
    }
}
