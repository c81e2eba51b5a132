//! The Ledger screen: records page by page, checked, written to a file; and the memory of where the ledger ended,
//! kept in the keychain, so that an older copy put in its place is noticed. What is noticed is said until the person
//! takes the file as it is.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use vestibule_protocol::ServerId;
use vestibule_store::{
    Break, LedgerDraft, LedgerFilter, LedgerKind, LedgerReceipt, LedgerRecord, Store, StoreError,
    Verification,
};

use super::Host;
use crate::secrets::{SecretName, Secrets};
use crate::values::hex;
use crate::view::{
    ExportedFile, HeadState, LedgerBreak, LedgerCheck, LedgerPage, LedgerQuery, LedgerView, Problem,
    SecretsState,
};

/// Records a page.
const PAGE: u32 = 100;
/// How often the end of the ledger is remembered while Vestibule runs.
const REMEMBER_EVERY: Duration = Duration::from_secs(60);
/// Longest text that is looked for, in characters.
const WORDS: usize = 400;

impl Host {
    /// A page of the ledger, newest first.
    ///
    /// # Errors
    /// When it can not be read.
    pub async fn ledger_page(&self, query: LedgerQuery) -> Result<LedgerPage, Problem> {
        let words: String = query.words.chars().take(WORDS).collect();
        let kinds = LedgerKind::ALL
            .into_iter()
            .filter(|kind| query.kinds.iter().any(|wanted| wanted == kind.as_str()))
            .collect();
        let filter = LedgerFilter {
            before: query.before,
            limit: PAGE,
            server: query.server,
            object: query.object.filter(|object| !object.is_empty()),
            kinds,
            words: words.split_whitespace().map(str::to_owned).collect(),
            ..LedgerFilter::default()
        };
        let records = self.0.store.ledger(filter).await?;
        Ok(LedgerPage {
            more: records.len() >= PAGE as usize,
            records: records.into_iter().map(view).collect(),
            newest: self.0.store.ledger_head().await?.seq,
            head: self.ledger_head_state(),
        })
    }

    /// Checks every record.
    ///
    /// # Errors
    /// When the ledger can not be read at all.
    pub async fn ledger_verify(&self) -> Result<LedgerCheck, Problem> {
        let began = Instant::now();
        Ok(match self.0.store.verify(|_, _| {}).await? {
            Verification::Intact { records, .. } => LedgerCheck::Intact {
                records,
                took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            },
            Verification::Broken { seq, what } => LedgerCheck::Broken {
                seq,
                what: broken(what),
            },
        })
    }

    /// Writes the ledger, or what of it belongs to one server, as JSON lines into the data folder, oldest first; each
    /// record with its hash and the one before, so that the file can be checked by itself.
    ///
    /// # Errors
    /// When it can not be read, or the file not be written.
    pub async fn ledger_export(&self, server: Option<ServerId>) -> Result<ExportedFile, Problem> {
        let mut pages = vec![];
        let mut before = None;
        loop {
            let filter = LedgerFilter {
                before,
                server,
                limit: 1000,
                ..LedgerFilter::default()
            };
            let page = self.0.store.ledger(filter).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.seq);
            let lines = page.iter().rev().fold(String::new(), |mut text, record| {
                text.push_str(&line(record).to_string());
                text.push('\n');
                text
            });
            pages.push((page.len(), lines));
        }
        let count = pages.iter().map(|(count, _)| *count as u64).sum();
        let name = format!("ledger-{}.jsonl", Timestamp::now().strftime("%Y-%m-%d-%H%M%S"));
        let path = self
            .written(name, pages.into_iter().rev().map(|(_, lines)| lines))
            .await?;
        Ok(ExportedFile { path, count })
    }

    /// Whether the file is the newest there was.
    #[must_use]
    pub fn ledger_head_state(&self) -> HeadState {
        self.0
            .ledger_head
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes the ledger as it is, where it is not the newest there was. That this was done is written into it.
    ///
    /// # Errors
    /// When it could not be written or remembered.
    pub async fn ledger_accept(&self) -> Result<(), Problem> {
        let body = match self.ledger_head_state() {
            HeadState::Older { remembered, found } => json!({ "remembered": remembered, "found": found }),
            HeadState::Rewritten { seq } => json!({ "rewritten": seq }),
            HeadState::Continues | HeadState::First | HeadState::Unknown => return Ok(()),
        };
        let note = LedgerDraft {
            kind: LedgerKind::Config,
            server: None,
            chat: None,
            action: "ledger.accept".into(),
            object: String::new(),
            decision: None,
            because: Value::Null,
            body,
        };
        self.0.store.append(note).await?;
        *self.0.ledger_head.lock().unwrap_or_else(PoisonError::into_inner) = HeadState::Continues;
        self.remember_head().await
    }

    /// Remembers where the ledger ends, unless it is not the newest there was.
    ///
    /// # Errors
    /// When it could not be read or remembered.
    pub(super) async fn remember_head(&self) -> Result<(), Problem> {
        if matches!(
            self.ledger_head_state(),
            HeadState::Older { .. } | HeadState::Rewritten { .. }
        ) {
            return Ok(());
        }
        let head = self.0.store.ledger_head().await?;
        let text = format!("{}:{}", head.seq, hex(&head.hash));
        self.0
            .secrets
            .set(&SecretName::LedgerHead, &SecretString::from(text))
            .await?;
        Ok(())
    }

    /// Remembers the end of the ledger now and then, as long as Vestibule runs.
    pub(super) fn keep_remembering_head(&self) {
        let host = self.clone();
        let closing = self.0.registry.closing();
        tokio::spawn(async move {
            loop {
                if let Err(error) = host.remember_head().await {
                    tracing::warn!(%error, "where the ledger ends could not be remembered");
                }
                tokio::select! {
                    () = closing.cancelled() => return,
                    () = tokio::time::sleep(REMEMBER_EVERY) => {}
                }
            }
        });
    }

    async fn written(
        &self,
        name: String,
        parts: impl Iterator<Item = String> + Send + 'static,
    ) -> Result<String, Problem> {
        let folder = self.0.data_folder.join("exports");
        let path: PathBuf = folder.join(name);
        let shown = path.display().to_string();
        let write = move || -> std::io::Result<()> {
            std::fs::create_dir_all(&folder)?;
            let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
            for part in parts {
                file.write_all(part.as_bytes())?;
            }
            file.into_inner()
                .map_err(std::io::IntoInnerError::into_error)?
                .sync_all()
        };
        let failed = |detail: String| Problem::NotExported {
            path: shown.clone(),
            detail,
        };
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => Ok(shown),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

/// Compares the ledger with what the keychain remembers of it.
pub(super) async fn compare_head(store: &Store, secrets: &dyn Secrets) -> Result<HeadState, StoreError> {
    let remembered = match secrets.get(&SecretName::LedgerHead).await {
        Ok(Some(text)) => text,
        Ok(None) => {
            let lasting = matches!(secrets.state(), SecretsState::Keychain);
            return Ok(if lasting {
                HeadState::First
            } else {
                HeadState::Unknown
            });
        }
        Err(_) => return Ok(HeadState::Unknown),
    };
    let Some((seq, hash)) = remembered.expose_secret().split_once(':') else {
        return Ok(HeadState::Unknown);
    };
    let Ok(seq) = seq.parse::<i64>() else {
        return Ok(HeadState::Unknown);
    };
    let LedgerReceipt { seq: found, .. } = store.ledger_head().await?;
    if found < seq {
        return Ok(HeadState::Older {
            remembered: seq,
            found,
        });
    }
    let at = LedgerFilter {
        before: Some(seq + 1),
        limit: 1,
        ..LedgerFilter::default()
    };
    let record = store.ledger(at).await?.pop();
    let same = match record {
        Some(record) => record.seq == seq && hex(&record.hash) == hash,
        None => seq == 0,
    };
    Ok(if same {
        HeadState::Continues
    } else {
        HeadState::Rewritten { seq }
    })
}

fn line(record: &LedgerRecord) -> Value {
    json!({
        "seq": record.seq,
        "at": record.at.to_string(),
        "kind": record.kind.as_str(),
        "server": record.server,
        "chat": record.chat,
        "action": record.action,
        "object": record.object,
        "decision": record.decision,
        "because": record.because,
        "body": record.body,
        "prev": hex(&record.prev),
        "hash": hex(&record.hash),
    })
}

fn view(record: LedgerRecord) -> LedgerView {
    LedgerView {
        seq: record.seq,
        at_ms: record.at.as_millisecond(),
        kind: record.kind.as_str().to_owned(),
        server: record.server,
        chat: record.chat,
        action: record.action,
        object: record.object,
        decision: record.decision,
        // Reasons of a later version are not shown rather than shown wrongly; the record keeps them.
        because: serde_json::from_value(record.because).unwrap_or_default(),
        body: record.body,
        hash: hex(&record.hash),
    }
}

fn broken(what: Break) -> LedgerBreak {
    match what {
        Break::Altered => LedgerBreak::Altered,
        Break::Missing => LedgerBreak::Missing,
        Break::Inserted => LedgerBreak::Inserted,
        Break::Reordered => LedgerBreak::Reordered,
        Break::Truncated => LedgerBreak::Truncated,
        Break::HeadMissing => LedgerBreak::HeadMissing,
    }
}
