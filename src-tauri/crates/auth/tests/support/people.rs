//! A user with a browser that follows the page's redirect, and a keychain that can be locked.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use axum::http::{HeaderMap, Method};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::watch;
use tokio::time::timeout;
use url::Url;
use vestibule_app_protocol::SignInOddity;
use vestibule_auth::*;
use vestibule_egress::{Egress, HttpAnswer, NetworkReach};

use super::BOUND;

/// What the browser was shown at the end.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) status: u16,
    pub(crate) policy: String,
    pub(crate) body: String,
}

/// Says yes unless told otherwise, and never to secrets going elsewhere.
#[derive(Default)]
pub(crate) struct Visitor {
    pub(crate) asked: Mutex<Vec<SignInPrompt>>,
    /// The authorization servers that were asked about before anything was sent to them.
    pub(crate) looked_up: Mutex<Vec<LookUpPrompt>>,
    pub(crate) pages: Mutex<Vec<Url>>,
    shown: watch::Sender<Vec<Shown>>,
    pub(crate) declines: AtomicBool,
    pub(crate) accepts_elsewhere: AtomicBool,
    /// Never comes back from the page.
    pub(crate) stays_away: AtomicBool,
    /// Sends these to the listener before the answer, with the right Host unless it holds one.
    pub(crate) before: Mutex<Vec<&'static str>>,
    consents: AtomicUsize,
    /// What the browser is shown at the end.
    pub(crate) callback_page: Mutex<CallbackPage>,
}

impl Visitor {
    pub(crate) fn consented(&self) -> bool {
        self.consents.load(Ordering::SeqCst) > 0
    }

    pub(crate) fn asked(&self) -> Vec<SignInPrompt> {
        self.asked.lock().unwrap().clone()
    }

    /// What the browser was shown at the end, this often.
    pub(crate) async fn shown(&self, times: usize) -> Vec<Shown> {
        let mut shown = self.shown.subscribe();
        let waited = timeout(BOUND, shown.wait_for(|shown| shown.len() >= times)).await;
        waited.expect("the browser is answered in time").unwrap().clone()
    }

    pub(crate) fn decline(&self, declines: bool) {
        self.declines.store(declines, Ordering::SeqCst);
    }
}

#[async_trait]
impl UserAgent for Visitor {
    fn callback_page(&self) -> CallbackPage {
        self.callback_page.lock().unwrap().clone()
    }

    async fn look_up(&self, request: LookUpPrompt) -> Result<(), Declined> {
        self.looked_up.lock().unwrap().push(request);
        if self.declines.load(Ordering::SeqCst) {
            return Err(Declined);
        }
        Ok(())
    }

    async fn looked_up(&self, _found: bool) {}

    async fn consent(&self, request: SignInPrompt) -> Result<Approved, Declined> {
        self.asked.lock().unwrap().push(request.clone());
        let elsewhere = request
            .oddities
            .iter()
            .any(|it| matches!(it, SignInOddity::OtherOrigin { .. }));
        if self.declines.load(Ordering::SeqCst) || elsewhere && !self.accepts_elsewhere.load(Ordering::SeqCst)
        {
            return Err(Declined);
        }
        self.consents.fetch_add(1, Ordering::SeqCst);
        Ok(request.approve())
    }

    async fn open(&self, approved: &Approved, page: &Url) -> Result<(), PageNotOpened> {
        assert_eq!(
            approved.request().authorization_endpoint.as_ref().map(Url::path),
            Some(page.path())
        );
        self.pages.lock().unwrap().push(page.clone());
        let before = self.before.lock().unwrap().clone();
        let redirect_uri = page
            .query_pairs()
            .find(|(name, _)| name == "redirect_uri")
            .unwrap()
            .1;
        for query in before {
            let target: Url = format!("{redirect_uri}{query}").parse().unwrap();
            let refused = get(&target).await.map_err(PageNotOpened)?;
            assert_eq!(refused.status().as_u16(), 400, "{query}");
        }
        let answer = get(page).await.map_err(PageNotOpened)?;
        let Some(location) = answer.headers().get("location") else {
            return Err(PageNotOpened(format!(
                "the page answered {}",
                answer.status().as_u16()
            )));
        };
        let target: Url = location.to_str().unwrap().parse().unwrap();
        if self.stays_away.load(Ordering::SeqCst) {
            return Ok(());
        }
        // A browser is a program of its own.
        let shown = self.shown.clone();
        tokio::spawn(async move {
            let back = get(&target).await?;
            let status = back.status().as_u16();
            let policy = back.headers().get("content-security-policy").cloned();
            let body = String::from_utf8(back.beginning(1 << 16, BOUND).await.to_vec()).unwrap();
            let policy = policy
                .map(|it| it.to_str().unwrap().to_owned())
                .unwrap_or_default();
            shown.send_modify(|shown| shown.push(Shown { status, policy, body }));
            Ok::<_, String>(())
        });
        Ok(())
    }
}

async fn get(address: &Url) -> Result<HttpAnswer, String> {
    let egress = Egress::new(address, NetworkReach::Local).map_err(|error| error.to_string())?;
    let answer = egress
        .send(Method::GET, address, HeaderMap::new(), None, BOUND)
        .await;
    answer.map_err(|error| error.to_string())
}

/// Keeps secrets in memory.
#[derive(Default)]
pub(crate) struct Keychain {
    pub(crate) held: Mutex<HashMap<String, String>>,
    pub(crate) locked: AtomicBool,
    pub(crate) full: AtomicBool,
}

impl Keychain {
    /// Whether a secret holds this text, also while the keychain is locked.
    pub(crate) fn keeps(&self, text: &str) -> bool {
        let held = self.held.lock().unwrap();
        held.values().any(|secret| secret.contains(text))
    }

    fn opened(&self) -> Result<std::sync::MutexGuard<'_, HashMap<String, String>>, VaultError> {
        if self.locked.load(Ordering::SeqCst) {
            return Err(VaultError("it is locked".to_owned()));
        }
        Ok(self.held.lock().unwrap())
    }
}

#[async_trait]
impl Vault for Keychain {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        Ok(self.opened()?.get(name).map(|value| value.clone().into()))
    }

    async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
        if self.full.load(Ordering::SeqCst) {
            return Err(VaultError("it is full".to_owned()));
        }
        let value = secret.expose_secret().to_owned();
        self.opened()?.insert(name.to_owned(), value);
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), VaultError> {
        self.opened()?.remove(name);
        Ok(())
    }
}
