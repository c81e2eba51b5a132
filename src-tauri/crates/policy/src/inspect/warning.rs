//! The oddities by name, and what each of them means in which place. The variants stand in the order of weight: of
//! two that are equally severe, a card shows the earlier one first.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{UrlContext, UrlSource};

/// What may be done with a URL. Ordered: the largest of several holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum UrlVerdict {
    /// Nothing is odd about it.
    Ok,
    /// The user sees what is odd before deciding.
    Warn,
    /// It is not used; there is no way around it.
    Block,
}

/// One oddity of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "kebab-case")]
pub enum UrlWarning {
    /// The registrable domain looks like one that is known, and is another.
    Lookalike,
    /// A name or password stands before the host.
    Userinfo,
    /// Invisible, directing or slash-like characters.
    HiddenUnicode,
    /// Control characters, or space at an edge.
    ControlChars,
    /// Another program would read another host out of it.
    ParserDifferential,
    /// Neither https nor http.
    SchemeNotAllowed,
    /// No absolute URL at all.
    InvalidUrl,
    /// Characters that mean something to a command line.
    ShellMetachar,
    /// An IP address in a spelling that hides which one.
    IpNoncanonical,
    /// A port that no browser opens.
    BadPort,
    /// A host longer than names can be, or with an empty part.
    DnsLength,
    UrlTooLong,
    Loopback,
    /// An address that is not of the public network.
    PrivateAddress,
    /// A name that only means something in a private network.
    IntranetName,
    /// A known domain stands inside another host.
    TargetEmbedding,
    /// A label that could be taken for another one, shown as `xn--`.
    IdnUnsafe,
    InsecureHttp,
    /// An IP address instead of a name.
    IpLiteral,
    /// The host is a suffix under which others register.
    PublicSuffix,
    /// The last part of the name is none that exists publicly.
    UnlistedTld,
    /// Characters that no host name has.
    HostChars,
    /// Escapes that stand for invisible or control characters.
    SuspiciousEscapes,
    /// One letter away from a known domain.
    NearKnown,
    /// A label is written in `xn--` form.
    Punycode,
    /// A port that is not the scheme's.
    NonstandardPort,
    /// The name spells an IP address.
    IpInName,
    /// Another address stands in the path.
    UrlInPath,
    /// Many or very long parts before the registrable domain.
    DeepSubdomain,
    /// The host ends with a dot.
    TrailingDot,
    LongUrl,
}

impl UrlWarning {
    /// What this one oddity leads to in that context.
    #[must_use]
    pub(super) fn severity(self, context: &UrlContext<'_>) -> UrlVerdict {
        use UrlVerdict::{Block, Warn};
        let place = context.place;
        match self {
            Self::Lookalike
            | Self::Userinfo
            | Self::HiddenUnicode
            | Self::ControlChars
            | Self::ParserDifferential
            | Self::SchemeNotAllowed
            | Self::InvalidUrl
            | Self::ShellMetachar
            | Self::IpNoncanonical
            | Self::BadPort
            | Self::DnsLength
            | Self::UrlTooLong => Block,
            Self::Loopback | Self::PrivateAddress | Self::IntranetName => match place {
                UrlSource::LocalServer => Warn,
                UrlSource::RemoteServer | UrlSource::OauthEndpoint => Block,
            },
            Self::TargetEmbedding
            | Self::IdnUnsafe
            | Self::InsecureHttp
            | Self::IpLiteral
            | Self::PublicSuffix
            | Self::UnlistedTld
            | Self::HostChars
            | Self::SuspiciousEscapes => match place {
                UrlSource::OauthEndpoint => Block,
                UrlSource::RemoteServer | UrlSource::LocalServer => Warn,
            },
            Self::NearKnown
            | Self::Punycode
            | Self::NonstandardPort
            | Self::IpInName
            | Self::UrlInPath
            | Self::DeepSubdomain
            | Self::TrailingDot
            | Self::LongUrl => Warn,
        }
    }

    /// Whether the switch for an authorization server on this computer softens this one.
    fn belongs_to_loopback(self) -> bool {
        matches!(self, Self::Loopback | Self::InsecureHttp | Self::IpLiteral)
    }
}

/// What all of them together lead to.
pub(super) fn verdict(warnings: &BTreeSet<UrlWarning>, context: &UrlContext<'_>) -> UrlVerdict {
    let switched = context.loopback_authorization
        && context.place == UrlSource::OauthEndpoint
        && warnings.contains(&UrlWarning::Loopback);
    warnings
        .iter()
        .map(|warning| match warning.severity(context) {
            UrlVerdict::Block if switched && warning.belongs_to_loopback() => UrlVerdict::Warn,
            severity => severity,
        })
        .max()
        .unwrap_or(UrlVerdict::Ok)
}
