//! Downloads an archive that a registry lists: GET requests without cookies or keys, limits on size, time and the number of
//! redirects. A redirect is a request of its own, whose address is judged like the first; what arrives is compared with the
//! digest of the registry by the caller.

use std::io::Write;
use std::time::Duration;

use tokio::time::timeout;
use url::Url;
use vestibule_app_protocol::{BundleFault, BundleProblem};
use vestibule_egress::header::{ACCEPT, HeaderValue, LOCATION};
use vestibule_egress::{Egress, EgressError, HeaderMap, HttpAnswer, Method, NetworkReach, Proxies, Route};

use crate::address;

/// How much and how long a download may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadLimits {
    /// The archive, in bytes.
    pub bytes: u64,
    /// The longest wait for a part of it. Default 30 seconds.
    pub part: Duration,
    /// The whole download. Default 15 minutes.
    pub whole: Duration,
    /// How often it may be forwarded. Default 5.
    pub redirects: usize,
}

impl DownloadLimits {
    /// The usual waits, for at most this many bytes.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        Self {
            bytes,
            part: Duration::from_secs(30),
            whole: Duration::from_mins(15),
            redirects: 5,
        }
    }
}

/// A download of one archive.
pub struct BundleDownload {
    proxies: Proxies,
    reach: NetworkReach,
    limits: DownloadLimits,
}

impl BundleDownload {
    /// A download from what a registry lists. Nothing is sent yet.
    #[must_use]
    pub fn new(registry: &Url, proxies: Proxies, limits: DownloadLimits) -> Self {
        Self {
            proxies,
            reach: NetworkReach::for_bundle(registry),
            limits,
        }
    }

    /// Downloads an archive. Dropping this ends it.
    ///
    /// # Errors
    /// Why it did not arrive as a whole.
    pub async fn fetch(&self, written: &str, to: &mut (impl Write + Send)) -> Result<(), BundleProblem> {
        let mut host = written.to_owned();
        let fetched = timeout(self.limits.whole, self.follow(written, &mut host, to)).await;
        let fetched = fetched.unwrap_or_else(|_| Err(EgressError::TimedOut(self.limits.whole).into()));
        fetched.map_err(|error| match error {
            FetchEnd::Problem(problem) => problem,
            FetchEnd::Because(detail) => BundleProblem::BundleNotDownloaded { host, detail },
        })
    }

    async fn follow(
        &self,
        written: &str,
        host: &mut String,
        to: &mut (impl Write + Send),
    ) -> Result<(), FetchEnd> {
        let mut wanted = Url::parse(written).map_err(|error| FetchEnd::Because(error.to_string()))?;
        for _ in 0..=self.limits.redirects {
            *host = address::host(&wanted);
            let answer = self.ask(&wanted).await?;
            let status = answer.status();
            if !status.is_redirection() {
                if !status.is_success() {
                    return Err(FetchEnd::Because(format!(
                        "it answered with status {}",
                        status.as_u16()
                    )));
                }
                return self.keep(answer, written, to).await;
            }
            let location = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let next = location.and_then(|to| wanted.join(to).ok());
            wanted = next.ok_or_else(|| FetchEnd::Because("it forwards to no address".to_owned()))?;
        }
        Err(FetchEnd::Because("it forwards too often".to_owned()))
    }

    async fn ask(&self, wanted: &Url) -> Result<HttpAnswer, FetchEnd> {
        let route = Route {
            proxies: self.proxies.clone(),
            ..Route::new(self.reach)
        };
        let egress = Egress::along(wanted, &route)?;
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("*/*"))]);
        #[expect(
            clippy::disallowed_methods,
            reason = "the user asked for this download, and nothing of a server is sent"
        )]
        let sent = egress.send(Method::GET, wanted, headers, None, self.limits.part);
        Ok(sent.await?)
    }

    async fn keep(
        &self,
        mut answer: HttpAnswer,
        written: &str,
        to: &mut (impl Write + Send),
    ) -> Result<(), FetchEnd> {
        answer.check_encoding()?;
        let mut bytes = 0;
        loop {
            let part = timeout(self.limits.part, answer.chunk()).await;
            let part = part.map_err(|_| EgressError::TimedOut(self.limits.part))??;
            let Some(part) = part else { return Ok(()) };
            bytes += part.len() as u64;
            if bytes > self.limits.bytes {
                let limit_mb = u32::try_from(self.limits.bytes / (1024 * 1024)).unwrap_or(u32::MAX);
                return Err(FetchEnd::Problem(BundleProblem::BundleRefused {
                    bundle: written.to_owned(),
                    fault: BundleFault::TooLarge { limit_mb },
                }));
            }
            to.write_all(&part)
                .map_err(|error| FetchEnd::Because(error.to_string()))?;
        }
    }
}

/// Why a download ended.
enum FetchEnd {
    Problem(BundleProblem),
    Because(String),
}

impl From<EgressError> for FetchEnd {
    fn from(error: EgressError) -> Self {
        Self::Because(error.to_string())
    }
}
