//! The packages and addresses of a description, and which packages cannot be added: only an exact version under a name
//! that its package registry accepts is known to be what the entry describes.

use serde_json::Value;
use url::Url;
use vestibule_app_protocol::{
    BundleOffer, GalleryPackage, GalleryProblem, PackageFault, PackageKind, SkippedServer,
};

use crate::text::{bounded, member};

/// The most packages, and the most addresses, that are read of one entry.
const MOST: usize = 20;
/// The longest name or address that is shown, in characters.
const LONGEST: usize = 200;
/// The longest address of a bundle, in bytes.
const LONGEST_ADDRESS: usize = 2048;

/// What a description consists of.
pub(crate) fn all(server: &Value) -> Vec<GalleryPackage> {
    let packages = list(server, "packages").map(|package| GalleryPackage {
        kind: kind(package),
        name: bounded(identifier(package), LONGEST),
        version: member(package, &["version"]).map(|version| bounded(version, LONGEST)),
        bundle: bundle(package).ok(),
    });
    let remotes = list(server, "remotes").map(|remote| GalleryPackage {
        kind: PackageKind::Remote,
        name: bounded(member(remote, &["url"]).unwrap_or_default(), LONGEST),
        version: None,
        bundle: None,
    });
    packages.chain(remotes).collect()
}

/// A description without the packages that cannot be added, and those with the reason.
pub(crate) fn fit(server: &Value) -> (Value, Vec<SkippedServer>) {
    let mut skipped = vec![];
    let mut packages = vec![];
    for package in list(server, "packages") {
        match fault(package) {
            // A bundle is read when the user downloads it.
            None if kind(package) == PackageKind::Bundle => {}
            None => packages.push(package.clone()),
            Some(fault) => skipped.push(unfit(package, fault)),
        }
    }
    let remotes: Vec<Value> = list(server, "remotes").cloned().collect();
    let mut fit = server.clone();
    fit["packages"] = packages.into();
    fit["remotes"] = remotes.into();
    (fit, skipped)
}

fn unfit(package: &Value, fault: PackageFault) -> SkippedServer {
    let name = bounded(identifier(package), LONGEST);
    SkippedServer {
        name: name.clone(),
        problem: GalleryProblem::PackageUnfit { package: name, fault }.into(),
    }
}

fn list<'a>(server: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    server[name].as_array().into_iter().flatten().take(MOST)
}

fn identifier(package: &Value) -> &str {
    member(package, &["identifier", "name"]).unwrap_or_default()
}

fn kind(package: &Value) -> PackageKind {
    match member(package, &["registryType", "registry_type", "registry_name"]) {
        Some("npm") => PackageKind::Npm,
        Some("pypi") => PackageKind::Pypi,
        Some("nuget") => PackageKind::Nuget,
        Some("oci" | "docker") => PackageKind::Oci,
        Some("mcpb") => PackageKind::Bundle,
        _ => PackageKind::Other,
    }
}

/// Why a package cannot be added. Kinds that are not known are left to the reader of descriptions.
fn fault(package: &Value) -> Option<PackageFault> {
    let name = identifier(package);
    let version = member(package, &["version"]).unwrap_or_default();
    let (fits, exact) = match kind(package) {
        PackageKind::Npm => (is_npm(name), is_npm_release(version)),
        PackageKind::Pypi | PackageKind::Nuget => (is_plain(name, "._-"), is_exact(version)),
        PackageKind::Oci => (is_plain(name, "._-/:@"), is_image_exact(name, version)),
        PackageKind::Bundle => return bundle(package).err(),
        PackageKind::Remote | PackageKind::Other => return None,
    };
    match (fits, exact) {
        (false, _) => Some(PackageFault::Name),
        (true, false) => Some(PackageFault::Version),
        (true, true) => None,
    }
}

/// Where a bundle is downloaded.
fn bundle(package: &Value) -> Result<BundleOffer, PackageFault> {
    if kind(package) != PackageKind::Bundle {
        return Err(PackageFault::Bundle);
    }
    let address = identifier(package);
    let parsed = Url::parse(address)
        .ok()
        .filter(|_| address.len() <= LONGEST_ADDRESS);
    let is_address = parsed.is_some_and(|url| matches!(url.scheme(), "https" | "http"));
    match (is_address, is_digest(&package["fileSha256"])) {
        (false, _) => Err(PackageFault::Bundle),
        (true, false) => Err(PackageFault::Digest),
        (true, true) => Ok(BundleOffer {
            address: address.to_owned(),
            sha256: package["fileSha256"]
                .as_str()
                .unwrap_or_default()
                .to_ascii_lowercase(),
        }),
    }
}

/// A name that begins with a letter or digit, so that no runner reads it as an option.
fn is_plain(name: &str, extra: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits)
}

fn is_npm(name: &str) -> bool {
    match name.strip_prefix('@') {
        None => is_plain(name, "._-~"),
        Some(scoped) => {
            let parts = scoped.split_once('/');
            parts.is_some_and(|(scope, own)| is_plain(scope, "._-~") && is_plain(own, "._-~"))
        }
    }
}

/// Whether a version names one release: a number first, and no range.
fn is_exact(version: &str) -> bool {
    let mut parts = release(version).split('.');
    let first = parts.next().unwrap_or_default();
    is_version(version)
        && first.starts_with(|c: char| c.is_ascii_digit())
        && !first.contains(['x', 'X'])
        && !parts.any(|part| part.eq_ignore_ascii_case("x"))
}

/// Whether npm reads a version as one release. Everything but three numbers is a range or a tag, which the publisher moves.
fn is_npm_release(version: &str) -> bool {
    let numbers: Vec<&str> = release(version).split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_version(version) && numbers.len() == 3 && numbers.iter().all(is_number)
}

fn is_version(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-+_!".contains(c);
    text.chars().all(fits)
}

/// A version without what marks it as one, and what follows its numbers.
fn release(version: &str) -> &str {
    let version = version.strip_prefix('v').unwrap_or(version);
    version.split(['-', '+']).next().unwrap_or_default()
}

/// Whether the reference of an image has a digest, or a tag other than the one that always moves.
fn is_image_exact(name: &str, version: &str) -> bool {
    if let Some((_, digest)) = name.split_once('@') {
        return digest
            .strip_prefix("sha256:")
            .is_some_and(|hex| is_digest(&hex.into()));
    }
    let last = name.rsplit('/').next().unwrap_or_default();
    let tag = last.split_once(':').map_or(version, |(_, tag)| tag);
    !tag.is_empty() && tag != "latest" && is_plain(tag, "._-")
}

fn is_digest(written: &Value) -> bool {
    let hex = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    written.as_str().is_some_and(hex)
}
