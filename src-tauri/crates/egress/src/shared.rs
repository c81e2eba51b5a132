//! One client for all who talk to one origin: they share its connections and TLS sessions, and the memory of both.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use url::Url;

use crate::{ClientEnds, Egress, EgressError, NetworkReach, Route, check};

/// The clients that are in use. Copies are one.
#[derive(Clone, Default)]
pub struct SharedClients(Arc<Mutex<HashMap<ClientKey, Weak<ClientEnds>>>>);

/// What a client is for. All routes that are handed in have the same lookup, authorities and limits.
#[derive(PartialEq, Eq, Hash)]
struct ClientKey {
    origin: String,
    reach: NetworkReach,
    proxy: Option<Url>,
}

impl SharedClients {
    /// As [`Egress::along`], with the client of others that go the same way.
    ///
    /// # Errors
    /// [`EgressError::Address`] when the address may not be used at all, or when a proxy or an authority of the route
    /// cannot be read.
    pub fn along(&self, address: &Url, route: &Route) -> Result<Egress, EgressError> {
        check(address, route.reach)?;
        let key = ClientKey {
            origin: address.origin().ascii_serialization(),
            reach: route.reach,
            proxy: route.proxies.between(address)?.cloned(),
        };
        // Every change leaves the map whole.
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key).and_then(Weak::upgrade) {
            return Ok(Egress(client));
        }
        clients.retain(|_, client| client.strong_count() > 0);
        let egress = Egress::along(address, route)?;
        clients.insert(key, Arc::downgrade(&egress.0));
        Ok(egress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proxies;

    #[test]
    fn who_goes_the_same_way_shares_a_client_while_one_of_them_uses_it() {
        let clients = SharedClients::default();
        let way = |address: &str, route: &Route| clients.along(&address.parse().unwrap(), route).unwrap();
        let near = Route::new(NetworkReach::Local);
        let one = way("http://127.0.0.1:1/mcp", &near);
        let same = |other: &Egress| Arc::ptr_eq(&one.0, &other.0);
        assert!(same(&way("http://127.0.0.1:1/other?x", &near)));
        assert!(!same(&way("http://127.0.0.1:2/mcp", &near)));
        assert!(!same(&way(
            "http://127.0.0.1:1/mcp",
            &Route::new(NetworkReach::Entered)
        )));
        let proxied = Route {
            proxies: Proxies::through("http://127.0.0.1:9/".parse().unwrap()),
            ..Route::new(NetworkReach::Public)
        };
        let direct = Route::new(NetworkReach::Public);
        assert!(way("https://example.com/", &proxied).proxy().is_some());
        assert!(way("https://example.com/", &direct).proxy().is_none());
        drop(one);
        way("http://127.0.0.1:3/", &near);
        assert_eq!(clients.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn each_address_is_judged_also_where_a_client_is_there() {
        let clients = SharedClients::default();
        let near = Route::new(NetworkReach::Local);
        let _one = clients
            .along(&"http://127.0.0.1:1/".parse().unwrap(), &near)
            .unwrap();
        let named = "http://me:secret@127.0.0.1:1/".parse().unwrap();
        assert!(clients.along(&named, &near).is_err());
    }
}
