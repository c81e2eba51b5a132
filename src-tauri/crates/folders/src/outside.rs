//! Which arguments of a call name a place outside the folders a server may know of. It marks and does not forbid:
//! roots are guidance in the protocol, and a server sees what its own account on this computer lets it see. Paths
//! are compared part by part, never letter by letter, and after their links are resolved.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use url::Url;
use vestibule_consent::OutsidePath;

use crate::LONGEST_PATH;
use crate::follow::{by_text, follow};

/// The most places that are named on one card, and how deep arguments are looked into.
const MOST: usize = 20;
const DEPTH: usize = 16;

/// The places in the arguments that lie outside. Blocks for a few looks at the disk.
pub(crate) fn outside(
    arguments: &Map<String, Value>,
    roots: &[String],
    home: Option<&Path>,
) -> Vec<OutsidePath> {
    let mut found = vec![];
    for (name, value) in arguments {
        search(value, vec![name.clone()], roots, home, &mut found);
    }
    found
}

fn search(
    value: &Value,
    at: Vec<String>,
    roots: &[String],
    home: Option<&Path>,
    found: &mut Vec<OutsidePath>,
) {
    if found.len() >= MOST || at.len() > DEPTH {
        return;
    }
    let step = |part: String| at.iter().cloned().chain([part]).collect::<Vec<_>>();
    match value {
        Value::String(text) => {
            if let Some(place) = place(text, home)
                && !roots.iter().any(|root| place.starts_with(root))
            {
                found.push(OutsidePath {
                    at,
                    value: text.clone(),
                    place: place.display().to_string(),
                });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                search(item, step(index.to_string()), roots, home, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                search(member, step(name.clone()), roots, home, found);
            }
        }
        _ => {}
    }
}

/// The place a text names, with links resolved as far as it exists; `None` where it names none that is known here.
fn place(text: &str, home: Option<&Path>) -> Option<PathBuf> {
    if text.len() > LONGEST_PATH || text.contains(['\n', '\0']) {
        return None;
    }
    let path = if text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("file:"))
    {
        Url::parse(text).ok()?.to_file_path().ok()?
    } else if let Some(rest) = text.strip_prefix('~') {
        home?.join(rest.trim_start_matches(['/', '\\']))
    } else {
        PathBuf::from(text)
    };
    path.is_absolute()
        .then(|| follow(&path).unwrap_or_else(|| by_text(&path)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(arguments: Value, roots: &[&str]) -> Vec<String> {
        let roots: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
        let found = outside(
            arguments.as_object().unwrap(),
            &roots,
            Some(Path::new("/home/ada")),
        );
        found.into_iter().map(|outside| outside.value).collect()
    }

    /// F1: a prefix is not a parent, and `..` leads where it leads.
    #[test]
    fn only_what_lies_below_a_root_is_inside() {
        let roots = ["/srv/proj"];
        let inside = json!({ "a": "/srv/proj", "b": "/srv/proj/x/../y", "c": "file:///srv/proj/a%20b", "d": "hello", "e": 5, "f": "x/y" });
        assert_eq!(values(inside, &roots), Vec::<String>::new());
        for out in [
            "/srv/proj-evil/x",
            "/srv/proj/../other",
            "/srv/proj/../../etc",
            "file:///etc/passwd",
            "FILE:///etc",
            "~/x",
            "/",
            "file:///srv/proj/%2e%2e/x",
        ] {
            assert_eq!(values(json!({ "p": out }), &roots), [out]);
        }
    }

    #[test]
    fn nested_arguments_are_found_with_their_place() {
        let arguments = json!({ "files": [{ "path": "/etc/a" }, { "path": "/srv/proj/b" }] });
        let found = outside(arguments.as_object().unwrap(), &["/srv/proj".to_owned()], None);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].at, ["files", "0", "path"]);
    }

    /// F2: a link inside a root that leads out of it is outside, and the card names where it leads.
    #[test]
    fn a_link_that_leads_out_is_outside() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        std::fs::create_dir(place.join("root")).unwrap();
        std::os::unix::fs::symlink("/etc", place.join("root/link")).unwrap();
        let root = place.join("root").display().to_string();
        let arguments = json!({ "path": format!("{root}/link/passwd") });
        let found = outside(arguments.as_object().unwrap(), &[root], None);
        assert_eq!(
            found[0].place,
            Path::new("/etc")
                .canonicalize()
                .unwrap()
                .join("passwd")
                .display()
                .to_string()
        );
    }
}
