//! IP addresses by what they reach, judged by their value and never by their spelling. An address that only wraps
//! another one (mapped, translated, tunnelled) is judged by the one inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::written::Written;
use super::{UrlFindings, UrlWarning};

/// What an address reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    Loopback,
    /// Something that is not on the public network, or nothing at all.
    Private,
    /// A host on the public network.
    Public,
}

#[must_use]
pub fn kind_of(ip: IpAddr) -> AddressKind {
    match ip {
        IpAddr::V4(ip) => kind_of_v4(ip),
        IpAddr::V6(ip) => kind_of_v6(ip),
    }
}

pub(super) fn inspect(ip: IpAddr, canonical: Option<&str>, written: &Written, found: &mut UrlFindings) {
    found.warn(UrlWarning::IpLiteral);
    found.warn_if(canonical != Some(written.host()), UrlWarning::IpNoncanonical);
    match kind_of(ip) {
        AddressKind::Loopback => found.warn(UrlWarning::Loopback),
        AddressKind::Private => found.warn(UrlWarning::PrivateAddress),
        AddressKind::Public => {}
    }
    found.ascii_host = canonical.map(str::to_owned);
    found.display_host = found.ascii_host.clone();
}

/// The special blocks are those of IANA's registry.
fn kind_of_v4(ip: Ipv4Addr) -> AddressKind {
    match ip.octets() {
        [127, ..] => AddressKind::Loopback,
        [0 | 10 | 224..=255, ..]
        | [100, 64..=127, ..]
        | [169, 254, ..]
        | [172, 16..=31, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [192, 168, ..]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => AddressKind::Private,
        _ => AddressKind::Public,
    }
}

fn kind_of_v6(ip: Ipv6Addr) -> AddressKind {
    if ip.is_loopback() {
        return AddressKind::Loopback;
    }
    if let Some(inside) = ip.to_ipv4_mapped() {
        return kind_of_v4(inside);
    }
    let parts = ip.segments();
    let public = match translated_v4(parts) {
        Some(inside) => kind_of_v4(inside) == AddressKind::Public,
        None => is_public_v6(parts),
    };
    if public {
        AddressKind::Public
    } else {
        AddressKind::Private
    }
}

/// The IPv4 address that an address of NAT64 or 6to4 leads to.
fn translated_v4(parts: [u16; 8]) -> Option<Ipv4Addr> {
    match parts {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some(high_low(high, low)),
        _ => None,
    }
}

/// Only 2000::/3 is given out to hosts; inside it some blocks are set aside.
fn is_public_v6(parts: [u16; 8]) -> bool {
    let set_aside = match parts {
        [0x2001, second, ..] if second < 0x200 => true,
        [0x2001, 0xdb8, ..] => true,
        [0x3fff, second, ..] => second < 0x1000,
        _ => false,
    };
    parts[0] >> 13 == 1 && !set_aside
}

fn high_low(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}
