//! Connections of a database in which each model had an address and a key of its own. Those with the same address, wire
//! and key are one connection. Only the keychain knows the keys, so the database could not find it out by itself.

use secrecy::{ExposeSecret, SecretString};
use vestibule_app_protocol::{Problem, SecretsState};
use vestibule_protocol::ConnectionId;
use vestibule_servers::config::secrets::SecretName;
use vestibule_store::ConnectionRecord;

use super::Models;

/// Makes one connection of those that are the same. Where the keychain does not answer, that is left to another
/// run: keys that cannot be compared are never taken for equal.
pub async fn merge_connections(models: &Models) -> Result<(), Problem> {
    let all = models.store.connections().await?;
    let unmerged: Vec<ConnectionRecord> = all.into_iter().filter(|one| one.unmerged).collect();
    if unmerged.is_empty() || models.secrets.state() != SecretsState::Keychain {
        return Ok(());
    }
    let mut groups: Vec<(ConnectionRecord, Option<SecretString>, Vec<ConnectionId>)> = vec![];
    for one in unmerged {
        let Ok(key) = models.kept.key(&*models.secrets, one.id).await else {
            return Ok(());
        };
        let same = groups.iter_mut().find(|(first, first_key, _)| {
            (&first.wire, &first.base_url) == (&one.wire, &one.base_url) && is_equal(first_key, &key)
        });
        match same {
            Some((_, _, ids)) => ids.push(one.id),
            None => groups.push((one.clone(), key, vec![one.id])),
        }
    }
    let groups: Vec<Vec<ConnectionId>> = groups.into_iter().map(|(_, _, ids)| ids).collect();
    models.store.merge_connections(groups.clone()).await?;
    for merged in groups.iter().flat_map(|ids| ids.iter().skip(1)) {
        models.kept.forget(*merged).await;
        if let Err(error) = models.secrets.remove(&SecretName::ConnectionKey(*merged)).await {
            tracing::warn!(%error, "failed to remove the second copy of a key from the keychain");
        }
    }
    Ok(())
}

fn is_equal(one: &Option<SecretString>, other: &Option<SecretString>) -> bool {
    let exposed = |key: &Option<SecretString>| key.as_ref().map(|key| key.expose_secret().to_owned());
    exposed(one) == exposed(other)
}
