//! Vestibule's own data and configuration: whether a text leads there. Rules, accepted definitions and the ledger are
//! kept there, so a tool that writes there could allow itself. It looks for whole paths and for paths inside
//! command lines, in every form a server may read them, and prefers to find too much.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use url::Url;
use vestibule_store::is_server_folder;

use crate::follow::{by_text, follow, is_file_url};

/// Most words of one text that are looked at.
const MOST_WORDS: usize = 200;
/// What may stand around a path in a command line.
const AROUND: &[char] = &[
    '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|', '&', '=', ' ', '\t', '\n', '\r',
];
/// The part of a folder's name that makes it Vestibule's.
const NAME: &str = "vestibule";

/// The folders, as they are written and where they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnFolders {
    paths: Vec<PathBuf>,
    /// Names that occur nowhere else: a text with one of them means the folder.
    names: Vec<String>,
}

/// Where paths begin that do not begin at the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bases {
    pub(crate) home: Option<PathBuf>,
    /// The folder the server works in.
    pub(crate) working: Option<PathBuf>,
}

impl OwnFolders {
    pub(crate) fn new(folders: &[PathBuf]) -> Self {
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

    /// The place in one of the folders that `text` leads to.
    pub(crate) fn within(&self, text: &str, bases: &Bases) -> Option<PathBuf> {
        let decoded = percent_decode_str(text).decode_utf8_lossy();
        let forms = [text, &decoded];
        let forms = || forms.iter().take(if decoded == text { 1 } else { 2 });
        let exempt = self.folder_of_server(bases);
        forms()
            .find_map(|form| self.mentioned(&without(form, exempt)))
            .or_else(|| forms().find_map(|form| self.named(form, bases)))
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

    /// The place a path names, the whole text or a word of it.
    fn named(&self, text: &str, bases: &Bases) -> Option<PathBuf> {
        let words = text
            .split(AROUND)
            .filter(|word| *word != text && word.contains(['/', '\\', '~', '.']));
        let texts = std::iter::once(text).chain(words).take(MOST_WORDS);
        texts
            .filter(|text| !text.is_empty() && text.len() <= crate::LONGEST_PATH)
            .filter_map(|text| absolute(text, bases))
            .find_map(|path| self.holds(&path, self.folder_of_server(bases)))
    }

    /// The folder the server works in, where that is one in the data folder. What is in it is the server's.
    fn folder_of_server<'a>(&self, bases: &'a Bases) -> Option<&'a Path> {
        let working = bases.working.as_deref()?;
        let is_own = |data_folder: &PathBuf| is_server_folder(working, data_folder);
        self.paths.iter().any(is_own).then_some(working)
    }

    /// Where the path leads, if that is in one of the folders.
    fn holds(&self, path: &Path, exempt: Option<&Path>) -> Option<PathBuf> {
        let exempt = [exempt.map(by_text), exempt.and_then(follow)];
        let is_exempt = |end: &PathBuf| exempt.iter().flatten().any(|folder| end.starts_with(folder));
        let ends = [Some(by_text(path)), follow(path)];
        ends.into_iter()
            .flatten()
            .filter(|end| !is_exempt(end))
            .find(|end| self.paths.iter().any(|folder| end.starts_with(folder)) || self.is_same(end))
    }

    /// Whether the place, or a folder it is in, is one of the folders under another name: another spelling, or mounted
    /// twice.
    fn is_same(&self, place: &Path) -> bool {
        let identity = crate::place::identity_of;
        let own: Vec<_> = self.paths.iter().filter_map(|folder| identity(folder)).collect();
        place
            .ancestors()
            .filter_map(identity)
            .any(|above| own.contains(&above))
    }
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
