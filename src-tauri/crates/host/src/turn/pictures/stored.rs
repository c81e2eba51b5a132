//! Reads the pictures of a request that are kept beside their entries. Only those that are sent are read.

use vestibule_chat_tools::for_model::named_picture;
use vestibule_models::{ModelMessage, ResultPart};
use vestibule_store::{BlobKind, Store};

use super::pictures_of;
use vestibule_servers::stored_parts::media_of;

/// Puts the bytes of stored pictures where their names are, or a sentence where they cannot be read.
pub(crate) async fn read_stored(store: &Store, messages: &mut [ModelMessage]) {
    for part in messages.iter_mut().flat_map(pictures_of) {
        let ResultPart::Image { mime, base64 } = part else {
            continue;
        };
        let Some((entry, number)) = named_picture(base64) else {
            continue;
        };
        let read = media_of(store, entry, number, BlobKind::Image).await;
        if let Err(error) = &read {
            tracing::error!(%entry, %error, "failed to read a stored picture");
        }
        match read.ok().flatten() {
            Some(bytes) => *base64 = bytes,
            None => {
                let words = format!("[a picture ({mime}) stood here; it is left out: it could not be read]");
                *part = ResultPart::Text(words);
            }
        }
    }
}
