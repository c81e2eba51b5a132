//! The address of the registry, as the settings have it.

use url::Url;
use vestibule_app_protocol::InputProblem;
use vestibule_egress::{NetworkReach, check, keeps_secret};

/// The longest address, in bytes.
const LONGEST: usize = 2048;

/// An address where a registry may be: over TLS, or on this computer or at a private address that is written as such.
///
/// # Errors
/// `InputProblem::AddressInvalid` where it is none.
pub fn checked(written: &str) -> Result<Url, InputProblem> {
    let invalid = |detail: &str| InputProblem::AddressInvalid {
        url: written.chars().take(200).collect(),
        detail: detail.to_owned(),
    };
    if written.len() > LONGEST {
        return Err(invalid(&format!("it is longer than {LONGEST} bytes")));
    }
    let address = Url::parse(written.trim()).map_err(|error| invalid(&error.to_string()))?;
    check(&address, NetworkReach::for_gallery(&address)).map_err(|error| invalid(&error.to_string()))?;
    if !keeps_secret(&address) {
        return Err(invalid(
            "a registry on the internet is reached over https:// only",
        ));
    }
    if address.query().is_some() || address.fragment().is_some() {
        return Err(invalid("it has more than a path"));
    }
    Ok(address)
}

/// The host of an address, with its port where that is not the usual one.
#[must_use]
pub fn host(address: &Url) -> String {
    let host = address.host_str().unwrap_or_default();
    match address.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The address of a page of the list.
pub(crate) fn of_page(base: &Url, search: &str, cursor: Option<&str>, limit: usize) -> Url {
    let mut address = base.clone();
    let path = format!("{}/v0.1/servers", base.path().trim_end_matches('/'));
    address.set_path(&path);
    let mut query = address.query_pairs_mut();
    query.append_pair("version", "latest");
    query.append_pair("limit", &limit.to_string());
    if !search.is_empty() {
        query.append_pair("search", search);
    }
    if let Some(cursor) = cursor {
        query.append_pair("cursor", cursor);
    }
    drop(query);
    address
}
