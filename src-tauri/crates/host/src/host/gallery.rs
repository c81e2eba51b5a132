//! The gallery: what the registry of the settings lists. It is asked when the user searches, and at no other time.

use vestibule_server_gallery::{Gallery, GalleryLimits, GalleryQuery, checked};
use vestibule_servers::config::connection;

use super::Host;
use crate::view::{GalleryPage, OFFICIAL_REGISTRY, Problem, SettingsChange};

impl Host {
    /// A page of what the registry lists for these words, or the one after it.
    ///
    /// # Errors
    /// Where the registry does not answer as its schema says.
    pub async fn gallery_search(&self, search: &str, cursor: Option<String>) -> Result<GalleryPage, Problem> {
        let address = self.settings().gallery_address;
        let gallery = Gallery::new(&address, self.0.models.proxies.clone(), GalleryLimits::default())?;
        let query = GalleryQuery {
            search: search.to_owned(),
            cursor,
        };
        let page = gallery
            .page(&query, |url| connection::address(url).map(drop))
            .await?;
        self.note_bundles(&address, &page);
        Ok(page)
    }
}

/// A change of the settings with the address of a registry as it is kept: the official one where it is empty.
///
/// # Errors
/// Where no registry may be at the address.
pub(super) fn with_registry(change: SettingsChange) -> Result<SettingsChange, Problem> {
    let Some(written) = &change.gallery_address else {
        return Ok(change);
    };
    let written = written.trim();
    let address = if written.is_empty() {
        OFFICIAL_REGISTRY
    } else {
        checked(written)?;
        written
    };
    let gallery_address = Some(address.to_owned());
    Ok(SettingsChange {
        gallery_address,
        ..change
    })
}
