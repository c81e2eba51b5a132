//! The Ledger screen: records page by page, checked, written to a file; and the memory of where the ledger ended,
//! kept in the keychain, so that an older copy put in its place is noticed. What is noticed is said until the user
//! takes the file as it is.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::{Value, json};
use vestibule_consent::{LedgerDoubt, WidenRequest, Widening};
use vestibule_policy::Mention;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerDraft, LedgerFilter, LedgerKind, LedgerRecord, Store, StoreError};

use super::Host;
use super::checkpoints::{self, CheckpointKey};
use super::export::Export;
use super::ledger_query::filter;
use crate::audit::{Remembered, checked};
use crate::view::{
    ChangeOutcome, ExportedFile, HeadState, HostEvent, LedgerCheck, LedgerPage, LedgerQuery, LedgerView,
    NameSeen, Problem, RemovedServerView, SeenByServer,
};
use vestibule_servers::config::secrets::{SecretName, Secrets};
use vestibule_servers::config::variables::hex;
use vestibule_servers::gone;

/// Records in a page: a window draws as many between two frames.
const PAGE: u32 = 20;
/// How often the end of the ledger is remembered while Vestibule runs.
const REMEMBER_EVERY: Duration = Duration::from_secs(60);

impl Host {
    /// A page of the ledger, newest first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn ledger_page(&self, query: LedgerQuery) -> Result<LedgerPage, Problem> {
        let filter = LedgerFilter {
            limit: PAGE,
            ..filter(query)
        };
        let records = self.0.store.ledger(filter).await?;
        let numbers: Vec<i64> = records.iter().map(|record| record.seq).collect();
        let mut names = self.0.store.ledger_names_of(&numbers).await?;
        let mut view = |record: LedgerRecord| {
            let names = names.remove(&record.seq).unwrap_or_default();
            view(record, names)
        };
        let removed = self.0.store.removed_servers().await?;
        Ok(LedgerPage {
            removed: removed.into_iter().map(RemovedServerView::from).collect(),
            more: records.len() >= PAGE as usize,
            records: records.into_iter().map(&mut view).collect(),
            newest: self.0.store.ledger_head().await?.seq,
            head: self.ledger_head_state(),
        })
    }

    /// Checks every record and every checkpoint.
    ///
    /// # Errors
    /// When the ledger cannot be read at all.
    pub async fn ledger_verify(&self) -> Result<LedgerCheck, Problem> {
        let began = Instant::now();
        let found = self.0.store.verify(|_, _| {}).await?;
        let checkpoints = self.0.store.checkpoints().await?;
        let key = CheckpointKey::load(&*self.0.secrets).await?;
        let check = checked(found, &checkpoints, key.as_ref(), began.elapsed());
        self.0.events.tell_after(|| {
            *self.0.ledger_check.lock().unwrap_or_else(PoisonError::into_inner) = Some(check.clone());
            Some(HostEvent::LedgerChecked { check: check.clone() })
        });
        Ok(check)
    }

    /// What the last check of the whole ledger came to, in this run.
    pub(super) fn ledger_check(&self) -> Option<LedgerCheck> {
        let check = self.0.ledger_check.lock();
        check.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks the ledger beside everything else that begins, so that what was changed while Vestibule was closed is
    /// reported without a request.
    pub(super) fn check_ledger(&self) {
        let host = self.clone();
        let closing = self.0.servers.closing();
        tokio::spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                checked = host.ledger_verify() => if let Err(problem) = checked {
                    tracing::warn!(%problem, "failed to verify the ledger");
                },
            }
        });
    }

    /// Writes what a query finds in the ledger as JSON lines into the data folder, oldest first. Each record has its
    /// hash and the one before, so that the file can be checked by itself
    /// ([`verify_export`](vestibule_store::verify_export)), and beside it the names that its seal does not cover: of
    /// its server and chat, and the files and hosts. One page is in memory at a time.
    ///
    /// # Errors
    /// When it cannot be read, or the file not be written.
    pub async fn ledger_export(&self, query: LedgerQuery) -> Result<ExportedFile, Problem> {
        let name = format!("ledger-{}.jsonl", Timestamp::now().strftime("%Y-%m-%d-%H%M%S"));
        let mut file = Export::create(self.0.data_folder.join("exports"), name).await?;
        let names = self.names_of_owners().await?;
        let wanted = LedgerFilter {
            before: None,
            limit: 1000,
            ..filter(query)
        };
        let (mut after, mut count) = (0, 0);
        loop {
            let filter = LedgerFilter {
                after: Some(after),
                ..wanted.clone()
            };
            let page = self.0.store.ledger(filter).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            count += page.len() as u64;
            let records: Vec<i64> = page.iter().map(|record| record.seq).collect();
            let places = self.0.store.ledger_names_of(&records).await?;
            let line = |record| line(record, &names, places.get(&record.seq).map_or(&[], Vec::as_slice));
            file = file.write(page.iter().map(line).collect::<String>()).await?;
        }
        let path = file.finish().await?;
        Ok(ExportedFile { path, count })
    }

    async fn names_of_owners(&self) -> Result<OwnerNames, Problem> {
        let here = self.0.store.servers().await?;
        let here = here.into_iter().map(|server| (server.id, server.name));
        let removed = self.0.store.removed_servers().await?;
        let removed = removed.into_iter().filter(|server| !server.name.is_empty());
        let chats = self.0.store.chats().await?.into_iter();
        // The title of a temporary chat is in no file.
        let chats = chats.filter(|chat| !chat.id.is_temporary());
        Ok(OwnerNames {
            servers: removed
                .map(|server| (server.id, server.name))
                .chain(here)
                .collect(),
            chats: chats.map(|chat| (chat.id, chat.title)).collect(),
        })
    }

    /// Deletes what the ledger knows of a removed server: its name, and the files and hosts its records name. The
    /// records stay, and the ledger says that this was done.
    ///
    /// # Errors
    /// When no such server was removed, or the change could not be kept.
    pub async fn ledger_forget_server(&self, server: ServerId) -> Result<(), Problem> {
        match self.0.store.forget_server(server).await {
            Err(StoreError::Unknown { .. }) => Err(gone()),
            done => Ok(done?),
        }
    }

    /// What a server received and what the effects through it named, to show what it could have seen; also of
    /// a server that was removed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn ledger_seen(&self, server: ServerId) -> Result<SeenByServer, Problem> {
        let names = self.0.store.ledger_names(server).await?;
        let names = names.into_iter().map(|name| NameSeen {
            named: name.named,
            records: name.records,
        });
        let mut shares = self.0.store.shares().await?;
        shares.retain(|share| share.server == server);
        Ok(SeenByServer {
            folders: shares.into_iter().map(|share| share.path).collect(),
            names: names.collect(),
        })
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

    /// Takes the ledger as it is, where it is not the newest there was, once the consent window was answered. That this
    /// was done is written into it.
    ///
    /// # Errors
    /// When it could not be written or remembered.
    pub async fn ledger_accept(&self) -> Result<ChangeOutcome, Problem> {
        let Some(doubt) = doubt(&self.ledger_head_state()) else {
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest::new(Widening::AcceptLedger(doubt));
        self.widen(request, move |host, _| async move {
            if self::doubt(&host.ledger_head_state()) != Some(doubt) {
                return Ok(false);
            }
            host.accept_ledger(doubt).await?;
            Ok(true)
        })
        .await
    }

    async fn accept_ledger(&self, doubt: LedgerDoubt) -> Result<(), Problem> {
        let body = match doubt {
            LedgerDoubt::Older { remembered, found } => json!({ "remembered": remembered, "found": found }),
            LedgerDoubt::Rewritten { seq } => json!({ "rewritten": seq }),
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
        let text = SecretString::from(format!("{}:{}", head.seq, hex(&head.hash)));
        self.0.secrets.set(&SecretName::LedgerHead, &text).await?;
        Ok(())
    }

    /// Signs the ledger and remembers where it ends: now and then as long as Vestibule runs, and whenever many records
    /// came at once.
    pub(super) fn watch_over_ledger(&self) {
        let host = self.clone();
        let closing = self.0.servers.closing();
        let mut end = self.0.store.ledger_end();
        tokio::spawn(async move {
            loop {
                host.secure_ledger().await;
                let enough = *end.borrow() + checkpoints::EVERY;
                tokio::select! {
                    () = closing.cancelled() => return,
                    () = tokio::time::sleep(REMEMBER_EVERY) => {}
                    _ = end.wait_for(|end| *end >= enough) => {}
                }
            }
        });
    }

    /// Signs the ledger and remembers where it ends. That either fails takes nothing from what is written already.
    pub(super) async fn secure_ledger(&self) {
        if let Err(error) = self.sign_ledger().await {
            tracing::warn!(%error, "failed to sign a ledger checkpoint");
        }
        if let Err(error) = self.remember_head().await {
            tracing::warn!(%error, "failed to store the ledger head in the keychain");
        }
    }
}

/// Compares the ledger with what the keychain remembers of it.
pub(super) async fn compare_head(store: &Store, secrets: &dyn Secrets) -> Result<HeadState, StoreError> {
    let remembered = Remembered::load(secrets).await;
    let Remembered::End { seq, .. } = remembered else {
        return Ok(remembered.judge(0, None));
    };
    let found = store.ledger_head().await?.seq;
    Ok(remembered.judge(found, store.ledger_hash(seq).await?))
}

/// How the ledger differs from what is remembered, where it does.
fn doubt(head: &HeadState) -> Option<LedgerDoubt> {
    match *head {
        HeadState::Older { remembered, found } => Some(LedgerDoubt::Older { remembered, found }),
        HeadState::Rewritten { seq } => Some(LedgerDoubt::Rewritten { seq }),
        HeadState::Continues | HeadState::First | HeadState::Unknown => None,
    }
}

/// The names of what records belong to, as far as they are known.
struct OwnerNames {
    servers: BTreeMap<ServerId, String>,
    chats: BTreeMap<ChatId, String>,
}

fn line(record: &LedgerRecord, names: &OwnerNames, places: &[Mention]) -> String {
    let (mut files, mut hosts) = (vec![], vec![]);
    for place in places {
        match place {
            Mention::File(path) => files.push(path),
            Mention::Host(host) => hosts.push(host),
        }
    }
    let line = json!({
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
        "server_name": record.server.and_then(|server| names.servers.get(&server)),
        "chat_title": record.chat.and_then(|chat| names.chats.get(&chat)),
        "files": files,
        "hosts": hosts,
    });
    format!("{line}\n")
}

fn view(record: LedgerRecord, names: Vec<Mention>) -> LedgerView {
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
        names,
        body: record.body,
        hash: hex(&record.hash),
    }
}
