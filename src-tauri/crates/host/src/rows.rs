//! The signatures of rows that permit something: the key and the newest generation in the keychain, and what follows
//! when either is not there. A database without signatures is signed once, as far as its ledger proves its rows.

mod proof;

use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use vestibule_store::{
    LedgerDraft, LedgerFile, LedgerFilter, LedgerKind, LedgerRecord, RowFault, RowKey, RowRef, Store,
    StoreError,
};

use crate::view::{HeadState, Problem, RowsProtection, SecretsState};
use proof::Proof;
use vestibule_servers::config::secrets::{SecretName, Secrets, SecretsError};

/// What was found about the signatures at the start.
pub(crate) struct RowsOpened {
    pub(crate) protection: RowsProtection,
    /// Accepted tools that were signed although the ledger does not say when they were accepted.
    pub(crate) unproven_tools: u32,
    /// The list of signatures was changed or put back.
    pub(crate) list_changed: bool,
}

/// Reads the key and checks or signs the rows with it.
///
/// # Errors
/// When the database cannot be read or written.
pub(crate) async fn open(
    store: &Store,
    secrets: &dyn Secrets,
    head: &HeadState,
) -> Result<RowsOpened, Problem> {
    let opened = |protection| RowsOpened {
        protection,
        unproven_tools: 0,
        list_changed: false,
    };
    let kept = match secrets.state() {
        SecretsState::Keychain => StoredHead::load(secrets).await.map_err(|error| error.to_string()),
        SecretsState::MemoryOnly { detail } => Err(detail),
    };
    match kept {
        Ok(Some(StoredHead { key, generation })) => {
            let list_changed = !store.use_row_key(key, generation).await?;
            if list_changed {
                let draft = config(LIST, String::new(), json!({ "remembered": generation }));
                note_once(store, LIST, vec![draft]).await?;
            }
            Ok(RowsOpened {
                list_changed,
                ..opened(RowsProtection::Signed)
            })
        }
        Ok(None) => {
            let unproven_tools = sign(store, secrets, head).await?;
            Ok(RowsOpened {
                unproven_tools,
                ..opened(RowsProtection::Signed)
            })
        }
        Err(detail) if store.has_signed_rows().await? => {
            store.row_key_is_away();
            Ok(opened(RowsProtection::Unchecked { detail }))
        }
        Err(detail) => Ok(opened(RowsProtection::Off { detail })),
    }
}

/// Signs the rows for the first time with a new key. Gives back how many tools the ledger says nothing about.
async fn sign(store: &Store, secrets: &dyn Secrets, head: &HeadState) -> Result<u32, Problem> {
    let proof = Proof::load(store, secrets, head).await?;
    let text = SecretString::from(format!("{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4()));
    let count = proof.unproven_tools();
    let generation = store
        .sign_rows(RowKey::new(text.clone()), 0, move |row| proof.covers(row))
        .await?;
    let unproven = count.load(std::sync::atomic::Ordering::Relaxed);
    let note = config("rows.sign", String::new(), json!({ "unproven_tools": unproven }));
    store.append(note).await?;
    // The rows are signed first: with a key and no signatures, no row would count.
    let kept = match remember_generation(secrets, generation).await {
        Ok(()) => secrets.set(&SecretName::RowKey, &text).await,
        Err(error) => Err(error),
    };
    if let Err(error) = kept {
        tracing::warn!(%error, "the key of signed rows was not kept; the next start signs them again from the ledger");
    }
    Ok(unproven)
}

/// Remembers the newest generation, so that an older list is noticed.
///
/// # Errors
/// When the keychain does not keep it.
pub(crate) async fn remember_generation(secrets: &dyn Secrets, generation: i64) -> Result<(), SecretsError> {
    let text = SecretString::from(generation.to_string());
    secrets.set(&SecretName::RowGeneration, &text).await
}

/// Writes each finding to the ledger, once. Of more than [`MOST_FOUND`] only the number is written.
///
/// # Errors
/// When the ledger cannot be read or written.
pub(crate) async fn note_findings(store: &Store, found: &[(RowRef, RowFault)]) -> Result<(), StoreError> {
    let mut drafts: Vec<LedgerDraft> = found
        .iter()
        .take(MOST_FOUND)
        .map(|(name, fault)| {
            let body = json!({ "table": name.table.as_str(), "found": fault.as_str() });
            config(QUARANTINE, name.id.chars().take(LONGEST_ID).collect(), body)
        })
        .collect();
    if found.len() > MOST_FOUND {
        drafts.push(config(QUARANTINE, String::new(), json!({ "all": found.len() })));
    }
    note_once(store, QUARANTINE, drafts).await
}

/// Writes the drafts that are not yet among the newest records of this action.
async fn note_once(store: &Store, action: &str, drafts: Vec<LedgerDraft>) -> Result<(), StoreError> {
    if drafts.is_empty() {
        return Ok(());
    }
    let filter = LedgerFilter {
        action: Some(action.to_owned()),
        limit: 1000,
        ..LedgerFilter::default()
    };
    let noted = store.ledger(filter).await?;
    for draft in drafts {
        let is_noted = |record: &LedgerRecord| record.object == draft.object && record.body == draft.body;
        if !noted.iter().any(is_noted) {
            store.append(draft).await?;
        }
    }
    Ok(())
}

/// Findings that are shown and written one by one.
pub(crate) const MOST_FOUND: usize = 256;
/// Characters of a row's id that the ledger gets; an edited file can hold ids of any length.
const LONGEST_ID: usize = 400;
const QUARANTINE: &str = "rows.quarantine";
const LIST: &str = "rows.list";

fn config(action: &str, object: String, body: Value) -> LedgerDraft {
    LedgerDraft {
        kind: LedgerKind::Config,
        server: None,
        chat: None,
        action: action.to_owned(),
        object,
        decision: None,
        because: Value::Null,
        body,
    }
}

/// What checking the rows of a file found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowsCheck {
    /// No keychain answers, or it has no key.
    NoKey,
    /// The file has no list of signed rows.
    NoList,
    /// The rows that do not match; none where all do.
    Checked(Vec<(RowRef, RowFault)>),
}

/// Checks the rules, servers and accepted tools of a file that need not be open here.
///
/// # Errors
/// When the file cannot be read.
pub async fn check_rows_of_file(path: &Path, secrets: &dyn Secrets) -> Result<RowsCheck, StoreError> {
    let Ok(Some(StoredHead { key, generation })) = StoredHead::load(secrets).await else {
        return Ok(RowsCheck::NoKey);
    };
    let found = LedgerFile::open(path)?.faulty_rows(key, generation)?;
    Ok(found.map_or(RowsCheck::NoList, RowsCheck::Checked))
}

/// What the keychain keeps.
struct StoredHead {
    key: RowKey,
    generation: i64,
}

impl StoredHead {
    async fn load(secrets: &dyn Secrets) -> Result<Option<Self>, SecretsError> {
        let Some(key) = secrets.get(&SecretName::RowKey).await? else {
            return Ok(None);
        };
        let generation = secrets.get(&SecretName::RowGeneration).await?;
        let generation = generation.and_then(|text| text.expose_secret().parse().ok());
        Ok(Some(Self {
            key: RowKey::new(key),
            generation: generation.unwrap_or_default(),
        }))
    }
}
