//! What a server finds in its environment: the variables the user declared for it, and the few that
//! programs need to find their home, speak the right language and write temporary files. Nothing else of the
//! app's own environment is passed on, because it holds tokens and keys of other programs.

use std::ffi::{OsStr, OsString};

use secrecy::{ExposeSecret, SecretString};

use crate::SpawnError;

/// Passed on from the app's environment when set.
const NAMES: [&str; 9] = [
    "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM",
];
/// Passed on when the name begins so: the language in detail, and where the desktop keeps its folders.
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The whole environment of a server: ours that are allowed, the search path, and on top what was declared.
pub(super) fn build(
    ours: impl Iterator<Item = (OsString, OsString)>,
    search_path: &OsStr,
    declared: &[(String, SecretString)],
) -> Result<Vec<(OsString, OsString)>, SpawnError> {
    let mut variables: Vec<_> = ours.filter(|(name, _)| is_allowed(name)).collect();
    variables.push(("PATH".into(), search_path.to_owned()));
    for (name, value) in declared {
        let value = value.expose_secret();
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(SpawnError::BadVariable(name.clone()));
        }
        variables.push((name.into(), value.into()));
    }
    Ok(variables)
}

fn is_allowed(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_listed_and_the_declared_variables_are_passed_on() {
        let ours = [
            ("HOME", "/h"),
            ("LC_TIME", "C"),
            ("AWS_SECRET_ACCESS_KEY", "k"),
            ("PATH", "/ours"),
        ];
        let ours = ours.into_iter().map(|(name, value)| (name.into(), value.into()));
        let declared = [
            ("TOKEN".to_owned(), SecretString::from("t")),
            ("HOME".into(), "/other".into()),
        ];
        let built = build(ours, OsStr::new("/bin"), &declared).unwrap();
        let expected = [
            ("HOME", "/h"),
            ("LC_TIME", "C"),
            ("PATH", "/bin"),
            ("TOKEN", "t"),
            ("HOME", "/other"),
        ];
        assert_eq!(built, expected.map(|(name, value)| (name.into(), value.into())));
    }

    #[test]
    fn a_variable_no_environment_can_hold_is_refused_without_its_value() {
        for (name, value) in [("", "v"), ("A=B", "v"), ("A", "secret\0")] {
            let declared = [(name.to_owned(), SecretString::from(value))];
            let error = build(std::iter::empty(), OsStr::new(""), &declared).unwrap_err();
            assert_eq!(error, SpawnError::BadVariable(name.to_owned()));
            assert!(!error.to_string().contains("secret"));
        }
    }
}
