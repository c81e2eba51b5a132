//! Who stands behind the name of an entry: the namespace before its slash is the reverse of a domain, or of an account of
//! GitHub. The official registry lets only those publish there who control it; that says nothing about the code.

use vestibule_app_protocol::GalleryPublisher;

const GITHUB: &str = "io.github.";
/// The longest name, in bytes.
const LONGEST: usize = 200;

/// Whether a text is a name by the schema of the registry.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |part: &str, extra: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    let parts = name.split_once('/');
    name.len() <= LONGEST && parts.is_some_and(|(space, own)| fits(space, ".-") && fits(own, "._-"))
}

pub(crate) fn of(name: &str) -> GalleryPublisher {
    let namespace = name.split('/').next().unwrap_or_default();
    if let Some(account) = namespace.strip_prefix(GITHUB).filter(|rest| is_label(rest)) {
        return GalleryPublisher::GithubAccount {
            account: account.to_owned(),
        };
    }
    let labels: Vec<&str> = namespace.split('.').collect();
    if labels.len() < 2 || !labels.iter().all(|label| is_label(label)) {
        return GalleryPublisher::Unknown;
    }
    let domain: Vec<&str> = labels.into_iter().rev().collect();
    GalleryPublisher::Domain {
        domain: domain.join("."),
    }
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && !text.contains('.') && !text.starts_with('-') && !text.ends_with('-')
}
