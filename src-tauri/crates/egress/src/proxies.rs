//! Which proxy stands between this computer and a server. The setting is handed in, usually as the variables
//! other programs read; nothing here looks at the environment by itself. What is on this computer is never
//! reached through a proxy, whatever the setting says.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use crate::EgressError;
use crate::address::is_localhost;

/// Proxies, and what is reached without them. Without any by default.
#[derive(Clone, Default)]
pub struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    /// Hosts that are reached directly, in lower case.
    direct: Vec<String>,
}

/// A proxy that was asked for.
#[derive(Clone)]
enum Proxy {
    At(Url),
    /// The variable of this name holds none. A user who set a proxy does not want a way around it.
    Unusable(String),
}

impl Proxies {
    /// The proxies that variables of the usual names ask for: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and
    /// `NO_PROXY`, in either case; the lower one wins. `None` for a variable that is not set. One that holds no
    /// `http://` or `https://` address keeps what it is for from being reached at all.
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| {
            let value = variable(&name.to_ascii_lowercase()).or_else(|| variable(name));
            value.filter(|value| !value.trim().is_empty())
        };
        let proxy = |name: &str| {
            let named = |name: &str| value(name).map(|value| read_proxy(name, value.trim()));
            named(name).or_else(|| named("ALL_PROXY"))
        };
        let direct = value("NO_PROXY").unwrap_or_default();
        Self {
            http: proxy("HTTP_PROXY"),
            https: proxy("HTTPS_PROXY"),
            direct: direct
                .split([',', ' '])
                .map(|entry| entry.trim().to_ascii_lowercase())
                .filter(|entry| !entry.is_empty())
                .collect(),
        }
    }

    /// This proxy for everything that is not on this computer.
    #[must_use]
    pub fn through(proxy: Url) -> Self {
        Self {
            http: Some(Proxy::At(proxy.clone())),
            https: Some(Proxy::At(proxy)),
            direct: vec![],
        }
    }

    /// The proxy between this computer and an address.
    ///
    /// # Errors
    /// [`EgressError::Address`] when there should be one, and what was set is none.
    pub fn between(&self, address: &Url) -> Result<Option<&Url>, EgressError> {
        let proxy = match address.scheme() {
            "https" => self.https.as_ref(),
            _ => self.http.as_ref(),
        };
        let port = address.port_or_known_default();
        let direct = match address.host() {
            Some(Host::Domain(name)) => {
                is_localhost(name) || self.direct.iter().any(|entry| covers(entry, name, port))
            }
            Some(Host::Ipv4(ip)) => ip.is_loopback() || self.is_direct(ip.into(), port),
            Some(Host::Ipv6(ip)) => {
                ip.to_canonical().is_loopback() || self.is_direct(ip.to_canonical(), port)
            }
            None => true,
        };
        match proxy.filter(|_| !direct) {
            None => Ok(None),
            Some(Proxy::At(proxy)) => Ok(Some(proxy)),
            Some(Proxy::Unusable(name)) => Err(EgressError::Address(format!(
                "{name} is not the address of an HTTP proxy; correct or remove it"
            ))),
        }
    }

    fn is_direct(&self, ip: IpAddr, port: Option<u16>) -> bool {
        self.direct.iter().any(|entry| covers_ip(entry, ip, port))
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Their addresses may hold passwords.
        f.debug_struct("Proxies")
            .field("http", &self.http.is_some())
            .field("https", &self.https.is_some())
            .field("direct", &self.direct)
            .finish()
    }
}

fn read_proxy(name: &str, value: &str) -> Proxy {
    let written = if value.contains("://") {
        value.to_owned()
    } else {
        format!("http://{value}")
    };
    match Url::parse(&written) {
        Ok(proxy) if matches!(proxy.scheme(), "http" | "https") && proxy.host().is_some() => Proxy::At(proxy),
        _ => Proxy::Unusable(name.to_owned()),
    }
}

/// Whether an entry means a name: the name itself, anything below it, or everything.
fn covers(entry: &str, name: &str, port: Option<u16>) -> bool {
    let Some(entry) = without_port(entry, port) else {
        return false;
    };
    let entry = entry.trim_start_matches("*.").trim_start_matches('.');
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    entry == "*" || name == entry || name.strip_suffix(entry).is_some_and(|below| below.ends_with('.'))
}

/// Whether an entry means an address: the address itself, a network with it, or everything.
fn covers_ip(entry: &str, ip: IpAddr, port: Option<u16>) -> bool {
    if entry == "*" || entry.trim_matches(['[', ']']).parse() == Ok(ip) {
        return true;
    }
    if let Some((network, bits)) = entry.split_once('/') {
        let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
            return false;
        };
        return within(network, bits, ip);
    }
    without_port(entry, port).is_some_and(|entry| entry.trim_matches(['[', ']']).parse() == Ok(ip))
}

fn within(network: IpAddr, bits: u32, ip: IpAddr) -> bool {
    match (network, ip) {
        (IpAddr::V4(network), IpAddr::V4(ip)) if bits <= 32 => {
            let apart = network.to_bits() ^ ip.to_bits();
            apart.leading_zeros() >= bits
        }
        (IpAddr::V6(network), IpAddr::V6(ip)) if bits <= 128 => {
            let apart = network.to_bits() ^ ip.to_bits();
            apart.leading_zeros() >= bits
        }
        _ => false,
    }
}

/// The entry without its port; `None` when it means another one.
fn without_port(entry: &str, port: Option<u16>) -> Option<&str> {
    match entry.rsplit_once(':') {
        Some((host, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (digits.parse().ok() == port).then_some(host)
        }
        _ => Some(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(set: &[(&str, &str)]) -> Proxies {
        Proxies::from_variables(|name| {
            let found = set.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn between(set: &[(&str, &str)], address: &str) -> Option<String> {
        let proxies = proxies(set);
        let proxy = proxies.between(&address.parse().unwrap()).unwrap();
        proxy.and_then(|proxy| Some(proxy.host_str()?.to_owned()))
    }

    #[test]
    fn each_scheme_has_its_proxy_and_nothing_on_this_computer_has_one() {
        let set = [
            ("HTTP_PROXY", "plain:1"),
            ("https_proxy", "http://tls:2"),
            ("HTTPS_PROXY", "http://other:3"),
        ];
        assert_eq!(between(&set, "https://a.example/").as_deref(), Some("tls"));
        assert_eq!(between(&set, "http://10.0.0.1/").as_deref(), Some("plain"));
        for here in [
            "http://127.0.0.1:3/",
            "https://localhost/",
            "https://a.localhost./",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
        ] {
            assert_eq!(between(&set, here), None, "{here}");
        }
        assert_eq!(
            between(&[("ALL_PROXY", "https://all:4")], "https://a.example/").as_deref(),
            Some("all")
        );
        assert_eq!(between(&[("HTTPS_PROXY", " ")], "https://a.example/"), None);
        assert_eq!(between(&[], "https://a.example/"), None);
    }

    #[test]
    fn what_is_to_be_reached_directly_is() {
        let direct =
            "corp.example, .dot.example,*.star.example one.example:8443 192.168.0.0/16,[fd00::1],10.1.1.1:80";
        let set = [("ALL_PROXY", "proxy:1"), ("NO_PROXY", direct)];
        for (address, is_direct) in [
            ("https://corp.example/", true),
            ("https://A.CORP.example./", true),
            ("https://notcorp.example/", false),
            ("https://x.dot.example/", true),
            ("https://x.star.example/", true),
            ("https://one.example:8443/", true),
            ("https://one.example/", false),
            ("http://192.168.3.4/", true),
            ("http://192.169.3.4/", false),
            ("https://[fd00::1]/", true),
            ("http://10.1.1.1/", true),
            ("http://10.1.1.1:81/", false),
        ] {
            assert_eq!(between(&set, address).is_none(), is_direct, "{address}");
        }
        let set = [("ALL_PROXY", "proxy:1"), ("NO_PROXY", "*")];
        assert_eq!(between(&set, "https://a.example/"), None);
        assert_eq!(between(&set, "http://10.0.0.1/"), None);
    }

    /// Nothing goes around a proxy that the user set, and only what would have gone through it is held up.
    #[test]
    fn what_is_no_http_proxy_is_refused_without_showing_it() {
        for wrong in [
            "socks5://me:secret@proxy:1",
            "ftp://secret/",
            "http://",
            "http://me:secret@[broken",
        ] {
            for name in ["HTTPS_PROXY", "ALL_PROXY"] {
                let proxies = proxies(&[(name, wrong), ("NO_PROXY", "corp.example")]);
                let between = |address: &str| proxies.between(&address.parse().unwrap()).map(drop);
                let said = between("https://a.example/").unwrap_err().to_string();
                assert!(said.contains(name) && !said.contains("secret"), "{said}");
                assert!(between("https://corp.example/").is_ok());
                assert!(between("http://127.0.0.1:1/").is_ok());
                assert_eq!(between("http://10.0.0.1/").is_err(), name == "ALL_PROXY");
                assert!(!format!("{proxies:?}").contains("secret"));
            }
        }
        let shown = format!("{:?}", proxies(&[("ALL_PROXY", "http://me:secret@proxy:1")]));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
