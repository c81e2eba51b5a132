//! Where a path leads: each link is followed, also one whose end does not exist yet, because writing through it would
//! make that end.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Most links of one path, as in the Linux kernel.
const MOST_LINKS: usize = 40;

/// Why the place that a path leads to is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// Too many links, or a folder that may not be looked into: no other program of the user gets through either. Or a
    /// file below `/proc`.
    NoWay,
    /// It goes through the working folder or the root of a process: `/proc/self/cwd` is another folder for each.
    ThroughProcess,
}

/// The place an absolute path leads to; `None` where that is not known. Parts that do not exist stay as they are written.
pub(crate) fn follow(path: &Path) -> Option<PathBuf> {
    place_of(path).ok()
}

/// As [`follow`], with the reason where the place is not known.
pub(crate) fn place_of(path: &Path) -> Result<PathBuf, NoPlace> {
    walk(PathBuf::new(), path)
}

/// As [`place_of`], for a relative path in a folder whose place is known.
pub(crate) fn place_in(folder: &Path, path: &Path) -> Result<PathBuf, NoPlace> {
    walk(folder.to_owned(), path)
}

fn walk(mut place: PathBuf, path: &Path) -> Result<PathBuf, NoPlace> {
    let mut left = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop() {
        if let Some(end) = enter(&mut place, &part).ok_or(NoPlace::NoWay)? {
            links += 1;
            left.extend(parts(&end));
        }
        if links > MOST_LINKS {
            return Err(NoPlace::NoWay);
        }
        if place.starts_with("/proc") {
            return Err(below_proc(&left));
        }
    }
    Ok(place)
}

/// What can be said of the parts of a path behind `/proc`.
fn below_proc(left: &[PathBuf]) -> NoPlace {
    let is_link = |part: &PathBuf| part == Path::new("cwd") || part == Path::new("root");
    if left.iter().any(is_link) {
        NoPlace::ThroughProcess
    } else {
        NoPlace::NoWay
    }
}

/// Moves `place` by one part. Where that part is a link, `place` stays and the inner value is what the link says;
/// `None` where that is unknown.
fn enter(place: &mut PathBuf, part: &Path) -> Option<Option<PathBuf>> {
    match part.components().next()? {
        Component::CurDir => {}
        Component::ParentDir => {
            place.pop();
        }
        Component::Prefix(_) | Component::RootDir => place.push(part),
        Component::Normal(name) => {
            place.push(name);
            let end = link(place)?;
            if end.is_some() {
                place.pop();
            }
            return Some(end);
        }
    }
    Some(None)
}

/// Whether a text is the URL of a file.
pub(crate) fn is_file_url(text: &str) -> bool {
    text.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("file:"))
}

/// A path without `.` and `..`, by its text alone.
pub(crate) fn by_text(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
            }
            other => place.push(other),
        }
    }
    place
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path
        .components()
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect();
    parts.reverse();
    parts
}

/// What the link at `place` says; `Some(None)` where there is no link, `None` where that is unknown.
fn link(place: &Path) -> Option<Option<PathBuf>> {
    match place.symlink_metadata() {
        Ok(facts) if facts.is_symlink() => place.read_link().ok().map(Some),
        Ok(_) => Some(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Some(None),
        Err(_) => None,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
