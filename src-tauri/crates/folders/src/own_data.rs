//! Vestibule's own data and configuration: whether a text leads there. Rules, accepted definitions and the ledger are
//! kept there, so a tool that writes there could allow itself. It looks for whole paths and for paths inside
//! command lines, in every form a server may read them, and prefers to find too much.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use url::Url;
use vestibule_store::is_server_folder;

use crate::follow::{NoPlace, by_text, follow, is_file_url, place_in, place_of};
use crate::place::{Identity, identity_of};

/// Most different paths of one text that are looked at; a text with more is not known to lead elsewhere.
pub(crate) const MOST_PATHS: usize = 20_000;
/// Most folders above the paths of one look that are remembered.
const MOST_ABOVE: usize = 1_000;
/// What may stand around a path in a command line.
const AROUND: &[char] = &[
    '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|', '&', '=', ' ', '\t', '\n', '\r',
];
/// What may stand around a path with spaces.
const QUOTES: &[char] = &['"', '\'', '`'];
/// What may stand before a path in one word, as in `host:/path` and `@/path`.
const BEFORE: &[char] = &[':', '@'];
/// The part of a folder's name that makes it Vestibule's.
const NAME: &str = "vestibule";

/// The folders, as they are written and where they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnFolders {
    paths: Vec<PathBuf>,
    /// Names that occur nowhere else: a text with one of them means the folder.
    names: Vec<String>,
}

/// Where a text leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LeadsTo {
    /// To this place in one of the folders.
    OwnData(PathBuf),
    Elsewhere,
    /// Not known: it names too many paths, or one through a folder that each process has for itself.
    Unknown,
}

/// Where paths begin that do not begin at the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bases {
    pub(crate) home: Option<PathBuf>,
    /// The folder the server works in.
    pub(crate) working: Option<PathBuf>,
}

impl OwnFolders {
    /// A relative folder is one below the folder that this process works in.
    pub(crate) fn new(folders: &[PathBuf]) -> Self {
        let absolute = |folder: &PathBuf| std::path::absolute(folder).ok();
        let folders: Vec<PathBuf> = folders.iter().filter_map(absolute).collect();
        let mut paths: Vec<PathBuf> = folders
            .iter()
            .flat_map(|folder| [Some(by_text(folder)), follow(folder)])
            .flatten()
            .filter(|folder| folder.is_absolute() && folder.parent().is_some())
            .collect();
        paths.sort();
        paths.dedup();
        let name = |folder: &PathBuf| Some(folder.file_name()?.to_str()?.to_lowercase());
        let is_ours = |name: &String| name.contains(NAME) && name.len() > NAME.len();
        Self {
            names: paths.iter().filter_map(name).filter(is_ours).collect(),
            paths,
        }
    }

    /// Begins a look at texts that belong together.
    pub(crate) fn lookup<'a>(&'a self, bases: &'a Bases) -> OwnDataLookup<'a> {
        let exempt = self.folder_of_server(bases);
        let working = bases.working.as_deref();
        let working = working.and_then(|folder| Some((folder, follow(folder)?)));
        // A folder whose content is the server's is the one it works in.
        let place = working.as_ref().map(|(_, place)| place.clone());
        let exempt_places = exempt.map_or_else(Vec::new, |folder| {
            [Some(by_text(folder)), place].into_iter().flatten().collect()
        });
        OwnDataLookup {
            folders: self,
            bases,
            exempt,
            exempt_places,
            own: self.paths.iter().map(|folder| identity_of(folder)).collect(),
            working,
            above: HashMap::new(),
        }
    }

    /// A folder whose path, or whose own name, occurs anywhere in the text.
    fn mentioned(&self, text: &str) -> Option<PathBuf> {
        let by_path = self.paths.iter().find(|folder| {
            let folder = folder.to_str().unwrap_or_default();
            let after = |found: (usize, &str)| text[found.0 + folder.len()..].chars().next();
            let mut ends = text.match_indices(folder).map(after);
            !folder.is_empty() && ends.any(|next| next.is_none_or(|next| !is_of_name(next)))
        });
        let lower = text.to_lowercase();
        let by_name = || self.names.iter().any(|name| lower.contains(name.as_str()));
        by_path
            .cloned()
            .or_else(|| by_name().then(|| self.paths.first().cloned()).flatten())
    }

    /// The folder the server works in, where that is one in the data folder. What is in it is the server's.
    fn folder_of_server<'a>(&self, bases: &'a Bases) -> Option<&'a Path> {
        let working = bases.working.as_deref()?;
        let is_own = |data_folder: &PathBuf| is_server_folder(working, data_folder);
        self.paths.iter().any(is_own).then_some(working)
    }
}

/// One look at texts that belong together. What is asked of the disk for all of them is asked once.
pub(crate) struct OwnDataLookup<'a> {
    folders: &'a OwnFolders,
    bases: &'a Bases,
    /// The folder whose content is the server's.
    exempt: Option<&'a Path>,
    /// That folder as it is written, and where it is.
    exempt_places: Vec<PathBuf>,
    /// The folders that the paths of `folders` are.
    own: Vec<Identity>,
    /// The folder the server works in, and where it is.
    working: Option<(&'a Path, PathBuf)>,
    /// Folders above the paths so far.
    above: HashMap<PathBuf, Identity>,
}

impl OwnDataLookup<'_> {
    /// Whether `text` leads into one of the folders.
    pub(crate) fn find(&mut self, text: &str) -> LeadsTo {
        if self.folders.paths.is_empty() {
            return LeadsTo::Elsewhere;
        }
        let forms = forms_of(text);
        let mut mentioned = forms
            .iter()
            .filter_map(|form| self.folders.mentioned(&without(form, self.exempt)));
        if let Some(place) = mentioned.next() {
            return LeadsTo::OwnData(place);
        }
        self.named(&forms)
    }

    /// Where the paths in the forms of a text lead.
    fn named(&mut self, forms: &[Cow<'_, str>]) -> LeadsTo {
        let (paths, are_all) = paths_in(forms, self.bases);
        let mut is_known = are_all;
        for path in paths {
            match self.holds(&path) {
                LeadsTo::Elsewhere => {}
                LeadsTo::Unknown => is_known = false,
                own => return own,
            }
        }
        if is_known {
            LeadsTo::Elsewhere
        } else {
            LeadsTo::Unknown
        }
    }

    /// Whether the path leads into one of the folders, as it is written or by its links.
    fn holds(&mut self, path: &Path) -> LeadsTo {
        let place = self.place_of(path);
        let through_process = place == Err(NoPlace::ThroughProcess);
        let text = by_text(path);
        let place = place.ok().filter(|place| *place != text);
        let mut ends = [Some(text), place].into_iter().flatten();
        match ends.find(|end| self.is_own(end)) {
            Some(own) => LeadsTo::OwnData(own),
            None if through_process => LeadsTo::Unknown,
            None => LeadsTo::Elsewhere,
        }
    }

    fn place_of(&self, path: &Path) -> Result<PathBuf, NoPlace> {
        let working = self.working.as_ref();
        let inside = working.and_then(|(folder, place)| Some((place, path.strip_prefix(folder).ok()?)));
        match inside {
            Some((place, rest)) => place_in(place, rest),
            None => place_of(path),
        }
    }

    fn is_own(&mut self, end: &Path) -> bool {
        let is_exempt = self.exempt_places.iter().any(|folder| end.starts_with(folder));
        let is_below = |end: &Path| self.folders.paths.iter().any(|folder| end.starts_with(folder));
        !is_exempt && (is_below(end) || self.is_in_one_of_own(end))
    }

    /// Whether the place, or a folder it is in, is one of the folders under another name: another spelling, or mounted
    /// twice.
    fn is_in_one_of_own(&mut self, place: &Path) -> bool {
        let is_own = |own: &[Identity], identity: Identity| identity.is_some() && own.contains(&identity);
        is_own(&self.own, identity_of(place))
            || place.ancestors().skip(1).any(|folder| {
                let identity = self.identity_above(folder);
                is_own(&self.own, identity)
            })
    }

    fn identity_above(&mut self, folder: &Path) -> Identity {
        if let Some(known) = self.above.get(folder) {
            return *known;
        }
        let identity = identity_of(folder);
        if self.above.len() < MOST_ABOVE {
            self.above.insert(folder.to_owned(), identity);
        }
        identity
    }
}

/// The text as it is, as a server reads it that decodes escapes, and as a shell reads it.
fn forms_of(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    let without_quotes = text.replace(['\\', '"', '\''], "").into();
    for form in [decoded, without_quotes] {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// The text without the path of a folder, unless it may lead out of that folder again.
fn without<'a>(text: &'a str, folder: Option<&Path>) -> Cow<'a, str> {
    match folder.and_then(Path::to_str) {
        Some(folder) if !text.contains("..") => text.replace(&format!("{folder}/"), "/").into(),
        _ => text.into(),
    }
}

/// Whether a letter goes on with the name of a file.
fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')
}

/// The different paths that the forms of a text may name, at most [`MOST_PATHS`], and whether these are all.
fn paths_in(forms: &[Cow<'_, str>], bases: &Bases) -> (HashSet<PathBuf>, bool) {
    let candidates = forms.iter().flat_map(|form| parts_of(form));
    let candidates = candidates.filter(|part| !part.is_empty() && part.len() <= crate::LONGEST_PATH);
    let mut paths = HashSet::new();
    for path in candidates.filter_map(|part| absolute(part, bases)) {
        if paths.len() == MOST_PATHS && !paths.contains(&path) {
            return (paths, false);
        }
        paths.insert(path);
    }
    (paths, true)
}

/// What may be a path: the text itself, what stands in quotes, its words, and what follows a sign in a word.
fn parts_of(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split(QUOTES);
    let words = text.split(AROUND);
    let behind_sign = text.split(AROUND).flat_map(|word| word.split(BEFORE));
    let parts = quoted.chain(words).chain(behind_sign);
    let like_paths = parts.filter(|part| part.contains(['/', '\\', '~', '.']));
    std::iter::once(text).chain(like_paths)
}

/// The absolute path a text names, as the server would read it.
fn absolute(text: &str, bases: &Bases) -> Option<PathBuf> {
    if text.contains('\0') {
        return None;
    }
    if is_file_url(text) {
        return Url::parse(text).ok()?.to_file_path().ok();
    }
    let home = ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|home| text.strip_prefix(home));
    let path = match home {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            bases.home.as_ref()?.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => PathBuf::from(text),
    };
    if path.is_absolute() {
        return Some(path);
    }
    Some(bases.working.as_ref()?.join(path))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
