//! Where the bundle of a server is unpacked: `bundles/<server>/<SHA-256 of the archive>` in the data folder, beside the file
//! `bundle.json`, which says what it is. What that file says is not trusted: the record of a launch has the digest of all
//! files, so a changed file is asked about again. Until its server is added, the file `adding` is there too.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use vestibule_protocol::ServerId;

use crate::packages::{read_text, tree_digest};

const BUNDLES: &str = "bundles";
const ABOUT: &str = "bundle.json";
const ADDING: &str = "adding";

/// The folder of the bundle of one server.
#[derive(Clone, Debug)]
pub struct BundleFolder {
    /// The folder with the bundles of all servers.
    all: PathBuf,
    own: PathBuf,
}

/// What a bundle is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnpackedBundle {
    pub name: String,
    pub version: String,
    /// SHA-256 of the archive in hexadecimal digits, which is also the name of its folder.
    pub sha256: String,
}

/// A bundle that a launch uses.
pub(crate) struct BundleInUse {
    pub(crate) about: UnpackedBundle,
    pub(crate) folder: PathBuf,
}

impl BundleFolder {
    /// The folder of a server in this data folder. It may not exist.
    #[must_use]
    pub fn new(data_folder: &Path, server: ServerId) -> Self {
        let all = data_folder.join(BUNDLES);
        Self {
            own: all.join(server.to_string()),
            all,
        }
    }

    /// Where an archive is unpacked.
    #[must_use]
    pub fn files(&self, sha256: &str) -> PathBuf {
        self.own.join(sha256)
    }

    /// The servers whose bundles were unpacked in this data folder and that were not added, as far as [`Self::added`] says.
    ///
    /// # Errors
    /// When the folder of the bundles cannot be read.
    pub fn not_added(data_folder: &Path) -> io::Result<Vec<ServerId>> {
        let entries = match fs::read_dir(data_folder.join(BUNDLES)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            entries => entries?,
        };
        let is_left = |entry: &fs::DirEntry| entry.path().join(ADDING).exists();
        let names = entries.flatten().filter(is_left).map(|entry| entry.file_name());
        Ok(names.filter_map(|name| name.to_str()?.parse().ok()).collect())
    }

    /// Notes that the server of the bundle is added.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn added(&self) -> io::Result<()> {
        match fs::remove_file(self.own.join(ADDING)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Has `unpack` fill a new folder, which gets its name as the last step.
    ///
    /// # Errors
    /// Those of `unpack`, and when something cannot be written. Nothing is left behind then.
    pub fn fill<E: From<io::Error>>(
        &self,
        about: &UnpackedBundle,
        unpack: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let filled = self.fill_new(about, unpack);
        if filled.is_err() {
            // The first error is the one that is reported.
            let _ = self.remove();
        }
        filled
    }

    fn fill_new<E: From<io::Error>>(
        &self,
        about: &UnpackedBundle,
        unpack: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), E> {
        vestibule_store::make_folder_private(&self.own)?;
        vestibule_store::create_private_file(&self.own.join(ADDING))?;
        let part = self.own.join("part");
        unpack(&part)?;
        let text = serde_json::to_vec_pretty(about).map_err(io::Error::other)?;
        let mut file = vestibule_store::create_private_file(&self.own.join(ABOUT))?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&part, self.files(&about.sha256))?;
        Ok(())
    }

    /// Removes the bundle with everything in its folder.
    ///
    /// # Errors
    /// When something of it cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.own) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether one of these words names something in this bundle.
    pub fn is_named_in<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> bool {
        let own = self.own.display().to_string();
        words.into_iter().any(|word| word.contains(&own))
    }

    /// The bundle that a launch uses: the one of this server, or another one that its words name, as those of a duplicated
    /// server do.
    pub(crate) fn in_use<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Option<BundleInUse> {
        let named = || words.into_iter().find_map(|word| self.named(word));
        in_folder(&self.own).or_else(named)
    }

    /// The server whose bundle a word names something of. There may be no such bundle.
    #[must_use]
    pub fn server_named(&self, word: &str) -> Option<ServerId> {
        self.folder_named(word)?.parse().ok()
    }

    fn named(&self, word: &str) -> Option<BundleInUse> {
        in_folder(&self.all.join(self.folder_named(word)?))
    }

    /// The folder of the bundles that a word names something in.
    fn folder_named<'a>(&self, word: &'a str) -> Option<&'a str> {
        let all = self.all.to_str()?;
        let inside = &word[word.find(all)? + all.len()..];
        let mut parts = Path::new(inside.trim_start_matches('/')).components();
        match parts.next()? {
            Component::Normal(folder) => folder.to_str(),
            _ => None,
        }
    }
}

fn in_folder(folder: &Path) -> Option<BundleInUse> {
    let about: UnpackedBundle = serde_json::from_str(&read_text(&folder.join(ABOUT)).ok()?).ok()?;
    let is_digest = about.sha256.len() == 64 && about.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    let files = folder.join(&about.sha256);
    (is_digest && files.is_dir()).then_some(BundleInUse { about, folder: files })
}

impl BundleInUse {
    /// The digest of all its files.
    pub(crate) async fn tree(&self) -> io::Result<String> {
        tree_digest(&self.folder).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> UnpackedBundle {
        UnpackedBundle {
            name: "notes".into(),
            version: "1.2.0".into(),
            sha256: "a".repeat(64),
        }
    }

    fn written(part: &Path) -> io::Result<()> {
        fs::create_dir(part)?;
        fs::write(part.join("index.js"), "one")
    }

    #[tokio::test]
    async fn a_bundle_is_there_as_a_whole_or_not_at_all() {
        let data = tempfile::tempdir().unwrap();
        let bundle = BundleFolder::new(data.path(), ServerId::new());
        let failed = bundle.fill(&about(), |part| {
            written(part)?;
            Err(io::Error::other("no space left"))
        });
        assert!(failed.is_err() && !bundle.own.exists());
        bundle.fill(&about(), written).unwrap();
        let before = bundle.in_use([]).unwrap();
        assert_eq!(before.about, about());
        let digest = before.tree().await.unwrap();
        fs::write(before.folder.join("index.js"), "two").unwrap();
        assert_ne!(before.tree().await.unwrap(), digest);
        bundle.remove().unwrap();
        assert!(bundle.in_use([]).is_none());
    }

    #[test]
    fn a_duplicated_server_is_bound_to_the_bundle_that_it_names() {
        let data = tempfile::tempdir().unwrap();
        let bundle = BundleFolder::new(data.path(), ServerId::new());
        bundle.fill(&about(), written).unwrap();
        let copy = BundleFolder::new(data.path(), ServerId::new());
        let script = format!(
            "--script={}",
            bundle.files(&about().sha256).join("index.js").display()
        );
        assert!(copy.in_use(["node", "index.js"]).is_none());
        assert_eq!(copy.in_use(["node", &script]).unwrap().about, about());
        assert!(copy.server_named(&script).is_some() && copy.server_named("index.js").is_none());
        assert!(bundle.is_named_in([script.as_str()]) && !copy.is_named_in([script.as_str()]));
        let outside = format!("{}/../elsewhere", data.path().join(BUNDLES).display());
        assert!(copy.in_use([outside.as_str()]).is_none());
    }
}
