//! From a name to addresses that may be connected to. The client asks here for every new connection and
//! connects to exactly what it is given, so a name that changes its mind between a check and a connection gains
//! nothing. `localhost` is not looked up at all.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use crate::address::{NetworkReach, is_localhost};

/// How many addresses of a name are tried.
const MAX_ADDRESSES: usize = 32;

/// Where addresses come from: the system, or a test.
pub trait Lookup: Send + Sync {
    /// Every address of a name, in the order to try them.
    fn lookup(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// Looks names up as every other program on this computer does.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Every address of a name is one that may not be connected to.
#[derive(Clone, Debug, Error)]
#[error("{name} leads to {found}, where a server on the internet cannot be")]
pub(crate) struct OutOfReach {
    name: String,
    found: IpAddr,
}

pub(crate) struct Filter {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) reach: NetworkReach,
    pub(crate) encrypted: bool,
    /// The only name that is looked up is the proxy's, which the user chose and which may stand anywhere.
    pub(crate) proxied: bool,
}

impl Resolve for Filter {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, encrypted, proxied) = (self.reach, self.encrypted, self.proxied);
        let name = name.as_str().to_owned();
        let found = if is_localhost(&name) {
            let here = vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            Box::pin(async move { Ok(here) })
        } else {
            self.lookup.lookup(&name)
        };
        Box::pin(async move {
            let found = found.await?;
            let admitted: Vec<SocketAddr> = found
                .iter()
                .filter(|ip| proxied || reach.admits_resolved(&name, **ip, encrypted))
                .take(MAX_ADDRESSES)
                .map(|ip| SocketAddr::new(*ip, 0))
                .collect();
            match found.first() {
                Some(first) if admitted.is_empty() => Err(OutOfReach { name, found: *first }.into()),
                _ => Ok(Box::new(admitted.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers with the next of its answers each time.
    struct Fickle(Vec<Vec<&'static str>>, AtomicUsize);

    impl Lookup for Fickle {
        fn lookup(&self, _name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
            let turn = self.1.fetch_add(1, Ordering::Relaxed);
            let answer = self.0[turn].iter().map(|ip| ip.parse().unwrap()).collect();
            Box::pin(async move { Ok(answer) })
        }
    }

    async fn resolve(filter: &Filter, name: &str) -> Result<Vec<IpAddr>, String> {
        let found = filter.resolve(name.parse().unwrap()).await;
        found
            .map(|addresses| addresses.map(|address| address.ip()).collect())
            .map_err(|error| error.to_string())
    }

    fn filter(answers: Vec<Vec<&'static str>>) -> Filter {
        Filter {
            lookup: Arc::new(Fickle(answers, AtomicUsize::new(0))),
            reach: NetworkReach::Public,
            encrypted: true,
            proxied: false,
        }
    }

    /// AU-054.
    #[tokio::test]
    async fn a_name_that_changes_its_mind_is_judged_again_for_each_connection() {
        let filter = filter(vec![vec!["1.1.1.1"], vec!["127.0.0.1"], vec!["::ffff:10.0.0.1"]]);
        assert_eq!(
            resolve(&filter, "a.example").await,
            Ok(vec!["1.1.1.1".parse().unwrap()])
        );
        assert!(
            resolve(&filter, "a.example")
                .await
                .unwrap_err()
                .contains("127.0.0.1")
        );
        assert!(resolve(&filter, "a.example").await.is_err());
    }

    #[tokio::test]
    async fn of_mixed_addresses_only_the_admitted_are_tried() {
        let filter = filter(vec![vec!["192.168.0.1", "1.1.1.1", "169.254.169.254", "::1"]]);
        assert_eq!(
            resolve(&filter, "a.example").await,
            Ok(vec!["1.1.1.1".parse().unwrap()])
        );
    }

    #[tokio::test]
    async fn localhost_is_this_computer_without_asking_anybody() {
        let mut filter = filter(vec![]);
        assert!(resolve(&filter, "localhost").await.is_err());
        filter.reach = NetworkReach::Local;
        let here: Vec<IpAddr> = vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()];
        assert_eq!(resolve(&filter, "app.localhost").await, Ok(here));
    }
}
