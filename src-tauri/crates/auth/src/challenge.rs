//! Reads `WWW-Authenticate`. A header may hold several challenges and there may be several headers; values are
//! quoted or not, and servers write them carelessly. Nothing here fails: what cannot be read is passed over,
//! because a demand without details is still a demand.

use vestibule_transport::Challenge;

use crate::scope::Scopes;

const MAX_PARAMETERS: usize = 64;

/// What a server demands, as far as it concerns OAuth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthDemand {
    /// Where it describes itself.
    pub resource_metadata: Option<String>,
    /// What the token has to be good for.
    pub scope: Option<Scopes>,
    /// Its error code, such as `invalid_token` or `insufficient_scope`.
    pub error: Option<String>,
    /// Whether it takes tokens that are bound to a key.
    pub takes_proofs: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Scheme {
    name: String,
    parameters: Vec<(String, String)>,
}

impl AuthDemand {
    /// The demand of a 401 or 403.
    #[must_use]
    pub fn from_challenge(challenge: &Challenge) -> Self {
        let headers = challenge.www_authenticate.iter();
        let schemes: Vec<Scheme> = headers.flat_map(|header| read_schemes(header)).collect();
        let ours = |scheme: &&Scheme| ["bearer", "dpop"].contains(&scheme.name.as_str());
        let mut demand = Self::default();
        for scheme in schemes.iter().filter(ours) {
            let value = |name: &str| {
                let found = scheme.parameters.iter().find(|(own, _)| own == name);
                found.map(|(_, value)| value.clone())
            };
            demand.resource_metadata = demand.resource_metadata.or_else(|| value("resource_metadata"));
            demand.scope = demand.scope.or_else(|| {
                value("scope")
                    .map(|text| Scopes::parse(&text))
                    .filter(|s| !s.is_empty())
            });
            demand.error = demand.error.or_else(|| value("error"));
            demand.takes_proofs |= scheme.name == "dpop";
        }
        demand
    }
}

fn read_schemes(header: &str) -> Vec<Scheme> {
    let mut rest = header;
    let mut schemes: Vec<Scheme> = Vec::new();
    for _ in 0..MAX_PARAMETERS {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let name_end = rest.find(|c: char| !is_token(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        if !name.is_empty() {
            rest = read_named(&mut schemes, name.to_ascii_lowercase(), after);
            continue;
        }
        // Not something a challenge can have: go on behind it.
        let Some(odd) = rest.chars().next() else { break };
        rest = &rest[odd.len_utf8()..];
    }
    schemes
}

/// Adds what a name stands for: a parameter of the latest scheme where a value follows, a new scheme otherwise. Returns
/// what comes next. A parameter before any scheme is passed over.
fn read_named<'a>(schemes: &mut Vec<Scheme>, name: String, after: &'a str) -> &'a str {
    let Some(value) = after.trim_start_matches([' ', '\t']).strip_prefix('=') else {
        let parameters = Vec::new();
        schemes.push(Scheme { name, parameters });
        return after;
    };
    let Some(scheme) = schemes.last_mut() else {
        return read_value(value).1;
    };
    let (value, rest) = read_value(value.trim_start_matches([' ', '\t']));
    scheme.parameters.push((name, value));
    rest
}

/// A quoted string, or everything up to a comma or space: unquoted URLs are common.
fn read_value(text: &str) -> (String, &str) {
    let Some(inner) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &inner[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (value, "")
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(headers: &[&str]) -> AuthDemand {
        AuthDemand::from_challenge(&Challenge {
            status: 401,
            www_authenticate: headers.iter().map(|&header| header.to_owned()).collect(),
        })
    }

    /// AU-003.
    #[test]
    fn a_demand_is_found_among_other_challenges_however_it_is_written() {
        let url = "https://a.example/.well-known/x";
        let wanted = AuthDemand {
            resource_metadata: Some(url.to_owned()),
            scope: Some(Scopes::parse("a b")),
            error: Some("invalid_token".to_owned()),
            takes_proofs: false,
        };
        for header in [
            format!("Bearer resource_metadata=\"{url}\", scope=\"a b\", error=\"invalid_token\""),
            format!("bearer RESOURCE_METADATA={url}, Scope = \"a b\",error=invalid_token"),
            format!(
                "Basic realm=\"x, Bearer y\", Bearer realm=\"a \\\" b\", resource_metadata={url}, scope=\"a b\", error=invalid_token"
            ),
            format!(
                "Negotiate abc==, Bearer error=\"invalid_token\" resource_metadata=\"{url}\" scope=\"a b\""
            ),
            format!(",, Bearer ,error=invalid_token,,resource_metadata=\"{url}\",scope=\"a b"),
        ] {
            assert_eq!(demand(&[&header]), wanted, "{header}");
        }
        let split = [
            "Basic realm=x".to_owned(),
            format!("DPoP resource_metadata=\"{url}\", error=invalid_token"),
            "Bearer scope=\"a b\"".to_owned(),
        ];
        let both = AuthDemand {
            takes_proofs: true,
            ..wanted
        };
        assert_eq!(demand(&split.each_ref().map(String::as_str)), both);
    }

    /// AU-003.
    #[test]
    fn nothing_that_can_be_written_into_the_header_breaks_the_reader() {
        for header in [
            "",
            "Bearer",
            "=",
            "\"",
            "Bearer \"",
            "Bearer a=\"\\",
            "ü=ü, Bearer x",
            "Basic scope=a",
        ] {
            assert_eq!(demand(&[header]), AuthDemand::default(), "{header}");
        }
        let endless = format!("Bearer {}", "a=b,".repeat(10_000));
        assert_eq!(demand(&[&endless]), AuthDemand::default());
        assert_eq!(demand(&["Bearer scope=\"\""]).scope, None);
    }
}
