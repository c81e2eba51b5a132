//! The proxy and certificate settings of this computer, as variables that the user can give to a server. A server gets none
//! of them by itself: the form of a server offers them, and what the user takes over there is a variable like any other,
//! shown on the card before the start and bound by a permission.

use secrecy::{ExposeSecret, SecretString};
use vestibule_consent::{NamedValue, ValueDisplay};
use vestibule_policy::variable_effect;

/// The names, each also read in lower case. Nothing that turns a check of certificates off is among them.
const NAMES: [&str; 14] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "NODE_USE_ENV_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "AWS_CA_BUNDLE",
    "UV_SYSTEM_CERTS",
    "UV_NATIVE_TLS",
];
/// The longest value that is offered, in bytes. `NO_PROXY` can be a list of many hosts.
const LONGEST: usize = 8 * 1024;
/// What stands for a name and a password in the address of a proxy.
const HIDDEN: &str = "•••";

/// What a computer sets about its proxy and its certificates.
#[derive(Clone, Default)]
pub struct NetworkVariables(Vec<(String, SecretString)>);

impl NetworkVariables {
    /// What an environment sets of them.
    #[must_use]
    pub fn from_variables(set: impl Fn(&str) -> Option<String>) -> Self {
        let found = NAMES.iter().filter_map(|name| {
            let value = set(name).or_else(|| set(&name.to_ascii_lowercase()))?;
            let fits = !value.is_empty() && value.len() <= LONGEST && !value.contains('\0');
            fits.then(|| ((*name).to_owned(), value.into()))
        });
        Self(found.collect())
    }

    /// The value of a variable, where it is one of these and is set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value)
    }

    /// What a form shows of them: names and passwords in addresses are left out.
    #[must_use]
    pub fn shown(&self) -> Vec<NamedValue> {
        let shown = self.0.iter().map(|(name, value)| NamedValue {
            name: name.clone(),
            effect: variable_effect(name),
            value: ValueDisplay::Shown {
                text: without_credentials(value.expose_secret()),
            },
        });
        shown.collect()
    }
}

/// Where in an address a name or password stands: `http://name:password@host`.
fn credentials(value: &str) -> Option<std::ops::Range<usize>> {
    let begin = value.find("://").map_or(0, |scheme| scheme + 3);
    let rest = &value[begin..];
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let end = rest[..authority].rfind('@')?;
    Some(begin..begin + end)
}

/// An address without the name and the password in it; any other value as it is.
pub(crate) fn without_credentials(value: &str) -> String {
    match credentials(value) {
        Some(part) => format!("{}{HIDDEN}{}", &value[..part.start], &value[part.end..]),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(set: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
        let all = NetworkVariables::from_variables(set).shown().into_iter();
        let text = |value: NamedValue| match value.value {
            ValueDisplay::Shown { text } => (value.name, text),
            other => panic!("{other:?}"),
        };
        all.map(text).collect()
    }

    #[test]
    fn proxies_and_certificates_are_offered_and_nothing_else() {
        let set = |name: &str| {
            let value = match name {
                "https_proxy" => "http://proxy.example:8080",
                "HTTP_PROXY" => "http://ann:canary@proxy.example:8080/a@b",
                "NODE_EXTRA_CA_CERTS" => "/etc/company.pem",
                "NO_PROXY" => "",
                "NODE_TLS_REJECT_UNAUTHORIZED" => "0",
                "AWS_SECRET_ACCESS_KEY" => "k",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let expected = [
            ("HTTPS_PROXY", "http://proxy.example:8080"),
            ("HTTP_PROXY", "http://•••@proxy.example:8080/a@b"),
            ("NODE_EXTRA_CA_CERTS", "/etc/company.pem"),
        ];
        assert_eq!(
            shown(set),
            expected.map(|(name, text)| (name.into(), text.into()))
        );
    }

    #[test]
    fn each_of_them_is_known_to_change_what_runs_or_whom_it_talks_to() {
        for name in NAMES {
            assert!(variable_effect(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_value_that_no_environment_can_hold_is_not_offered() {
        assert!(shown(|_| Some("x".repeat(LONGEST + 1))).is_empty());
        assert!(shown(|_| Some("a\0b".into())).is_empty());
    }

    #[test]
    fn a_name_and_a_password_in_an_address_are_hidden_and_the_host_never() {
        for (value, text) in [
            ("http://a:b@host", "http://•••@host"),
            ("socks5://a@host:1", "socks5://•••@host:1"),
            ("a:b@host:8080", "•••@host:8080"),
            ("http://good.example@evil.example/", "http://•••@evil.example/"),
            ("http://a:b@c@host/", "http://•••@host/"),
            ("http://host/@x", "http://host/@x"),
            ("http://host?a@b", "http://host?a@b"),
            ("localhost,.example.com", "localhost,.example.com"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(value), text);
        }
    }
}
