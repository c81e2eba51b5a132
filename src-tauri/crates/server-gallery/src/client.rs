//! Asks a registry for a page of its list: one GET request without cookies or keys, no redirect, limits on size and time.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;
use url::Url;
use vestibule_app_protocol::{GalleryPage, GalleryProblem, Problem};
use vestibule_config_import::AddressCheck;
use vestibule_egress::header::{ACCEPT, HeaderValue, LOCATION};
use vestibule_egress::{
    Egress, EgressError, HeaderMap, HttpAnswer, MemoryBudget, Method, NetworkReach, Proxies, Route,
};

use crate::text::bounded;
use crate::{address, page};

/// How many entries are asked for at once.
const PAGE: usize = 30;
/// The longest text that is searched for, in characters.
const LONGEST_SEARCH: usize = 200;
/// The most of a refusal that is read, in bytes.
const REFUSAL: usize = 8 * 1024;
/// The longest words of a registry about a refusal, in characters.
const LONGEST_WORDS: usize = 300;

/// How much and how long a registry may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryLimits {
    /// One page, in bytes. Default 4 MiB.
    pub page: usize,
    /// The whole of an exchange. Default 20 seconds.
    pub answer: Duration,
}

impl Default for GalleryLimits {
    fn default() -> Self {
        Self {
            page: 4 * 1024 * 1024,
            answer: Duration::from_secs(20),
        }
    }
}

/// A page that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GalleryQuery {
    /// Words of names and descriptions; all servers where it is empty.
    pub search: String,
    /// What the page before gave for the next one.
    pub cursor: Option<String>,
}

/// A registry at an address.
pub struct Gallery {
    base: Url,
    host: String,
    egress: Egress,
    limits: GalleryLimits,
}

impl Gallery {
    /// The registry at this address. Nothing is sent yet.
    ///
    /// # Errors
    /// Where no registry may be there, or the proxy in between cannot be used.
    pub fn new(written: &str, proxies: Proxies, limits: GalleryLimits) -> Result<Self, Problem> {
        let base = address::checked(written)?;
        let host = address::host(&base);
        let route = Route {
            proxies,
            ..Route::new(NetworkReach::for_gallery(&base))
        };
        let egress = Egress::along(&base, &route).map_err(|error| failed(&host, error, limits))?;
        Ok(Self {
            base,
            host,
            egress,
            limits,
        })
    }

    /// Asks for a page. `check` says why no server may be at an address.
    ///
    /// # Errors
    /// [`GalleryProblem`], where the registry does not answer as its schema says.
    pub async fn page(&self, query: &GalleryQuery, check: AddressCheck) -> Result<GalleryPage, Problem> {
        let asked = timeout(self.limits.answer, self.answer(query)).await;
        let slow = || failed(&self.host, EgressError::TimedOut(self.limits.answer), self.limits);
        let body = asked.map_err(|_| slow())??;
        Ok(page::read(&body, &self.host, query.cursor.as_deref(), check)?)
    }

    /// The body of the answer to a query.
    async fn answer(&self, query: &GalleryQuery) -> Result<Vec<u8>, GalleryProblem> {
        let search: String = query.search.trim().chars().take(LONGEST_SEARCH).collect();
        let wanted = address::of_page(&self.base, &search, query.cursor.as_deref(), PAGE);
        let failed = |error| failed(&self.host, error, self.limits);
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let patience = self.limits.answer;
        #[expect(
            clippy::disallowed_methods,
            reason = "a registry is no server, and nothing of a server is sent"
        )]
        let sent = self.egress.send(Method::GET, &wanted, headers, None, patience);
        let answer = sent.await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(self.refusal(answer).await);
        }
        let mut share = MemoryBudget::new(self.limits.page).share();
        let body = answer.whole(self.limits.page, patience, &mut share).await;
        Ok(body.map_err(failed)?.to_vec())
    }

    /// Why an answer is no page, in the words of the registry where it has some.
    async fn refusal(&self, answer: HttpAnswer) -> GalleryProblem {
        let status = answer.status();
        let host = self.host.clone();
        let location = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        if let Some(to) = location.filter(|_| status.is_redirection()) {
            let to = bounded(to, LONGEST_WORDS);
            return GalleryProblem::RegistryMoved { host, to };
        }
        let body = answer.beginning(REFUSAL, self.limits.answer).await;
        GalleryProblem::RegistryRefused {
            host,
            status: status.as_u16(),
            detail: words(&body),
        }
    }
}

/// What a registry says of a refusal: `error` by its document, `detail` or `title` as it does.
fn words(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let said = ["error", "detail", "title"]
        .iter()
        .find_map(|member| body[member].as_str());
    bounded(said.unwrap_or_default(), LONGEST_WORDS)
}

fn failed(host: &str, error: EgressError, limits: GalleryLimits) -> GalleryProblem {
    let host = host.to_owned();
    match error {
        EgressError::TimedOut(_) => GalleryProblem::RegistrySlow {
            host,
            seconds: u32::try_from(limits.answer.as_secs()).unwrap_or(u32::MAX),
        },
        EgressError::TooLarge(_) | EgressError::Crowded => GalleryProblem::RegistryTooLarge {
            host,
            limit_mb: u32::try_from(limits.page / (1024 * 1024)).unwrap_or(u32::MAX),
        },
        EgressError::Compressed(_) => GalleryProblem::RegistryUnreadable {
            host,
            detail: error.to_string(),
        },
        error => GalleryProblem::RegistryUnreachable {
            host,
            detail: error.to_string(),
        },
    }
}
