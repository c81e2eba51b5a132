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
/// [`for_sign_in`](Self::for_sign_in), [`for_model`](Self::for_model).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
mod tests {
    use super::AddressClass::{Global, LinkLocal, Loopback, Private, Special};
    use super::*;

    /// AU-054.
    #[test]
    fn an_address_is_judged_by_where_it_leads_however_it_is_written() {
        let cases = [
            ("93.184.215.14", Global),
            ("2606:4700::1", Global),
            ("172.15.0.1", Global),
            ("172.32.0.1", Global),
            ("100.63.0.1", Global),
            ("127.0.0.1", Loopback),
            ("127.255.255.255", Loopback),
            ("::1", Loopback),
            ("::ffff:127.0.0.1", Loopback),
            ("64:ff9b::7f00:1", Loopback),
            ("2002:7f00:1::", Loopback),
            ("10.1.2.3", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.0.1", Private),
            ("100.64.0.1", Private),
            ("100.127.255.255", Private),
            ("fd00::1", Private),
            ("fec0::1", Private),
            ("::ffff:192.168.1.1", Private),
            ("64:ff9b:1::1", Private),
            ("169.254.169.254", LinkLocal),
            ("fe80::1", LinkLocal),
            ("::ffff:169.254.169.254", LinkLocal),
            ("2002:a9fe:a9fe::1", LinkLocal),
            ("0.0.0.0", Special),
            ("0.1.2.3", Special),
            ("::", Special),
            ("::7f00:1", Special),
            ("192.0.2.1", Special),
            ("198.18.0.1", Special),
            ("198.19.0.1", Special),
            ("198.51.100.1", Special),
            ("203.0.113.1", Special),
            ("224.0.0.1", Special),
            ("255.255.255.255", Special),
            ("2001::1", Special),
            ("2001:db8::1", Special),
            ("3fff::1", Special),
            ("ff02::1", Special),
            ("100::1", Special),
            ("5f00::1", Special),
        ];
        for (text, class) in cases {
            assert_eq!(classify(text.parse().unwrap()), class, "{text}");
        }
    }

    #[test]
    fn only_what_the_person_wrote_as_local_reaches_what_is_near() {
        let near = [
            "http://127.0.0.1:1/",
            "http://[::1]/",
            "https://192.168.0.1/",
            "http://localhost:3000/mcp",
            "http://a.localhost/",
            "http://0x7f.1/",
            "http://LOCALHOST./",
        ];
        for text in near {
            assert_eq!(
                NetworkReach::for_server(&text.parse().unwrap()),
                NetworkReach::Local,
                "{text}"
            );
        }
        for text in [
            "https://example.com/",
            "https://localhost.example.com/",
            "https://1.1.1.1/",
        ] {
            assert_eq!(
                NetworkReach::for_server(&text.parse().unwrap()),
                NetworkReach::Public,
                "{text}"
            );
        }
    }

    #[test]
    fn a_name_never_leads_to_this_computer_or_its_link_unless_it_means_it() {
        let admits = |reach: NetworkReach, name: &str, ip: &str| {
            reach.admits_resolved(name, ip.parse().unwrap(), true)
        };
        for ip in [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "::ffff:10.0.0.1",
        ] {
            assert!(!admits(NetworkReach::Public, "example.com", ip), "{ip}");
        }
        assert!(admits(NetworkReach::Public, "example.com", "1.1.1.1"));
        assert!(admits(NetworkReach::Local, "mcp.corp.example", "10.0.0.1"));
        for ip in ["127.0.0.1", "169.254.169.254", "::"] {
            assert!(!admits(NetworkReach::Local, "mcp.corp.example", ip), "{ip}");
        }
        assert!(admits(NetworkReach::Local, "localhost", "::1"));
        assert!(!admits(NetworkReach::Local, "localhost", "1.1.1.1"));
        // In the clear, only what is near.
        assert!(!NetworkReach::Local.admits_resolved("mcp.corp.example", "1.1.1.1".parse().unwrap(), false));
        assert!(NetworkReach::Local.admits_resolved("mcp.corp.example", "10.0.0.1".parse().unwrap(), false));
        assert!(!NetworkReach::Local.admits_literal("0.0.0.0".parse().unwrap(), true));
    }

    /// M10.
    #[test]
    fn what_a_server_names_is_no_name_of_an_inner_network_unless_it_has_one_itself() {
        let reach = |server: &str, address: &str| {
            NetworkReach::for_sign_in(&server.parse().unwrap(), &address.parse().unwrap())
        };
        let far = "https://mcp.example.com/mcp";
        for inner in [
            "wiki",
            "wiki.corp",
            "a.b.internal",
            "nas.local.",
            "x.HOME.arpa",
            "svc",
        ] {
            let reach = reach(far, &format!("https://{inner}/"));
            assert!(!reach.admits_name(inner), "{inner}");
        }
        assert!(reach(far, "https://login.example.com/").admits_name("login.example.com"));
        assert!(reach("https://mcp.corp/", "https://login.corp/").admits_name("login.corp"));
        assert!(!reach("https://mcp.corp/", "https://localhost/").admits_name("localhost"));
        assert!(!reach("http://192.168.0.5/", "https://wiki.corp/").admits_name("wiki.corp"));
    }

    #[test]
    fn a_model_is_where_the_user_entered_it_and_a_public_name_does_not_lead_to_this_computer() {
        let admits = |name: &str, ip: &str, encrypted| {
            NetworkReach::Entered.admits_resolved(name, ip.parse().unwrap(), encrypted)
        };
        for (name, ip) in [
            ("models.example", "1.1.1.1"),
            ("models.example", "10.0.0.1"),
            ("box", "127.0.1.1"),
            ("box.local", "169.254.3.4"),
            ("localhost", "127.0.0.1"),
        ] {
            assert!(admits(name, ip, false) && admits(name, ip, true), "{name} {ip}");
        }
        for (name, ip) in [
            ("models.example", "127.0.0.1"),
            ("models.example", "169.254.169.254"),
            ("box", "0.0.0.0"),
            ("localhost", "10.0.0.1"),
        ] {
            assert!(!admits(name, ip, true), "{name} {ip}");
        }
    }

    /// L-10.
    #[test]
    fn a_secret_goes_over_tls_or_to_a_near_address_that_is_written_as_one() {
        for (address, keeps) in [
            ("https://models.example/v1", true),
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]/", true),
            ("http://192.168.1.20:8080/", true),
            ("http://[fd00::1]/", true),
            ("http://models.example/v1", false),
            ("http://box/v1", false),
            ("http://box.local/v1", false),
            ("http://1.1.1.1/", false),
            ("http://169.254.169.254/", false),
            ("http://0.0.0.0/", false),
            ("ftp://models.example/", false),
        ] {
            assert_eq!(keeps_secret(&address.parse().unwrap()), keeps, "{address}");
        }
    }
}
