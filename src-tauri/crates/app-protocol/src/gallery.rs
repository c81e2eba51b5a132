//! What a registry of MCP servers lists, as the gallery shows it. Every text was written by others: it is bounded, and
//! nothing of it was checked.

use serde::{Deserialize, Serialize};

use super::ParsedServers;

/// A page of a registry's list.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct GalleryPage {
    /// The host that was asked.
    pub host: String,
    pub entries: Vec<GalleryEntry>,
    /// Asks for the next page; nothing at the end of the list.
    pub next: Option<String>,
    pub left_out: LeftOutEntries,
}

/// How many entries of a page are not shown, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct LeftOutEntries {
    /// The registry deleted them.
    pub deleted: u32,
    /// They are older versions, or stand twice on the page.
    pub repeated: u32,
    /// They are not in the form of the registry's schema.
    pub unreadable: u32,
    /// They stand behind the most that one page may have.
    pub beyond: u32,
}

/// A server that a registry lists.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct GalleryEntry {
    /// Unique in its registry together with the version.
    pub name: String,
    pub version: String,
    pub title: Option<String>,
    pub description: String,
    pub publisher: GalleryPublisher,
    /// Whether its publisher or the registry advises against it.
    pub deprecated: bool,
    /// Why it is deprecated, in the words of its publisher or the registry.
    pub status_message: Option<String>,
    /// Where its publisher says that the code is.
    pub repository: Option<String>,
    pub website: Option<String>,
    /// What it consists of, in the order of its publisher.
    pub packages: Vec<GalleryPackage>,
    /// What can be added, each package and address by itself.
    pub servers: ParsedServers,
}

/// Who had to be in control of the namespace to publish under a name, by the rules of the official registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "publisher", rename_all = "snake_case")]
pub enum GalleryPublisher {
    /// A user or an organisation of GitHub.
    GithubAccount { account: String },
    /// The owner of this domain.
    Domain { domain: String },
    /// The name says nothing about it.
    Unknown,
}

/// A way to run or reach a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct GalleryPackage {
    pub kind: PackageKind,
    /// The name of the package, or the address.
    pub name: String,
    pub version: Option<String>,
    /// Where it is downloaded, for a bundle that can be compared with a digest.
    pub bundle: Option<BundleOffer>,
}

/// A bundle that a registry lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BundleOffer {
    pub address: String,
    /// SHA-256 of the archive in hexadecimal digits.
    pub sha256: String,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum PackageKind {
    Npm,
    Pypi,
    Nuget,
    /// An image of a container.
    Oci,
    /// An archive with a manifest (`.mcpb`).
    Bundle,
    /// A server that is reached at an address.
    Remote,
    /// A kind that is not known here.
    Other,
}

/// Why a package of a registry cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum PackageFault {
    /// Its name is none that the package registry would accept.
    Name,
    /// Its version is missing or a range, so it is not known what would run.
    Version,
    /// It is a bundle without a digest that it could be compared with.
    Digest,
    /// It is a bundle whose address is none that it could be downloaded from.
    Bundle,
}
