//! Paths, judged by their text and by where they lead once links are followed. A server may decode escapes or expand a
//! variable in a path before it opens it, or hand it to a shell; a path with a sign that means more there is not called
//! safe.

use super::{Judged, NoCondition, has_more_shell_signs};

/// Longest path that is looked at, in bytes.
const LONGEST: usize = 4096;

pub(super) fn check(root: &str) -> Result<(), NoCondition> {
    match parts(root) {
        Some(_) if root.len() <= super::LONGEST => Ok(()),
        _ => Err(NoCondition::Root),
    }
}

/// `resolved` is where `path` leads, as far as that is known.
pub(super) fn judge(root: &str, path: &str, resolved: Option<&str>) -> Judged {
    if has_more_shell_signs(path, root) {
        return Judged::Unclear;
    }
    match (
        by_text(root, path),
        resolved.map(|resolved| by_text(root, resolved)),
    ) {
        (Judged::Passes, Some(Judged::Passes)) => Judged::Passes,
        (Judged::Fails, Some(Judged::Fails)) => Judged::Fails,
        (Judged::Fails, None) => Judged::Unresolved,
        _ => Judged::Unclear,
    }
}

fn by_text(root: &str, path: &str) -> Judged {
    let (Some(root), Some(path)) = (parts(root), parts(path)) else {
        return Judged::Unclear;
    };
    Judged::from_bool(path.starts_with(&root))
}

/// The steps of an absolute path from its drive or root; `None` where it is no such path, climbs, or could mean
/// something else to the program that opens it.
fn parts(path: &str) -> Option<Vec<&str>> {
    let bytes = path.as_bytes();
    let drive = bytes.get(1) == Some(&b':') && bytes.first().is_some_and(u8::is_ascii_alphabetic);
    let separators: &[char] = if drive { &['/', '\\'] } else { &['/'] };
    let (start, rest) = if drive { path.split_at(2) } else { ("", path) };
    if !rest.starts_with(separators) || path.len() > LONGEST || means_something_else(rest, drive) {
        return None;
    }
    let steps = rest.split(separators).filter(|step| !matches!(*step, "" | "."));
    let parts: Vec<&str> = std::iter::once(start).chain(steps).collect();
    let climbs = parts
        .iter()
        .any(|part| part.trim_end_matches([' ', '.']).is_empty() && *part != start);
    (!climbs).then_some(parts)
}

fn means_something_else(path: &str, drive: bool) -> bool {
    path.chars().any(char::is_control)
        || path.contains(['%', '$', '~'])
        || (!drive && path.contains('\\'))
        || (drive && path.contains(':'))
}
