//! Which addresses may be reached, with one named policy for each use: servers, sign-ins, models. A name on the internet
//! must not lead to this computer or the network it is in, whatever its owner writes into the DNS; what the user wrote
//! down as a local address may. The judgement is on the address itself, after every embedding of an older address in a
//! newer one is undone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// What kind of place an address is, after the IANA registries of special addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// Anywhere on the internet.
    Global,
    Loopback,
    /// The network around it: RFC 1918, shared (100.64/10), unique local.
    Private,
    /// The link it is on; cloud platforms keep their secrets there.
    LinkLocal,
    /// No host's: unspecified, multicast, documentation, reserved, tunnels.
    Special,
}

/// Suffixes of names that inner networks resolve, never the public tree.
const INNER_SUFFIXES: [&str; 11] = [
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "onion",
    "private",
    "svc",
];

/// How far requests may reach. Each use of the client has a policy that chooses: [`for_server`](Self::for_server),
/// [`for_sign_in`](Self::for_sign_in), [`for_model`](Self::for_model), [`for_gallery`](Self::for_gallery),
/// [`for_bundle`](Self::for_bundle).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkReach {
    /// The internet only, over TLS only.
    Public,
    /// As [`Public`](Self::Public), for an address that another party wrote: also no name of an inner network, because a
    /// proxy resolves it there.
    Foreign,
    /// Also what is near. An address literal may be any but a special one, `localhost` is this computer and
    /// nothing else, and a name may lead to a private address but not to this computer. Without TLS only
    /// near addresses are reached.
    Local,
    /// Whatever the user entered, with or without TLS. A literal may be any but a special one; a name may lead to the
    /// internet or to a private address, and only a name of an inner network to this computer or its link.
    Entered,
}

impl NetworkReach {
    /// The policy for servers: near where the user wrote a local literal or `localhost`, else the internet.
    #[must_use]
    pub fn for_server(entered: &Url) -> Self {
        let near = match entered.host() {
            Some(Host::Ipv4(ip)) => classify(ip.into()) != AddressClass::Global,
            Some(Host::Ipv6(ip)) => classify(ip.into()) != AddressClass::Global,
            Some(Host::Domain(name)) => is_localhost(name),
            None => false,
        };
        if near { Self::Local } else { Self::Public }
    }

    /// The policy for an address that documents of a server name for its sign-in. A server on the internet names nothing
    /// near. One on this computer may name this computer, one in the user's own network itself, and one with a name of an
    /// inner network other such names.
    #[must_use]
    pub fn for_sign_in(server: &Url, address: &Url) -> Self {
        let near = Self::for_server(server) == Self::Local;
        if near && (address.host() == server.host() || (is_loopback(address) && is_loopback(server))) {
            Self::Local
        } else if server.domain().is_some_and(is_inner_name) {
            Self::Public
        } else {
            Self::Foreign
        }
    }

    /// The policy for models: the one endpoint that the user entered, wherever it is.
    #[must_use]
    pub fn for_model(_entered: &Url) -> Self {
        Self::Entered
    }

    /// The policy for the registry of the gallery: the one address in the settings, wherever it is.
    #[must_use]
    pub fn for_gallery(_entered: &Url) -> Self {
        Self::Entered
    }

    /// The policy for an archive that a registry lists, and for where that is forwarded. A registry of the internet names
    /// nothing near; one that the user has near may.
    #[must_use]
    pub fn for_bundle(registry: &Url) -> Self {
        match Self::for_server(registry) {
            Self::Local => Self::Entered,
            _ => Self::Foreign,
        }
    }

    /// Whether what is near may be reached at all.
    fn is_near(self) -> bool {
        matches!(self, Self::Local | Self::Entered)
    }

    /// Whether an address without TLS may be used.
    pub(crate) fn admits_plain_http(self) -> bool {
        self.is_near()
    }

    /// Whether a name may be used, before it is looked up.
    pub(crate) fn admits_name(self, name: &str) -> bool {
        self.is_near() || !(is_localhost(name) || self == Self::Foreign && is_inner_name(name))
    }

    /// Whether an address that stands in the URL itself may be connected to.
    pub(crate) fn admits_literal(self, ip: IpAddr, encrypted: bool) -> bool {
        match classify(ip) {
            AddressClass::Special => false,
            AddressClass::Global => encrypted || self == Self::Entered,
            AddressClass::Loopback | AddressClass::Private | AddressClass::LinkLocal => self.is_near(),
        }
    }

    /// Whether an address that a name led to may be connected to.
    pub(crate) fn admits_resolved(self, name: &str, ip: IpAddr, encrypted: bool) -> bool {
        let is_own_name = self == Self::Entered && is_inner_name(name);
        match classify(ip) {
            AddressClass::Loopback => self.is_near() && is_localhost(name) || is_own_name,
            _ if is_localhost(name) => false,
            AddressClass::Global => encrypted || self == Self::Entered,
            AddressClass::Private => self.is_near(),
            AddressClass::LinkLocal => is_own_name,
            AddressClass::Special => false,
        }
    }
}

/// Whether a URL leads to this computer and nowhere else.
#[must_use]
pub fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(Host::Ipv4(ip)) => classify(ip.into()) == AddressClass::Loopback,
        Some(Host::Ipv6(ip)) => classify(ip.into()) == AddressClass::Loopback,
        Some(Host::Domain(name)) => is_localhost(name),
        None => false,
    }
}

/// Whether a secret may be sent to a URL that the user entered: over TLS, or to this computer or a private address that
/// is written as such.
#[must_use]
pub fn keeps_secret(entered: &Url) -> bool {
    let is_private = |ip| classify(ip) == AddressClass::Private;
    match (entered.scheme(), entered.host()) {
        ("https", _) => true,
        (_, Some(Host::Ipv4(ip))) if is_private(ip.into()) => true,
        (_, Some(Host::Ipv6(ip))) if is_private(ip.into()) => true,
        _ => is_loopback(entered),
    }
}

/// Whether a name only means something in an inner network: it has a single label or a suffix that the public tree does
/// not have.
pub(crate) fn is_inner_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_inner = |suffix: &str| {
        let rest = name.strip_suffix(suffix);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INNER_SUFFIXES.iter().any(|suffix| is_inner(suffix))
}

/// Whether a name means this computer by definition.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// What kind of place an address is.
#[must_use]
pub fn classify(ip: IpAddr) -> AddressClass {
    match ip {
        IpAddr::V4(ip) => classify_v4(ip),
        IpAddr::V6(ip) => classify_v6(ip),
    }
}

fn classify_v4(ip: Ipv4Addr) -> AddressClass {
    use AddressClass::{Global, LinkLocal, Loopback, Private, Special};
    match ip.octets() {
        [10, ..] | [192, 168, ..] => Private,
        [172, b, ..] if b & 0xf0 == 16 => Private,
        [100, b, ..] if b & 0xc0 == 64 => Private,
        [127, ..] => Loopback,
        [169, 254, ..] => LinkLocal,
        [0 | 224..=255, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Special,
        _ => Global,
    }
}

fn classify_v6(ip: Ipv6Addr) -> AddressClass {
    use AddressClass::{Global, LinkLocal, Loopback, Private, Special};
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        classify_v4(Ipv4Addr::new(a, b, c, d))
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Loopback,
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x64, 0xff9b, 1, ..] => Private,
        [0x2002, high, low, ..] => embedded(high, low),
        [0x2001, b, ..] if b < 0x200 || b == 0xdb8 => Special,
        [0x3fff, b, ..] if b < 0x1000 => Special,
        [a, ..] if a & 0xfe00 == 0xfc00 || a & 0xffc0 == 0xfec0 => Private,
        [a, ..] if a & 0xffc0 == 0xfe80 => LinkLocal,
        [a, ..] if a & 0xe000 == 0x2000 => Global,
        _ => Special,
    }
}

#[cfg(test)]
mod tests;
